package ingest_test

import (
	"strings"
	"testing"

	"piyasa/ingest"
)

// filing is a line about a filing with these members, and nothing in its
// statements.
func filing(symbol, currency string) string {
	return `{"record":"filing","disclosure_index":1,"symbol":"` + symbol + `","year":"2025","period":"Annual","end_date":"2025-12-31","consolidation":"CS","currency":"` + currency +
		`","template":"bank","tms29_applied":false,"balance_sheet":[],"income_statement":[],"cash_flow":[]}`
}

func TestFilingsAndNewsThatCannotBe(t *testing.T) {
	news := func(id, at string) string {
		return `{"record":"news","news_id":"` + id + `","title":"x","published_at":"` + at + `","symbols":[]}`
	}
	level := func(value string) string {
		return `{"record":"inflation_point","series_id":"TUFE","month":"2026-02","value":` + value + `}`
	}
	refuse(t, []refusal{
		{"a symbol in small letters", filing("dmost", "TRY"), "symbol", "must be a code of 2 to 10 letters A-Z and digits"},
		{"an id for a symbol", filing("bist:DMOST", "TRY"), "symbol", "must be a code"},
		{"a currency that is none", filing("DMOST", "TL"), "currency", `such as TRY; got "TL"`},
		{"a word of the API", news("stream", t1), "news_id", "must not be one of disclosures, financials, companies, stream"},
		{"a long id", news(strings.Repeat("n", 101), t1), "news_id", "at most 100 bytes"},
		{"news of another age", news("n-1", "1799-12-31T23:59:59Z"), "published_at", "must be from 1800"},
		{"a level of nothing", level(`"0.00"`), "value", "must be above 0"},
		{"a level below nothing", level(`"-1"`), "value", "must be above 0"},
		{"a source of a long name", `{"record":"source_status","source":"` + strings.Repeat("s", 101) + `","up":true,"as_of":"` + t1 + `"}`, "source", "at most 100 bytes"},
		{"a source of another age", `{"record":"source_status","source":"kap","up":true,"as_of":"2200-01-01T00:00:00Z"}`, "as_of", "a day ahead of the clock"},
		{"a source of an age before", `{"record":"source_status","source":"kap","up":true,"as_of":"1799-01-01T00:00:00Z"}`, "as_of", "must be from 1800"},
	})
}

// The same lines again are unchanged, newer ones replace, and of a source only
// the newest word counts.
func TestFilingsAndNewsAgain(t *testing.T) {
	s := openFile(t)
	source := func(at, up string) string {
		return `{"record":"source_status","source":"kap","up":` + up + `,"as_of":"2026-03-18T` + at + `Z"}`
	}
	input := strings.Join([]string{
		filing("DMOST", "TRY"),
		`{"record":"news","news_id":"n-1","title":"x","published_at":"2026-03-18T11:45:00Z","symbols":["DMOST"]}`,
		`{"record":"inflation_point","series_id":"TUFE","month":"2026-02","value":null}`,
		source("11:45:00", "false"),
	}, "\n")
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 4, Stored: 4})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 4, Unchanged: 4})
	newer := strings.NewReplacer(`"bank"`, `"insurer"`, `"x"`, `"y"`, `null`, `"3012.45"`, `11:45:00Z","symbols`, `11:46:00Z","symbols`).Replace(input)
	run(t, s, strings.NewReader(newer)).counts(t, ingest.Counts{Read: 4, Stored: 3, Unchanged: 1})
	run(t, s, strings.NewReader(source("11:44:59.999", "true")+"\n"+source("11:45:01", "true"))).counts(t, ingest.Counts{Read: 2, Stored: 1, Stale: 1})
}
