package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// Empty and cut lists say why, in REST and GraphQL alike; those that are neither do not.
func TestReasonsOfWhatIsMissing(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct{ path, field, want string }{
		{"/v1/candles/bist:DMOST", `candles(id: "bist:DMOST")`, ""},
		{"/v1/candles/fx:USDTRY?to=2019-12-31", `candles(id: "fx:USDTRY", to: "2019-12-31")`,
			`before_history; available_from="2020-01-01"`},
		{"/v1/candles/bist:DMOST?from=2026-03-14&to=2026-03-15", `candles(id: "bist:DMOST", from: "2026-03-14", to: "2026-03-15")`,
			"market_closed"},
		{"/v1/candles/bist:DMOST?from=2026-04-01&to=2026-04-10", `candles(id: "bist:DMOST", from: "2026-04-01", to: "2026-04-10")`,
			"in_future"},
		{"/v1/candles/index:SPX?from=2026-01-05&to=2026-01-06", `candles(id: "index:SPX", from: "2026-01-05", to: "2026-01-06")`,
			"none_stored"},
		{"/v1/eod/bist:DMOST?from=2020-01-01", `eod(id: "bist:DMOST", from: "2020-01-01")`, `starts_later; available_from="2024-01-01"`},
		{"/v1/eod/bist:DMOST?from=2026-03-14&to=2026-03-15", `eod(id: "bist:DMOST", from: "2026-03-14", to: "2026-03-15")`,
			"market_closed"},
		{"/v1/stocks/bist:DMOST/valuation/history?to=2025-09-19", `valuationHistory(id: "bist:DMOST", to: "2025-09-19")`,
			`before_history; available_from="2025-09-20"`},
		{"/v1/stocks/bist:DMOST/valuation/history?from=2025-01-01", `valuationHistory(id: "bist:DMOST", from: "2025-01-01")`,
			`starts_later; available_from="2025-09-20"`},
		{"/v1/sectors/otomotiv/returns?to=2019-06-02", `sectorReturns(code: "otomotiv", to: "2019-06-02")`,
			`before_history; available_from="2019-06-03"`},
		{"/v1/sectors/bankacilik/returns?market=us", `sectorReturns(code: "bankacilik", market: US)`, "not_covered"},
		{"/v1/calendar?from=1999-01-01", `calendar(from: "1999-01-01")`, "none_stored"},
		{"/v1/calendar?country=zz", `calendar(country: "zz")`, "filtered_out"},
		{"/v1/calendar/events?country=zz", `calendarEvents(country: "zz")`, "filtered_out"},
		{"/v1/inflation/yi-ufe?to=2002-12", `producerPriceIndex(to: "2002-12")`, `before_history; available_from="2003-01-01"`},
		{"/v1/instruments?search=nosuchthing", `instruments(search: "nosuchthing")`, "filtered_out"},
		{"/v1/dividends?from=1999-01-01&to=1999-01-02", `dividends(from: "1999-01-01", to: "1999-01-02")`, "none_stored"},
		{"/v1/dividends?symbols=ZZZZZ", `dividends(symbols: ["ZZZZZ"])`, "filtered_out"},
		{"/v1/stocks/bist:DMALTF/dividends", `dividendHistory(id: "bist:DMALTF")`, "not_covered"},
		{"/v1/stocks/bist:DMALTF/financials", `financials(id: "bist:DMALTF")`, "not_covered"},
		{"/v1/stocks/bist:DMOST/financials?basis=as_reported&timeframe=ttm",
			`financials(id: "bist:DMOST", basis: AS_REPORTED, timeframe: TTM)`, "not_covered"},
		{"/v1/kap-feed/disclosures?class=nosuchclass", `disclosures(class: "nosuchclass")`, "filtered_out"},
		{"/v1/kap-feed/financials/DMOST?year=1999", `filings(symbol: "DMOST", year: "1999")`, "filtered_out"},
		{"/v1/kap?to=1999-01-01", `news(to: "1999-01-01")`, "filtered_out"},
		{"/v1/funds/ranking?category=nosuch", `fundRanking(category: "nosuch")`, "filtered_out"},
		{"/v1/ipo?from=2100-01-01", `ipos(from: "2100-01-01")`, "filtered_out"},
		{"/v1/ipo", `ipos`, ""},
		{"/v1/kap-feed/disclosures?q=nosuchword", `disclosures(q: "nosuchword")`, "filtered_out"},
		{"/v1/kap-feed/disclosures?q=PAY+al%C4%B1mlar%C4%B1", `disclosures(q: "PAY alımları")`, ""},
		{"/v1/kap-feed/disclosures", `disclosures`, ""},
	} {
		for _, format := range []string{"application/json", "text/csv"} {
			if got := a.Send("GET", c.path, fixture.All, "", "Accept", format).Header.Get("X-Missing-Reason"); got != c.want {
				t.Errorf("%s as %s: %q, want %q", c.path, format, got, c.want)
			}
		}
		asked := a.Query("{ it: "+c.field+" { missingReason { reason availableFrom message } } }", fixture.All)
		it, ok := asked.JSON["data"].(map[string]any)["it"].(map[string]any)
		if !ok {
			t.Errorf("%s: %s", c.field, asked.Text)
			continue
		}
		reason, has := it["missingReason"].(map[string]any)
		got := ""
		if has {
			got = reason["reason"].(string)
			if from, ok := reason["availableFrom"].(string); ok {
				got += `; available_from="` + from + `"`
			}
			if !strings.HasSuffix(reason["message"].(string), ".") {
				t.Errorf("%s: %q", c.field, reason["message"])
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.field, got, c.want)
		}
	}
	batch := a.Get("/v1/candles?ids=fx:USDTRY,bist:DMOST&to=2019-12-31", fixture.All).Header.Values("X-Missing-Reason")
	if len(batch) != 2 || batch[0] != `before_history; available_from="2020-01-01"; id="fx:USDTRY"` ||
		!strings.HasSuffix(batch[1], `; id="bist:DMOST"`) {
		t.Errorf("a batch: %q", batch)
	}
}

