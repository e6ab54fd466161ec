package rest_test

import (
	"piyasa/test/fixture"
	"reflect"
	"strings"
	"testing"
)

// refusals are asked of both sides and must be the same problem.
var refusals = []struct{ path, field string }{
	{"/v1/calendar?country=", `calendar(country: "")`},
	{"/v1/calendar?country=US&country=", `calendar(country: ["US", ""])`},
	{"/v1/calendar/events?country=US,TR", `calendarEvents(country: "US,TR")`},
	{"/v1/kap-feed/disclosures?symbol=", `disclosures(symbol: "")`},
	{"/v1/kap-feed/disclosures?symbols=DMOST,x", `disclosures(symbols: ["DMOST", "x"])`},
	{"/v1/kap-feed/disclosures?companyId=", `disclosures(companyId: "")`},
	{"/v1/kap-feed/disclosures?cursor=", `disclosures(cursor: "")`},
	{"/v1/kap-feed/disclosures?q=-x", `disclosures(q: "-x")`},
	{"/v1/kap?symbol=", `news(symbol: "")`},
	{"/v1/kap?cursor=", `news(cursor: "")`},
	{"/v1/dividends?cursor=", `dividends(cursor: "")`},
	{"/v1/kap-feed/financials/DMOST?cursor=", `filings(symbol: "DMOST", cursor: "")`},
	{"/v1/coverage?cursor=", `coverage(cursor: "")`},
	{"/v1/coverage?instrument=", `coverage(instrument: "")`},
	{"/v1/quotes/bist:NOPE", `quote(id: "bist:NOPE")`},
	{"/v1/quotes/foo:BAR", `quote(id: "foo:BAR")`},
	{"/v1/quotes/cmdty:RAWX", `quote(id: "cmdty:RAWX")`},
	{"/v1/quotes/crypto:ONE", `quote(id: "crypto:ONE")`},
	{"/v1/quotes/fund:DMA", `quote(id: "fund:DMA")`},
	{"/v1/quotes/bist:DMOST?currency=EUR", `quote(id: "bist:DMOST", currency: EUR)`},
	{"/v1/quotes?ids=crypto:ONE", `quotes(ids: ["crypto:ONE"])`},
	{"/v1/quotes?ids=", `quotes(ids: [])`},
	{"/v1/candles/bist:DMOST?from=2026-03-02&to=2026-03-01", `candles(id: "bist:DMOST", from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/candles/bist:DMOST?resolution=2h", `candles(id: "bist:DMOST", resolution: H2)`},
	{"/v1/candles/crypto:1?resolution=5m", `candles(id: "crypto:1", resolution: M5)`},
	{"/v1/candles/crypto:1?resolution=2h&from=2025-12-16&to=2026-03-18",
		`candles(id: "crypto:1", resolution: H2, from: "2025-12-16", to: "2026-03-18")`},
	{"/v1/candles/bist:DMOST?currency=EUR", `candles(id: "bist:DMOST", currency: EUR)`},
	{"/v1/candles/bist:NOPE", `candles(id: "bist:NOPE")`},
	{"/v1/candles?ids=", `candlesBatch(ids: [])`},
	{"/v1/candles?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST&from=2026-03-01",
		`candlesBatch(from: "2026-03-01", ids: [` + strings.Repeat(`"bist:DMOST",`, 100) + `"bist:DMOST"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:ONE", `candlesBatch(ids: ["bist:DMOST", "crypto:ONE"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&resolution=5m", `candlesBatch(ids: ["bist:DMOST", "crypto:1"], resolution: M5)`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&from=2026-03-02&to=2026-03-01",
		`candlesBatch(ids: ["bist:DMOST", "crypto:1"], from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/candles?ids=index:SPX,bist:DMOST&currency=EUR", `candlesBatch(ids: ["index:SPX", "bist:DMOST"], currency: EUR)`},
	{"/v1/eod/crypto:ONE", `eod(id: "crypto:ONE")`},
	{"/v1/eod/bist:DMOST?from=2026-03-19", `eod(id: "bist:DMOST", from: "2026-03-19")`},
	{"/v1/candles/crypto:1?resolution=2h&from=2025-12-01", `candles(id: "crypto:1", resolution: H2, from: "2025-12-01")`},
	{"/v1/stocks/bist:DMOST/valuation/history?from=2026-03-19", `valuationHistory(id: "bist:DMOST", from: "2026-03-19")`},
	{"/v1/sectors/otomotiv/returns?from=2026-03-19", `sectorReturns(code: "otomotiv", from: "2026-03-19")`},
	{"/v1/calendar?to=2026-03-17", `calendar(to: "2026-03-17")`},
	{"/v1/dividends?to=2026-02-15", `dividends(to: "2026-02-15")`},
	{"/v1/instruments?limit=5001", `instruments(limit: 5001)`},
	{"/v1/instruments/bist:NOPE", `instrument(id: "bist:NOPE")`},
	{"/v1/instruments/bist:DMALT/parse", `parseInstrument(id: "bist:DMALT")`},
	{"/v1/markets/bist/movers?limit=0", `movers(limit: 0)`},
	{"/v1/logos/bist:DMOST", `logo(id: "bist:DMOST")`}, // here nobody has one
	{"/v1/logos/bist:DMALT", `logo(id: "bist:DMALT")`},
	{"/v1/logos/crypto:ONE", `logo(id: "crypto:ONE")`},
	{"/v1/logos/fund:DMA", `logo(id: "fund:DMA")`},
	{"/v1/stocks/crypto:1/indicators", `indicators(id: "crypto:1")`},
	{"/v1/stocks/us:DMAP/indicators", `indicators(id: "us:DMAP")`},
	{"/v1/stocks/bist:NOPE/indicators", `indicators(id: "bist:NOPE")`},
	{"/v1/stocks/bist:DMOST/indicators?periods=1", `indicators(id: "bist:DMOST", periods: [1])`},
	{"/v1/stocks/bist:DMOST/indicators?periods=20,401", `indicators(id: "bist:DMOST", periods: [20, 401])`},
	{"/v1/stocks/bist:DMOST/indicators?periods=", `indicators(id: "bist:DMOST", periods: [])`},
	{"/v1/stocks/bist:DMOST/indicators?periods=2,3,4,5,6,7,8,9,10,11,12",
		`indicators(id: "bist:DMOST", periods: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])`},
	{"/v1/stocks/bist:DMOST/indicators?indicators=", `indicators(id: "bist:DMOST", indicators: [])`},
	{"/v1/stocks/bist:DMOST/indicators?resolution=2h", `indicators(id: "bist:DMOST", resolution: H2)`},
	{"/v1/stocks/bist:DMALT/financials", `financials(id: "bist:DMALT")`},
	{"/v1/stocks/crypto:1/financials", `financials(id: "crypto:1")`},
	{"/v1/stocks/us:NOPE/financials", `financials(id: "us:NOPE")`},
	{"/v1/stocks/us:DMAP/financials?basis=current", `financials(id: "us:DMAP", basis: CURRENT)`},
	{"/v1/stocks/us:NOPE/financials?basis=as_reported", `financials(id: "us:NOPE", basis: AS_REPORTED)`},
	{"/v1/stocks/us:DMAP/financials?timeframe=ttm", `financials(id: "us:DMAP", timeframe: TTM)`},
	{"/v1/stocks/us:DMAP/financials?currency=TRY", `financials(id: "us:DMAP", currency: TRY)`},
	{"/v1/stocks/bist:DMOST/financials?currency=EUR", `financials(id: "bist:DMOST", currency: EUR)`},
	{"/v1/stocks/bist:DMOST/financials?limit=0", `financials(id: "bist:DMOST", limit: 0)`},
	{"/v1/stocks/bist:DMOST/financials?limit=101", `financials(id: "bist:DMOST", limit: 101)`},
	{"/v1/stocks/bist:DMALTF/valuation", `valuation(id: "bist:DMALTF")`},
	{"/v1/stocks/bist:DMALT/valuation", `valuation(id: "bist:DMALT")`},
	{"/v1/stocks/bist:DMNEW/valuation", `valuation(id: "bist:DMNEW")`},
	{"/v1/stocks/us:NOPE/valuation", `valuation(id: "us:NOPE")`},
	{"/v1/stocks/fund:DMF/valuation", `valuation(id: "fund:DMF")`},
	{"/v1/stocks/index:SPX/valuation", `valuation(id: "index:SPX")`},
	{"/v1/stocks/bist:DMOST/valuation?currency=EUR", `valuation(id: "bist:DMOST", currency: EUR)`},
	{"/v1/valuation?ids=", `valuations(ids: [])`},
	{"/v1/valuation?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", `valuations(ids: [` + strings.Repeat(`"bist:DMOST",`, 100) +
		`"bist:DMOST"])`},
	{"/v1/valuation?ids=bist:DMOST&currency=EUR", `valuations(ids: ["bist:DMOST"], currency: EUR)`},
	{"/v1/stocks/bist:DMOST/valuation/history?currency=USD", `valuationHistory(id: "bist:DMOST", currency: USD)`},
	{"/v1/stocks/bist:DMOST/valuation/history?currency=EUR", `valuationHistory(id: "bist:DMOST", currency: EUR)`},
	{"/v1/stocks/bist:DMOST/valuation/history?from=2026-03-02&to=2026-03-01",
		`valuationHistory(id: "bist:DMOST", from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/stocks/bist:DMALTF/valuation/history", `valuationHistory(id: "bist:DMALTF")`},
	{"/v1/stocks/bist:DMALT/valuation/history", `valuationHistory(id: "bist:DMALT")`},
	{"/v1/stocks/us:DMAP/valuation/history", `valuationHistory(id: "us:DMAP")`},
	{"/v1/stocks/bist:DMALT/dividends", `dividendHistory(id: "bist:DMALT")`},
	{"/v1/stocks/bist:NOPE/dividends", `dividendHistory(id: "bist:NOPE")`},
	{"/v1/stocks/crypto:ONE/dividends", `dividendHistory(id: "crypto:ONE")`},
	{"/v1/dividends?limit=0", `dividends(limit: 0)`},
	{"/v1/dividends?limit=1001", `dividends(limit: 1001)`},
	{"/v1/dividends?symbols=", `dividends(symbols: [])`},
	{"/v1/dividends?symbols=" + strings.Repeat("DMOST,", 100) + "DMOST", `dividends(symbols: [` + strings.Repeat(`"DMOST",`, 100) +
		`"DMOST"])`},
	{"/v1/dividends?from=2026-03-02&to=2026-03-01", `dividends(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/dividends?from=2025-01-01&to=2026-01-02", `dividends(from: "2025-01-01", to: "2026-01-02")`},
	{"/v1/dividends?cursor=garbage", `dividends(cursor: "garbage")`},
	{"/v1/periodic/fx:USDTRY", `periodic(id: "fx:USDTRY")`},
	{"/v1/periodic/index:SPX", `periodic(id: "index:SPX")`},
	{"/v1/periodic/crypto:1", `periodic(id: "crypto:1")`},
	{"/v1/periodic/bist:NOPE", `periodic(id: "bist:NOPE")`},
	{"/v1/periodic/bist:DMOST?currency=EUR", `periodic(id: "bist:DMOST", currency: EUR)`},
	{"/v1/periodic?ids=", `periodicBatch(ids: [])`},
	{"/v1/periodic?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", `periodicBatch(ids: [` +
		strings.Repeat(`"bist:DMOST",`, 100) + `"bist:DMOST"])`},
	{"/v1/periodic?ids=bist:DMOST&currency=EUR", `periodicBatch(ids: ["bist:DMOST"], currency: EUR)`},
	{"/v1/indices/XU999/periodic", `indexPeriodic(code: "XU999")`},
	{"/v1/indices/index:SPX/periodic", `indexPeriodic(code: "index:SPX")`},
	{"/v1/sectors/foo/constituents", `sectorConstituents(code: "foo")`},
	{"/v1/sectors/eski-oto/constituents", `sectorConstituents(code: "eski-oto")`},
	{"/v1/sectors/foo/valuation", `sectorValuation(code: "foo")`},
	{"/v1/sectors/eski-oto/valuation?market=us", `sectorValuation(code: "eski-oto", market: US)`},
	{"/v1/sectors/foo/returns", `sectorReturns(code: "foo")`},
	{"/v1/sectors/otomotiv/returns?from=2026-03-02&to=2026-03-01", `sectorReturns(code: "otomotiv", from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/sectors/eski-oto/periodic", `sectorPeriodic(code: "eski-oto")`},
	{"/v1/calendar?importance=0", `calendar(importance: 0)`},
	{"/v1/calendar?importance=4", `calendar(importance: 4)`},
	{"/v1/calendar?to=2026-03-17", `calendar(to: "2026-03-17")`},
	{"/v1/calendar?from=2026-03-02&to=2026-03-01", `calendar(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/calendar?from=2026-03-01&to=2026-04-01", `calendar(from: "2026-03-01", to: "2026-04-01")`},
	{"/v1/calendar/events?importance=4", `calendarEvents(importance: 4)`},
	{"/v1/calendar/events/99", `calendarEvent(eventId: 99)`},
	{"/v1/inflation/yi-ufe?limit=0", `producerPriceIndex(limit: 0)`},
	{"/v1/inflation/yi-ufe?limit=601&from=2026-01", `producerPriceIndex(limit: 601, from: "2026-01")`},
	{"/v1/inflation/yi-ufe?from=2026-03&to=2026-02", `producerPriceIndex(from: "2026-03", to: "2026-02")`},
	{"/v1/indices/XFOO/constituents", `indexConstituents(code: "XFOO")`},
	{"/v1/indices/XUNVR/constituents", `indexConstituents(code: "XUNVR")`},
	{"/v1/indices/index:XU100/constituents", `indexConstituents(code: "index:XU100")`},
	{"/v1/funds/ZZZ/profile", `fundProfile(code: "ZZZ")`},
	{"/v1/funds/DMA/profile", `fundProfile(code: "DMA")`},
	{"/v1/funds/ranking?limit=0", `fundRanking(limit: 0)`},
	{"/v1/funds/ranking?limit=101", `fundRanking(limit: 101)`},
	{"/v1/funds/ZZZ/investor-flows", `fundInvestorFlows(code: "ZZZ")`},
	{"/v1/funds/fund:DMA/investor-flows", `fundInvestorFlows(code: "fund:DMA")`},
	{"/v1/funds/DMF/investor-flows?window=range", `fundInvestorFlows(code: "DMF", window: RANGE)`},
	{"/v1/funds/DMF/investor-flows?from=2026-03-11&to=2026-03-12", `fundInvestorFlows(code: "DMF", from: "2026-03-11", to: "2026-03-12")`},
	{"/v1/funds/DMF/investor-flows?window=range&from=2026-03-12&to=2026-03-11",
		`fundInvestorFlows(code: "DMF", window: RANGE, from: "2026-03-12", to: "2026-03-11")`},
	{"/v1/funds/holders-of/bist:DMALT", `fundHolders(id: "bist:DMALT")`},
	{"/v1/funds/holders-of/bist:NOPE", `fundHolders(id: "bist:NOPE")`},
	{"/v1/funds/holders-of/fund:DMA", `fundHolders(id: "fund:DMA")`},
	{"/v1/funds/ZZZ/holdings", `fundHoldings(code: "ZZZ")`},
	{"/v1/funds/fund:DMA/holdings", `fundHoldings(code: "fund:DMA")`},
	{"/v1/funds/DMF/holdings?limit=0", `fundHoldings(code: "DMF", limit: 0)`},
	{"/v1/funds/DMF/holdings?limit=1001", `fundHoldings(code: "DMF", limit: 1001)`},
	{"/v1/ipo?from=2026-03-02&to=2026-03-01", `ipos(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/ipo/nope", `ipo(id: "nope")`},
	{"/v1/kap-feed/disclosures?symbol=D-M", `disclosures(symbol: "D-M")`},
	{"/v1/kap-feed/disclosures?cursor=garbage", `disclosures(cursor: "garbage")`},
	{"/v1/kap-feed/disclosures/7", `disclosure(index: 7)`},
	{"/v1/kap-feed/disclosures/1505/body", `disclosureBody(index: 1505)`},
	{"/v1/kap-feed/disclosures/1501/body?format=html", `disclosureBody(index: 1501, format: HTML)`},
	{"/v1/kap-feed/financials/ZZZZZ", `filings(symbol: "ZZZZZ")`},
	{"/v1/kap-feed/financials/D-M", `filings(symbol: "D-M")`},
	{"/v1/kap-feed/financials/DMOST?limit=13", `filings(symbol: "DMOST", limit: 13)`},
	{"/v1/kap-feed/financials/DMOST?as_of=2025-12", `filings(symbol: "DMOST", asOf: "2025-12")`},
	{"/v1/kap-feed/financials/DMOST?as_of=2025-11&basis=tufe_adjusted", `filings(symbol: "DMOST", asOf: "2025-11", basis: TUFE_ADJUSTED)`},
	{"/v1/kap-feed/financials/DMOST?as_of=2026-03&basis=tufe_adjusted", `filings(symbol: "DMOST", asOf: "2026-03", basis: TUFE_ADJUSTED)`},
	{"/v1/kap-feed/financials/DMOST?cursor=garbage", `filings(symbol: "DMOST", cursor: "garbage")`},
	{"/v1/kap-feed/companies/ZZZZZ", `company(symbol: "ZZZZZ")`},
	{"/v1/kap?symbol=D-M", `news(symbol: "D-M")`},
	{"/v1/kap?limit=0", `news(limit: 0)`},
	{"/v1/kap?from=2026-03-02&to=2026-03-01", `news(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/kap?cursor=garbage", `news(cursor: "garbage")`},
	{"/v1/kap/n-nope", `newsItem(newsId: "n-nope")`},
}

func TestParityOfProblems(t *testing.T) {
	a := fixture.New(t)
	for _, twin := range refusals {
		t.Run(twin.path, func(t *testing.T) {
			over := a.Get(twin.path, fixture.All)
			if over.StatusCode < 400 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.Text)
			}
			asked := a.Query("{ it: "+twin.field+fixture.Selection(fixture.RootField(twin.field).Type.Name())+" }", fixture.All)
			errs, _ := asked.JSON["errors"].([]any)
			if asked.StatusCode != 200 || len(errs) != 1 || asked.JSON["data"].(map[string]any)["it"] != nil {
				t.Fatalf("GraphQL: %d %s", asked.StatusCode, asked.Text)
			}
			problem := errs[0].(map[string]any)["extensions"].(map[string]any)["problem"].(map[string]any)
			for _, name := range []string{"instance", "request_id"} {
				delete(problem, name)
				delete(over.JSON, name)
			}
			if !reflect.DeepEqual(problem, over.JSON) {
				t.Errorf("GraphQL %v\nREST    %v", problem, over.JSON)
			}
		})
	}
}
