package ingest_test

import (
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
)

func TestFundsThatCannotBe(t *testing.T) {
	fund := func(code, currency, more string) string {
		return `{"record":"fund","code":"` + code + `","name":"x","currency":"` + currency + `"` + more + `}`
	}
	refuse(t, []refusal{
		{"a code in small letters", fund("aal", "TRY", ""), "code", "a fund code of capital letters and digits"},
		{"the id of another fund", fund("AAL", "TRY", `,"instrument_id":"fund:AAV"`), "instrument_id",
			"must be fund:AAL, as the code says"},
		{"a currency that is none", fund("AAL", "TL", ""), "currency", `such as TRY; got "TL"`},
		{"a price of another age", fund("AAL", "TRY", `,"price_date":"1799-12-31"`), "price_date", "must be from 1800-01-01"},
		{"a return as a number", fund("AAL", "TRY", `,"returns":{"1m":8.1204}`), "returns.1m", `such as "305.25"; got 8.1204`},
		{"a period that is none", fund("AAL", "TRY", `,"returns":{"2y":"1"}`), "returns.2y",
			"the members are 1w, 2w, 1m, 3m, 6m, 1y, 3y, 5y"},
		{"flows of no fund", `{"record":"fund_flow","code":"fund:AAL","date":"2026-03-17","net_flow":"1"}`, "code",
			"a fund code of capital letters"},
		{"flows of another age", `{"record":"fund_flow","code":"AAL","date":"1799-12-31","net_flow":"1"}`, "date",
			"must be from 1800-01-01"},
		{"flows of nothing", `{"record":"fund_flow","code":"AAL","date":"2026-03-17","inflow":"1"}`, "net_flow", "is missing"},
		{"holdings of no fund", `{"record":"fund_holding","fund_code":"aal","instrument_id":"bist:X","report_month":"2026-02"}`,
			"fund_code", "a fund code of capital letters"},
		{"a report of a day", `{"record":"fund_holding","fund_code":"AAL","instrument_id":"bist:X","report_month":"2026-02-28"}`,
			"report_month", "YYYY-MM"},
	})
}

// Flows and holdings come before their fund; what is older than the stored
// line about a fund, an offering or a source is stale.
func TestFundsAgain(t *testing.T) {
	line := func(record, members string) string { return `{"record":"` + record + `",` + members + `}` }
	const early, late = `"as_of":"2026-03-16T18:00:00Z"`, `"as_of":"2026-03-17T18:00:00Z"`
	input := []string{
		line("fund_flow", `"code":"DMF","date":"2026-03-17","net_flow":"250000"`),
		line("fund_holding", `"fund_code":"DMF","instrument_id":"bist:DMOST","report_month":"2026-02","weight_pct":"4.20"`),
		line("fund", `"code":"DMF","name":"Demo","currency":"TRY",`+late),
		line("ipo", `"id":"a","company":"Demo","currency":"TRY",`+late),
		line("source_status", `"source":"ipo","up":false,`+late),
	}
	older := []string{
		line("fund", `"code":"DMF","name":"Older","currency":"TRY",`+early),
		line("ipo", `"id":"a","company":"Older","currency":"TRY",`+early),
		line("source_status", `"source":"ipo","up":true,`+early),
	}
	newer := []string{
		line("fund_flow", `"code":"DMF","date":"2026-03-17","net_flow":"250000.0"`),
		line("fund_holding", `"fund_code":"DMF","instrument_id":"bist:DMOST","report_month":"2026-02","weight_pct":"4.2"`),
		line("fund", `"code":"DMF","instrument_id":"fund:DMF","name":"Demo","currency":"TRY",`+late), // says no more than before
		line("fund", `"code":"DMF","name":"Newer","currency":"TRY",`+late),
		line("ipo", `"id":"a","company":"Newer","currency":"TRY"`),
		line("source_status", `"source":"ipo","up":true,`+late),
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		ingested := func(lines []string, want ingest.Counts) {
			t.Helper()
			run(t, s, strings.NewReader(strings.Join(lines, "\n"))).counts(t, want)
		}
		ingested(append(input, input...), ingest.Counts{Read: 10, Stored: 5, Unchanged: 5})
		ingested(append(input, older...), ingest.Counts{Read: 8, Unchanged: 5, Stale: 3})
		ingested(newer, ingest.Counts{Read: 6, Stored: 5, Unchanged: 1})
		ingested(newer, ingest.Counts{Read: 6, Stored: 2, Unchanged: 4}) // of one as_of the later line stands, each time
	})
}
