package rest_test

import (
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// A market capitalisation is in the money that the share had on its day, and is never shown as
// other money.
func TestMarketCapBeforeAnotherCurrency(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		metrics := func(day, worth string) string {
			return `{"record":"market_metrics","instrument_id":"bist:CUR","date":"` + day + `","market_cap":"` + worth +
				`","pe_ratio":"7","as_of":"` + day + `T15:00:00Z"}`
		}
		const usd = `{"record":"instrument","instrument_id":"bist:CUR","symbol":"CUR","name":"CUR","market":"bist","asset_type":"STOCK","currency":"USD"`
		put(t, a, usd+`}`, metrics("2026-03-11", "1000"), metrics("2026-03-12", "1100"),
			`{"record":"statement","instrument_id":"bist:CUR","fiscal_year":2025,"fiscal_month":12,"currency":"TRY","end_date":"2025-12-31",`+
				`"basis":"nominal","template":"industrial","filed_at":"2026-03-01T15:00:00Z","items":[{"code":"eq","label_tr":"Özkaynak",`+
				`"group":"balance_sheet","kind":"stock","value":"500","role":"equity_attributable_to_parent"}]}`)
		const valuation, history = "/v1/stocks/bist:CUR/valuation", "/v1/stocks/bist:CUR/valuation/history"
		checkLooks(t, a, []look{{valuation, "market_cap.value", `"1100"`}, {history, "currency", `"USD"`}})
		put(t, a, `{"record":"instrument","instrument_id":"bist:CUR","symbol":"CUR","name":"CUR","market":"bist","asset_type":"STOCK",`+
			`"currency":"TRY","valid_from":"2026-03-16"}`)
		const change = `{"from":"USD","on":"2026-03-16","to":"TRY","what":"currency"}`
		checkLooks(t, a, []look{
			{valuation, "market_cap.value", "null"},
			{valuation, "market_cap.null_reason", `"meaning_changed"`},
			{valuation, "market_cap.meaning_changed", change},
			{valuation, "pb_ratio.null_reason", `"meaning_changed"`},
			{valuation, "pb_ratio.meaning_changed", change},
			{valuation, "pe_ratio.value", `"7"`}, // the distributor's, of its own day
			{history, "currency", `"TRY"`},
			{history, "points.0.market_cap", "null"},
			{history, "meaning_changed", change},
			{history + "?to=2026-03-13", "currency", `"USD"`},
			{history + "?to=2026-03-13", "points.0.market_cap", `"1000"`},
		})
		put(t, a, metrics("2026-03-17", "45000"))
		checkLooks(t, a, []look{
			{valuation, "market_cap.value", `"45000"`}, {valuation, "pb_ratio.value", `"90"`},
			{history, "points.1.market_cap", "null"}, {history, "points.2.market_cap", `"45000"`},
		})
	})
}
