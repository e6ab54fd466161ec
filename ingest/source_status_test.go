package ingest_test

import (
	"strings"
	"testing"

	"piyasa/ingest"
)

func TestSourceStatusesThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a source of a long name", `{"record":"source_status","source":"` + strings.Repeat("s", 101) + `","up":true,"as_of":"` + t1 + `"}`,
			"source", "at most 100 bytes"},
		{"a source of another age", `{"record":"source_status","source":"kap","up":true,"as_of":"2200-01-01T00:00:00Z"}`, "as_of",
			"a day ahead of the clock"},
		{"a source of an age before", `{"record":"source_status","source":"kap","up":true,"as_of":"1799-01-01T00:00:00Z"}`, "as_of",
			"must be from 1800"},
	})
}

// Of a source only the newest status counts.
func TestSourceStatusesAgain(t *testing.T) {
	s := openFile(t)
	source := func(at, up string) string {
		return `{"record":"source_status","source":"kap","up":` + up + `,"as_of":"2026-03-18T` + at + `Z"}` + "\n"
	}
	input := source("11:45:00", "false")
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 1, Stored: 1})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 1, Unchanged: 1})
	run(t, s, strings.NewReader(source("11:44:59.999", "true")+source("11:45:01", "true"))).counts(t,
		ingest.Counts{Read: 2, Stored: 1, Stale: 1})
}