// Relations say why they are empty, those of all instruments with one read.
func TestReasonsOfRelations(t *testing.T) {
	a := fixture.New(t)
	asked := a.Query(`{ watchlist(ids: ["bist:DMOST", "bist:DMALTF", "crypto:1", "us:DMAP", "cmdty:RAWX"]) {
		dividends: missingReason(of: DIVIDENDS) { reason } disclosures: missingReason(of: DISCLOSURES) { reason } quote: missingReason(of: QUOTE) { reason }
		history: missingReason(of: VALUATION_HISTORY) { reason } indices: missingReason(of: INDICES) { reason } indicators: missingReason(of: INDICATORS) { reason }
		periodic: missingReason(of: PERIODIC) { reason } financials: missingReason(of: FINANCIALS) { reason } valuation: missingReason(of: VALUATION) { reason } holders: missingReason(of: HOLDERS) { reason } holdings: missingReason(of: HOLDINGS) { reason }
	} }`, fixture.All)
	const none, not = `{"reason":"none_stored"}`, `{"reason":"not_covered"}`
	for i, want := range []map[string]string{
		{"dividends": "", "disclosures": "", "quote": "", "history": "", "indices": "", "indicators": "", "periodic": "", "financials": "",
			"valuation": "", "holders": ""},
		{"dividends": not, "quote": "", "history": not, "financials": not, "valuation": not, "indicators": ""},
		{"dividends": not, "disclosures": not, "quote": "", "history": not, "indices": not, "indicators": not, "periodic": not,
			"financials": not, "valuation": not, "holders": none, "holdings": not},
		{"dividends": "", "disclosures": not, "history": not, "indices": not, "indicators": not, "valuation": ""},
		{"dividends": not, "quote": `{"reason":"no_honest_value"}`},
	} {
		list, _ := asked.JSON["data"].(map[string]any)["watchlist"].([]any)
		if len(list) != 5 {
			t.Fatal(asked.Text)
		}
		for field, reason := range want {
			text, _ := json.Marshal(list[i].(map[string]any)[field])
			if got := strings.TrimPrefix(string(text), "null"); got != reason {
				t.Errorf("%d %s: %q, want %q", i, field, got, reason)
			}
		}
	}
	reads := func(query string) int64 {
		before := a.Reads.Load()
		if res := a.Query(query, fixture.All); res.JSON["errors"] != nil {
			t.Fatal(res.Text)
		}
		return a.Reads.Load() - before
	}
	one := reads(`{ watchlist(ids: ["bist:DMBNK"]) { missingReason(of: HOLDERS) { reason } } }`)
	many := reads(`{ watchlist(ids: ["bist:DMOST", "bist:DMBNK", "bist:DMTEK", "bist:DMNSC"]) { missingReason(of: HOLDERS) { reason } } }`)
	if one != 1 || many != 1 {
		t.Errorf("%d statements for one instrument, %d for four", one, many)
	}
}
