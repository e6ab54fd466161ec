package services_test

import (
	"fmt"
	"testing"

	"piyasa/db/dbtest"
)

// filing returns the lines of a filing on the disclosure platform.
func filing(index int, end, period, consolidation, published, more string) string {
	return fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"type":"FR","class":"FR","symbols":["SLO"],"filer_codes":["SLO"],`+
		`"published_at":%q,"year":"2025","period":%q,"consolidation":%q%s}
{"record":"filing","disclosure_index":%[1]d,"symbol":"SLO","year":"2025","period":%[3]q,"end_date":%[6]q,"consolidation":%[4]q,`+
		`"currency":"TRY","template":"industrial","tms29_applied":true,"balance_sheet":[],"income_statement":[],"cash_flow":[]}`,
		index, published, period, consolidation, more, end)
}

// filed returns the line of a statement that does not say of whom it is.
func filed(month int, end, at, revenue string) string {
	return fmt.Sprintf(`{"record":"statement","instrument_id":"bist:SLO","fiscal_year":2025,"fiscal_month":%d,"currency":"TRY",`+
		`"end_date":%q,"basis":"nominal","template":"industrial","filed_at":%q,"items":[{"code":"rev","label_tr":"Hasılat",`+
		`"group":"income_statement","kind":"flow","value":%q,"role":"revenue"}]}`, month, end, at, revenue)
}

// A statement that does not say of whom it is, is of whom the platform's filings of its period
// are: 5,000 of the group in six months less 100 of the company alone in three is no quarter.
func TestStatementsAreOfWhomTheirFilingsAre(t *testing.T) {
	const quarters = "/v1/stocks/bist:SLO/financials?timeframe=quarterly_standalone"
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.said(w.send(instrument("bist:SLO", lira),
			filed(3, "2025-03-31", "2025-05-10T15:00:00Z", "100"), filed(6, "2025-06-30", "2025-08-10T15:00:00Z", "5000"),
			filed(9, "2025-09-30", "2025-11-10T15:00:00Z", "6000")))
		w.shows(quarters, `"4900"`, `"1000"`, "!meaning_changed") // nothing says that they differ

		w.said(w.send(filing(2001, "2025-03-31", "3 Aylık", "NC", "2025-05-10T15:00:00Z", "")))
		w.shows(quarters, `"4900"`) // nor yet
		w.said(w.send(filing(2002, "2025-06-30", "6 Aylık", "CS", "2025-07-10T15:00:00Z", ""),
			filing(2003, "2025-06-30", "6 Aylık", "NC", "2025-09-10T15:00:00Z", ""),
			filing(2004, "2025-09-30", "9 Aylık", "CS", "2025-11-10T15:00:00Z", "")))
		w.shows(quarters, "!4900", `"1000"`, `"meaning_changed":{"what":"consolidation","from":"NC","to":"CS","on":"2025-04-01"}`)
		w.shows(quarters+"&known_at=2025-08-10T15:00:00Z", "!4900", `"from":"NC","to":"CS"`, "!1000")
		w.shows(quarters+"&consolidation=NC", `"100"`, "!5000")

		// The report of three months was of the group, as a correction says.
		w.said(w.send(filing(2005, "2025-03-31", "3 Aylık", "CS", "2025-05-10T15:00:00Z", `,"reason":"CORR","related_index":2001`)))
		w.shows(quarters, `"4900"`, "!meaning_changed")
		w.said(w.send(`{"record":"filing","disclosure_index":2005,"withdrawn":true}`))
		w.shows(quarters, "!4900", `"what":"consolidation"`)

		// A rename leads to what was filed under the code before.
		w.said(w.send(instrument("bist:SLN", lira+`,"predecessor":"bist:SLO","renamed_on":"2026-03-17"`)))
		w.shows("/v1/stocks/bist:SLN/financials?timeframe=quarterly_standalone", "!4900", `"what":"consolidation"`)

		// So do two, also when the first code is another company's.
		w.said(w.send(instrument("bist:SLP", lira+`,"predecessor":"bist:SLN","renamed_on":"2026-03-18"`)))
		w.shows("/v1/stocks/bist:SLP/financials?timeframe=quarterly_standalone", "!4900", `"what":"consolidation"`)
		w.said(w.send(withdrawn("bist:SLO"), instrument("bist:SLO", lira)))
		w.shows("/v1/stocks/bist:SLP/financials?timeframe=quarterly_standalone", "!4900", `"what":"consolidation"`)
	})
}
