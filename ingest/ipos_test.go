package ingest_test

import (
	"strings"
	"testing"
)

func TestIPOsThatCannotBe(t *testing.T) {
	record := func(more string) string {
		return `{"record":"ipo","id":"x","company":"x","currency":"TRY"` + more + `}`
	}
	refuse(t, []refusal{
		{"demand that ends before it begins", record(`,"demand_start":"2026-03-17","demand_end":"2026-03-16"`), "demand_end",
			"must not be before demand_start, 2026-03-17"},
		{"an IPO with its state", record(`,"state":"active"`), "state", "is not a member of this record"},
		{"an IPO that is stale", record(`,"stale":true`), "stale", "is not a member of this record"},
		{"an IPO of another age", record(`,"first_trade_date":"2200-01-01"`), "first_trade_date", "must be from 1800-01-01"},
		{"an id that is too long", strings.Replace(record(""), `"id":"x"`, `"id":"`+strings.Repeat("x", 101)+`"`, 1), "id",
			"at most 100 bytes"},
		{"a document without a place", record(`,"documents":[{"name":"x"}]`), "documents[0].location", "is missing"},
	})
}
