package server_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/rest"
)

// twins asks every route and its root field for the same things. A route
// without a row fails TestEveryRouteHasATwin.
var twins = []struct{ pattern, path, field string }{
	{"/v1/quotes/{instrument_id}", "/v1/quotes/bist:DMOST", `quote(id: "bist:DMOST")`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/bist:DMALT?currency=USD", `quote(id: "bist:DMALT", currency: USD)`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/crypto:btc?currency=TRY", `quote(id: "crypto:btc", currency: TRY)`},
	{"/v1/quotes/{instrument_id}", "/v1/quotes/index:SPX?currency=TRY", `quote(id: "index:SPX", currency: TRY)`},
	{"/v1/quotes", "/v1/quotes?ids=crypto:BTC,bist:DMOST,crypto:1,bist:NOPE,cmdty:RAWX,bist:NOPE", `quotes(ids: ["crypto:BTC", "bist:DMOST", "crypto:1", "bist:NOPE", "cmdty:RAWX", "bist:NOPE"])`},
	{"/v1/quotes", "/v1/quotes?ids=bist:DMOST,crypto:1&currency=TRY", `quotes(ids: ["bist:DMOST", "crypto:1"], currency: TRY)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST", `candles(id: "bist:DMOST")`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST?from=2026-03-13&to=2026-03-16&currency=USD", `candles(id: "bist:DMOST", from: "2026-03-13", to: "2026-03-16", currency: USD)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST?resolution=5m&from=2026-03-16&to=2026-03-16&currency=USD", `candles(id: "bist:DMOST", resolution: M5, from: "2026-03-16", to: "2026-03-16", currency: USD)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/crypto:btc?resolution=2h", `candles(id: "crypto:btc", resolution: H2)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/crypto:btc?from=2026-01-01", `candles(id: "crypto:btc", from: "2026-01-01")`},
	{"/v1/candles/{instrument_id}", "/v1/candles/index:SPX?currency=TRY", `candles(id: "index:SPX", currency: TRY)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/cmdty:RAWX", `candles(id: "cmdty:RAWX")`},
	{"/v1/candles", "/v1/candles?ids=crypto:BTC,bist:DMOST,crypto:1,bist:NOPE,index:SPX,bist:NOPE", `candlesBatch(ids: ["crypto:BTC", "bist:DMOST", "crypto:1", "bist:NOPE", "index:SPX", "bist:NOPE"])`},
	{"/v1/candles", "/v1/candles?ids=bist:DMOST,fx:USDTRY&from=2026-03-13&to=2026-03-16&currency=USD", `candlesBatch(ids: ["bist:DMOST", "fx:USDTRY"], from: "2026-03-13", to: "2026-03-16", currency: USD)`},
	{"/v1/candles", "/v1/candles?ids=bist:DMALT.F,fx:USDTRY&resolution=5m", `candlesBatch(ids: ["bist:DMALT.F", "fx:USDTRY"], resolution: M5)`},
	{"/v1/candles", "/v1/candles?ids=bist:NOPE", `candlesBatch(ids: ["bist:NOPE"])`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMOST", `eod(id: "bist:DMOST")`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMOST?currency=USD", `eod(id: "bist:DMOST", currency: USD)`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMALT.F?from=2023-12-01&to=2023-12-31", `eod(id: "bist:DMALT.F", from: "2023-12-01", to: "2023-12-31")`},
	{"/v1/instruments", "/v1/instruments", `instruments`},
	{"/v1/instruments", "/v1/instruments?market=crypto&limit=2", `instruments(market: CRYPTO, limit: 2)`},
	{"/v1/instruments", "/v1/instruments?asset_type=etf&search=ALTIN", `instruments(assetType: "etf", search: "ALTIN")`},
	{"/v1/instruments/{id}", "/v1/instruments/bist:DMALT.F", `instrument(id: "bist:DMALT.F")`},
	{"/v1/instruments/{id}", "/v1/instruments/crypto:1", `instrument(id: "crypto:1")`},
	{"/v1/instruments/{id}/parse", "/v1/instruments/crypto:btc/parse", `parseInstrument(id: "crypto:btc")`},
	{"/v1/markets/bist/status", "/v1/markets/bist/status", `marketStatus`},
	{"/v1/markets/bist/movers", "/v1/markets/bist/movers", `movers`},
	{"/v1/markets/bist/movers", "/v1/markets/bist/movers?limit=1&currency=USD", `movers(limit: 1, currency: USD)`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:DMBNK/indicators", `indicators(id: "bist:DMBNK")`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:DMBNK/indicators?indicators=rsi,macd,bbands,sma,ema&periods=20,50,200&resolution=1d", `indicators(id: "bist:DMBNK", indicators: [RSI, MACD, BBANDS, SMA, EMA], periods: [20, 50, 200], resolution: D1)`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:DMBNK/indicators?indicators=ATR,sma,Stochastic,roc,obv,adx&periods=400,2", `indicators(id: "bist:DMBNK", indicators: [ATR, SMA, STOCH, ROC, OBV, ADX], periods: [400, 2])`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:DMOST/indicators?indicators=atr,adx&resolution=5m", `indicators(id: "bist:DMOST", indicators: [ATR, ADX], resolution: M5)`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:dmalt.f/indicators", `indicators(id: "bist:dmalt.f")`},
	{"/v1/stocks/{id}/indicators", "/v1/stocks/bist:DMNEW/indicators?indicators=rsi", `indicators(id: "bist:DMNEW", indicators: RSI)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials", `financials(id: "bist:DMOST")`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?timeframe=quarterly&limit=3&basis=current", `financials(id: "bist:DMOST", timeframe: QUARTERLY, limit: 3, basis: CURRENT)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?timeframe=quarterly_standalone", `financials(id: "bist:DMOST", timeframe: QUARTERLY_STANDALONE)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?timeframe=ttm&currency=TRY", `financials(id: "bist:DMOST", timeframe: TTM, currency: TRY)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?currency=USD", `financials(id: "bist:DMOST", currency: USD)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?basis=as_reported&timeframe=quarterly", `financials(id: "bist:DMOST", basis: AS_REPORTED, timeframe: QUARTERLY)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMOST/financials?basis=as_reported&timeframe=ttm", `financials(id: "bist:DMOST", basis: AS_REPORTED, timeframe: TTM)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMALTF/financials", `financials(id: "bist:DMALTF")`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/bist:DMNEW/financials?timeframe=ttm", `financials(id: "bist:DMNEW", timeframe: TTM)`},
	{"/v1/stocks/{id}/financials", "/v1/stocks/us:dmap/financials?timeframe=quarterly&currency=USD", `financials(id: "us:dmap", timeframe: QUARTERLY, currency: USD)`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/bist:DMOST/valuation", `valuation(id: "bist:DMOST")`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/bist:dmost/valuation?currency=USD", `valuation(id: "bist:dmost", currency: USD)`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/bist:DMOST/valuation?currency=TRY", `valuation(id: "bist:DMOST", currency: TRY)`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/bist:DMBNK/valuation", `valuation(id: "bist:DMBNK")`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/us:DMAP/valuation", `valuation(id: "us:DMAP")`},
	{"/v1/stocks/{id}/valuation", "/v1/stocks/us:DMAP/valuation?currency=TRY", `valuation(id: "us:DMAP", currency: TRY)`},
	{"/v1/valuation", "/v1/valuation?ids=bist:DMBNK,us:DMAP,bist:DMOST,bist:DMALTF,bist:dmost,bist:DMALT,crypto:1,bist:DMNEW,foo:BAR,bist:NOPE,crypto:1", `valuations(ids: ["bist:DMBNK", "us:DMAP", "bist:DMOST", "bist:DMALTF", "bist:dmost", "bist:DMALT", "crypto:1", "bist:DMNEW", "foo:BAR", "bist:NOPE", "crypto:1"])`},
	{"/v1/valuation", "/v1/valuation?ids=bist:DMOST,bist:DMBNK&currency=USD", `valuations(ids: ["bist:DMOST", "bist:DMBNK"], currency: USD)`},
	{"/v1/valuation", "/v1/valuation?ids=bist:NOPE", `valuations(ids: ["bist:NOPE"])`},
	{"/v1/stocks/{id}/valuation/history", "/v1/stocks/bist:DMOST/valuation/history", `valuationHistory(id: "bist:DMOST")`},
	{"/v1/stocks/{id}/valuation/history", "/v1/stocks/bist:DMOST/valuation/history?from=2026-03-18&to=2026-03-20&currency=TRY", `valuationHistory(id: "bist:DMOST", from: "2026-03-18", to: "2026-03-20", currency: TRY)`},
	{"/v1/stocks/{id}/valuation/history", "/v1/stocks/bist:DMOST/valuation/history?from=2025-01-01&to=2025-02-01", `valuationHistory(id: "bist:DMOST", from: "2025-01-01", to: "2025-02-01")`},
	{"/v1/stocks/{id}/dividends", "/v1/stocks/bist:DMOST/dividends", `dividendHistory(id: "bist:DMOST")`},
	{"/v1/stocks/{id}/dividends", "/v1/stocks/us:DMAP/dividends", `dividendHistory(id: "us:DMAP")`},
	{"/v1/stocks/{id}/dividends", "/v1/stocks/bist:DMALTF/dividends", `dividendHistory(id: "bist:DMALTF")`},
	{"/v1/dividends", "/v1/dividends", `dividends`},
	{"/v1/dividends", "/v1/dividends?market=us", `dividends(market: US)`},
	{"/v1/dividends", "/v1/dividends?market=bist&from=2026-03-01&to=2026-04-14&date_field=pay&status=upcoming&symbols=DMOST,ZZZZZ,bist:DMBNK,DMALTF,DMALT&limit=1", `dividends(market: BIST, from: "2026-03-01", to: "2026-04-14", dateField: PAY, status: UPCOMING, symbols: ["DMOST", "ZZZZZ", "bist:DMBNK", "DMALTF", "DMALT"], limit: 1)`},
	{"/v1/dividends", "/v1/dividends?status=paid&date_field=ex&limit=1000", `dividends(status: PAID, dateField: EX, limit: 1000)`},
	{"/v1/dividends", "/v1/dividends?from=2025-03-19&to=2026-03-19", `dividends(from: "2025-03-19", to: "2026-03-19")`},
	{"/v1/dividends", "/v1/dividends?from=1999-01-01&to=1999-01-02", `dividends(from: "1999-01-01", to: "1999-01-02")`},
	{"/v1/periodic/{id}", "/v1/periodic/bist:DMBNK", `periodic(id: "bist:DMBNK")`},
	{"/v1/periodic/{id}", "/v1/periodic/bist:DMBNK?currency=USD", `periodic(id: "bist:DMBNK", currency: USD)`},
	{"/v1/periodic/{id}", "/v1/periodic/bist:DMOST?currency=TRY", `periodic(id: "bist:DMOST", currency: TRY)`},
	{"/v1/periodic/{id}", "/v1/periodic/us:DMAP?currency=TRY", `periodic(id: "us:DMAP", currency: TRY)`},
	{"/v1/periodic/{id}", "/v1/periodic/cmdty:XAU", `periodic(id: "cmdty:XAU")`},
	{"/v1/periodic/{id}", "/v1/periodic/bist:DMALT", `periodic(id: "bist:DMALT")`},
	{"/v1/periodic/{id}", "/v1/periodic/bist:DMNEW?currency=USD", `periodic(id: "bist:DMNEW", currency: USD)`},
	{"/v1/periodic", "/v1/periodic?ids=us:DMAP,bist:DMALT,crypto:1,bist:NOPE,bist:DMALTF,fx:USDTRY,bist:NOPE", `periodicBatch(ids: ["us:DMAP", "bist:DMALT", "crypto:1", "bist:NOPE", "bist:DMALTF", "fx:USDTRY", "bist:NOPE"])`},
	{"/v1/periodic", "/v1/periodic?ids=us:DMAP,bist:DMOST&currency=TRY", `periodicBatch(ids: ["us:DMAP", "bist:DMOST"], currency: TRY)`},
	{"/v1/periodic", "/v1/periodic?ids=index:SPX", `periodicBatch(ids: ["index:SPX"])`},
	{"/v1/indices/{code}/periodic", "/v1/indices/XU100/periodic", `indexPeriodic(code: "XU100")`},
	{"/v1/indices/{code}/periodic", "/v1/indices/xu100/periodic?currency=USD", `indexPeriodic(code: "xu100", currency: USD)`},
	{"/v1/sectors", "/v1/sectors", `sectors`},
	{"/v1/sectors/{code}/constituents", "/v1/sectors/otomotiv/constituents", `sectorConstituents(code: "otomotiv")`},
	{"/v1/sectors/{code}/constituents", "/v1/sectors/otomotiv/constituents?market=us", `sectorConstituents(code: "otomotiv", market: US)`},
	{"/v1/sectors/{code}/constituents", "/v1/sectors/bankacilik/constituents?market=us", `sectorConstituents(code: "bankacilik", market: US)`},
	{"/v1/sectors/{code}/valuation", "/v1/sectors/otomotiv/valuation", `sectorValuation(code: "otomotiv")`},
	{"/v1/sectors/{code}/valuation", "/v1/sectors/otomotiv/valuation?market=us", `sectorValuation(code: "otomotiv", market: US)`},
	{"/v1/sectors/{code}/valuation", "/v1/sectors/bankacilik/valuation?market=us", `sectorValuation(code: "bankacilik", market: US)`},
	{"/v1/sectors/{code}/returns", "/v1/sectors/otomotiv/returns", `sectorReturns(code: "otomotiv")`},
	{"/v1/sectors/{code}/returns", "/v1/sectors/otomotiv/returns?market=us&from=2026-03-01&to=2026-03-05", `sectorReturns(code: "otomotiv", market: US, from: "2026-03-01", to: "2026-03-05")`},
	{"/v1/sectors/{code}/returns", "/v1/sectors/bankacilik/returns", `sectorReturns(code: "bankacilik")`},
	{"/v1/candles/{instrument_id}", "/v1/candles/fx:USDTRY?to=2019-12-31&currency=USD", `candles(id: "fx:USDTRY", to: "2019-12-31", currency: USD)`},
	{"/v1/candles/{instrument_id}", "/v1/candles/bist:DMOST?resolution=5m&to=2026-03-01", `candles(id: "bist:DMOST", resolution: M5, to: "2026-03-01")`},
	{"/v1/candles", "/v1/candles?ids=fx:USDTRY,bist:DMOST&to=2019-12-31", `candlesBatch(ids: ["fx:USDTRY", "bist:DMOST"], to: "2019-12-31")`},
	{"/v1/eod/{instrument_id}", "/v1/eod/bist:DMOST?to=2020-01-01&currency=USD", `eod(id: "bist:DMOST", to: "2020-01-01", currency: USD)`},
	{"/v1/stocks/{id}/valuation/history", "/v1/stocks/bist:DMOST/valuation/history?to=2020-01-01", `valuationHistory(id: "bist:DMOST", to: "2020-01-01")`},
	{"/v1/sectors/{code}/returns", "/v1/sectors/otomotiv/returns?to=2000-01-01", `sectorReturns(code: "otomotiv", to: "2000-01-01")`},
	{"/v1/sectors/{code}/periodic", "/v1/sectors/otomotiv/periodic", `sectorPeriodic(code: "otomotiv")`},
	{"/v1/sectors/{code}/periodic", "/v1/sectors/otomotiv/periodic?market=us&currency=TRY", `sectorPeriodic(code: "otomotiv", market: US, currency: TRY)`},
	{"/v1/calendar", "/v1/calendar", `calendar`},
	{"/v1/calendar", "/v1/calendar?from=2026-03-18&to=2026-04-17&country=us&country=TR&importance=2", `calendar(from: "2026-03-18", to: "2026-04-17", country: ["us", "TR"], importance: 2)`},
	{"/v1/calendar", "/v1/calendar?event_id=10", `calendar(eventId: 10)`},
	{"/v1/calendar", "/v1/calendar?event_id=999999", `calendar(eventId: 999999)`},
	{"/v1/calendar", "/v1/calendar?from=1999-01-01", `calendar(from: "1999-01-01")`},
	{"/v1/calendar", "/v1/calendar?from=9999-12-31", `calendar(from: "9999-12-31")`},
	{"/v1/calendar/events", "/v1/calendar/events", `calendarEvents`},
	{"/v1/calendar/events", "/v1/calendar/events?country=tr&importance=3", `calendarEvents(country: "tr", importance: 3)`},
	{"/v1/calendar/events", "/v1/calendar/events?country=", `calendarEvents(country: "")`},
	{"/v1/calendar/events/{event_id}", "/v1/calendar/events/12", `calendarEvent(eventId: 12)`},
	{"/v1/inflation/yi-ufe", "/v1/inflation/yi-ufe", `producerPriceIndex`},
	{"/v1/inflation/yi-ufe", "/v1/inflation/yi-ufe?limit=2", `producerPriceIndex(limit: 2)`},
	{"/v1/inflation/yi-ufe", "/v1/inflation/yi-ufe?from=2025-11&to=2025-12&limit=1", `producerPriceIndex(from: "2025-11", to: "2025-12", limit: 1)`},
	{"/v1/inflation/yi-ufe", "/v1/inflation/yi-ufe?to=2002-12", `producerPriceIndex(to: "2002-12")`},
	{"/v1/indices", "/v1/indices", `indices`},
	{"/v1/indices/{code}/constituents", "/v1/indices/xu100/constituents", `indexConstituents(code: "xu100")`},
	{"/v1/indices/{code}/constituents", "/v1/indices/XKUCK/constituents", `indexConstituents(code: "XKUCK")`},
	{"/v1/funds/{code}/profile", "/v1/funds/DMF/profile", `fundProfile(code: "DMF")`},
	{"/v1/funds/{code}/profile", "/v1/funds/fund:dmx/profile", `fundProfile(code: "fund:dmx")`},
	{"/v1/funds/ranking", "/v1/funds/ranking", `fundRanking`},
	{"/v1/funds/ranking", "/v1/funds/ranking?period=5y&order=asc&category=Hisse&limit=100", `fundRanking(period: Y5, order: ASC, category: "Hisse", limit: 100)`},
	{"/v1/funds/ranking", "/v1/funds/ranking?period=2w&category=", `fundRanking(period: W2, category: "")`},
	{"/v1/funds/{code}/investor-flows", "/v1/funds/DMF/investor-flows", `fundInvestorFlows(code: "DMF")`},
	{"/v1/funds/{code}/investor-flows", "/v1/funds/fund:DMF/investor-flows?window=1w", `fundInvestorFlows(code: "fund:DMF", window: W1)`},
	{"/v1/funds/{code}/investor-flows", "/v1/funds/DMF/investor-flows?window=range&from=2026-03-14&to=2026-03-17", `fundInvestorFlows(code: "DMF", window: RANGE, from: "2026-03-14", to: "2026-03-17")`},
	{"/v1/funds/{code}/investor-flows", "/v1/funds/DMX/investor-flows?window=2w", `fundInvestorFlows(code: "DMX", window: W2)`},
	{"/v1/funds/holders-of/{id}", "/v1/funds/holders-of/bist:DMOST", `fundHolders(id: "bist:DMOST")`},
	{"/v1/funds/holders-of/{id}", "/v1/funds/holders-of/crypto:1", `fundHolders(id: "crypto:1")`},
	{"/v1/ipo", "/v1/ipo", `ipos`},
	{"/v1/ipo", "/v1/ipo?state=completed&from=2025-12-10&to=2025-12-10", `ipos(state: COMPLETED, from: "2025-12-10", to: "2025-12-10")`},
	{"/v1/ipo", "/v1/ipo?state=all", `ipos(state: ALL)`},
	{"/v1/ipo/{id}", "/v1/ipo/dmipo-2026", `ipo(id: "dmipo-2026")`},
	{"/v1/ipo/{id}", "/v1/ipo/dmipo-old", `ipo(id: "dmipo-old")`},
	{"/v1/kap-feed/disclosures", "/v1/kap-feed/disclosures", `disclosures`},
	{"/v1/kap-feed/disclosures", "/v1/kap-feed/disclosures?symbol=dmosr&type=fr&order=asc&limit=1", `disclosures(symbol: "dmosr", type: FR, order: ASC, limit: 1)`},
	{"/v1/kap-feed/disclosures/{index}", "/v1/kap-feed/disclosures/1505", `disclosure(index: 1505)`},
	{"/v1/kap-feed/disclosures/{index}", "/v1/kap-feed/disclosures/1501", `disclosure(index: 1501)`},
	{"/v1/kap-feed/disclosures/{index}/body", "/v1/kap-feed/disclosures/1501/body", `disclosureBody(index: 1501)`},
	{"/v1/kap-feed/disclosures/{index}/body", "/v1/kap-feed/disclosures/1501/body?format=kap", `disclosureBody(index: 1501, format: KAP)`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMOST", `filings(symbol: "DMOST")`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/bist:dmosr?basis=yiufe_adjusted&unit=thousand&as_of=2025-12&limit=1", `filings(symbol: "bist:dmosr", basis: YIUFE_ADJUSTED, unit: THOUSAND, asOf: "2025-12", limit: 1)`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMOST?basis=tufe_adjusted&consolidation=NC&year=2025&period=Annual", `filings(symbol: "DMOST", basis: TUFE_ADJUSTED, consolidation: NC, year: "2025", period: "Annual")`},
	{"/v1/kap-feed/financials/{symbol}", "/v1/kap-feed/financials/DMSIG", `filings(symbol: "DMSIG")`},
	{"/v1/kap-feed/companies/{symbol}", "/v1/kap-feed/companies/DMOSR", `company(symbol: "DMOSR")`},
	{"/v1/kap", "/v1/kap", `news`},
	{"/v1/kap", "/v1/kap?symbol=DMOSR&from=2026-03-17&to=2026-03-18&limit=1", `news(symbol: "DMOSR", from: "2026-03-17", to: "2026-03-18", limit: 1)`},
	{"/v1/kap/{news_id}", "/v1/kap/n-2", `newsItem(newsId: "n-2")`},
}

// refusals are asked of both sides and must be the same problem.
var refusals = []struct{ path, field string }{
	{"/v1/calendar?country=", `calendar(country: "")`},
	{"/v1/calendar?country=US&country=", `calendar(country: ["US", ""])`},
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
	{"/v1/candles/crypto:1?resolution=2h&from=2025-12-16&to=2026-03-18", `candles(id: "crypto:1", resolution: H2, from: "2025-12-16", to: "2026-03-18")`},
	{"/v1/candles/bist:DMOST?currency=EUR", `candles(id: "bist:DMOST", currency: EUR)`},
	{"/v1/candles/bist:NOPE", `candles(id: "bist:NOPE")`},
	{"/v1/candles?ids=", `candlesBatch(ids: [])`},
	{"/v1/candles?ids=" + strings.Repeat("bist:DMOST,", 20) + "bist:DMOST", `candlesBatch(ids: [` + strings.Repeat(`"bist:DMOST",`, 20) + `"bist:DMOST"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:ONE", `candlesBatch(ids: ["bist:DMOST", "crypto:ONE"])`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&resolution=5m", `candlesBatch(ids: ["bist:DMOST", "crypto:1"], resolution: M5)`},
	{"/v1/candles?ids=bist:DMOST,crypto:1&from=2026-03-02&to=2026-03-01", `candlesBatch(ids: ["bist:DMOST", "crypto:1"], from: "2026-03-02", to: "2026-03-01")`},
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
	{"/v1/stocks/bist:DMOST/indicators?periods=2,3,4,5,6,7,8,9,10,11,12", `indicators(id: "bist:DMOST", periods: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])`},
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
	{"/v1/valuation?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", `valuations(ids: [` + strings.Repeat(`"bist:DMOST",`, 100) + `"bist:DMOST"])`},
	{"/v1/valuation?ids=bist:DMOST&currency=EUR", `valuations(ids: ["bist:DMOST"], currency: EUR)`},
	{"/v1/stocks/bist:DMOST/valuation/history?currency=USD", `valuationHistory(id: "bist:DMOST", currency: USD)`},
	{"/v1/stocks/bist:DMOST/valuation/history?currency=EUR", `valuationHistory(id: "bist:DMOST", currency: EUR)`},
	{"/v1/stocks/bist:DMOST/valuation/history?from=2026-03-02&to=2026-03-01", `valuationHistory(id: "bist:DMOST", from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/stocks/bist:DMALTF/valuation/history", `valuationHistory(id: "bist:DMALTF")`},
	{"/v1/stocks/bist:DMALT/valuation/history", `valuationHistory(id: "bist:DMALT")`},
	{"/v1/stocks/us:DMAP/valuation/history", `valuationHistory(id: "us:DMAP")`},
	{"/v1/stocks/bist:DMALT/dividends", `dividendHistory(id: "bist:DMALT")`},
	{"/v1/stocks/bist:NOPE/dividends", `dividendHistory(id: "bist:NOPE")`},
	{"/v1/stocks/crypto:ONE/dividends", `dividendHistory(id: "crypto:ONE")`},
	{"/v1/dividends?limit=0", `dividends(limit: 0)`},
	{"/v1/dividends?limit=1001", `dividends(limit: 1001)`},
	{"/v1/dividends?symbols=", `dividends(symbols: [])`},
	{"/v1/dividends?symbols=" + strings.Repeat("DMOST,", 100) + "DMOST", `dividends(symbols: [` + strings.Repeat(`"DMOST",`, 100) + `"DMOST"])`},
	{"/v1/dividends?from=2026-03-02&to=2026-03-01", `dividends(from: "2026-03-02", to: "2026-03-01")`},
	{"/v1/dividends?from=2025-01-01&to=2026-01-02", `dividends(from: "2025-01-01", to: "2026-01-02")`},
	{"/v1/dividends?cursor=garbage", `dividends(cursor: "garbage")`},
	{"/v1/periodic/fx:USDTRY", `periodic(id: "fx:USDTRY")`},
	{"/v1/periodic/index:SPX", `periodic(id: "index:SPX")`},
	{"/v1/periodic/crypto:1", `periodic(id: "crypto:1")`},
	{"/v1/periodic/bist:NOPE", `periodic(id: "bist:NOPE")`},
	{"/v1/periodic/bist:DMOST?currency=EUR", `periodic(id: "bist:DMOST", currency: EUR)`},
	{"/v1/periodic?ids=", `periodicBatch(ids: [])`},
	{"/v1/periodic?ids=" + strings.Repeat("bist:DMOST,", 100) + "bist:DMOST", `periodicBatch(ids: [` + strings.Repeat(`"bist:DMOST",`, 100) + `"bist:DMOST"])`},
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
	{"/v1/funds/DMF/investor-flows?window=range&from=2026-03-12&to=2026-03-11", `fundInvestorFlows(code: "DMF", window: RANGE, from: "2026-03-12", to: "2026-03-11")`},
	{"/v1/funds/holders-of/bist:DMALT", `fundHolders(id: "bist:DMALT")`},
	{"/v1/funds/holders-of/bist:NOPE", `fundHolders(id: "bist:NOPE")`},
	{"/v1/funds/holders-of/fund:DMA", `fundHolders(id: "fund:DMA")`},
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

var schema = graph.NewExecutableSchema(graph.Config{}).Schema()

// edges lead from a record to another one; REST bodies do not have them.
var edges = map[string]bool{
	"Instrument.quote": true, "Instrument.candles": true, "Instrument.eod": true, "Instrument.periodic": true, "Instrument.indicators": true,
	"Instrument.valuation": true, "Instrument.valuationHistory": true, "Instrument.financials": true, "Instrument.dividends": true, "Instrument.sectorInfo": true, "Instrument.logo": true,
	"Sector.members": true, "Sector.valuation": true, "Sector.returns": true, "CandleSeries.columns": true, "DisclosureDetail.body": true,
	"Instrument.disclosures": true, "Instrument.company": true, "CompanyProfile.instruments": true, "CompanyProfile.disclosures": true,
	"Disclosure.instruments": true, "Disclosure.company": true, "Disclosure.related": true, "Disclosure.detail": true,
	"DisclosureDetail.instruments": true, "DisclosureDetail.company": true, "DisclosureDetail.related": true,
	"CalendarEvent.items": true, "CalendarItem.event": true, "BistIndex.constituents": true, "BistIndex.periodic": true, "Instrument.indices": true, "Instrument.holders": true,
}

// selection is everything the schema has under a type, but its edges.
func selection(typeName string) string {
	def := schema.Types[typeName]
	if def.IsLeafType() {
		return ""
	}
	var fields []string
	for _, f := range def.Fields {
		if f.Name == "instrument" || edges[typeName+"."+f.Name] || strings.HasPrefix(f.Name, "__") {
			continue
		}
		fields = append(fields, f.Name+selection(f.Type.Name()))
	}
	return " { " + strings.Join(fields, " ") + " }"
}

func rootField(field string) *ast.FieldDefinition {
	name, _, _ := strings.Cut(field, "(")
	return schema.Query.Fields.ForName(name)
}

// turned is an enum member that REST begins with a digit.
var turned = regexp.MustCompile(`^([A-Z])([0-9]+)$`)

// toREST respells a GraphQL value of a type as REST writes it. Rows of a
// converted series state their rate even when it is unknown.
func toREST(t *ast.Type, v any, converted bool) any {
	if t.Name() == "JSON" {
		return v
	}
	switch v := v.(type) {
	case []any:
		if t.Name() == "MarketSize" { // lists keyed by data are objects in REST
			keyed := map[string]any{}
			for _, e := range v {
				row := e.(map[string]any)
				keyed[strings.ToLower(row["market"].(string))] = row["size"]
			}
			return keyed
		}
		if t.Name() == "NamedValue" || t.Name() == "StatementItem" { // and so are these
			return keyed(v)
		}
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = toREST(t.Elem, e, converted)
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for _, f := range schema.Types[t.Name()].Fields {
			value, asked := v[f.Name]
			switch {
			case !asked || (value == nil && strings.HasPrefix(f.Name, "fx") && !converted && t.Name() != "Valuation"), value == nil && (t.Name() == "DisclosureBody" || strings.HasPrefix(t.Name(), "Ipo") && f.Name == "note"): // REST leaves these out
			case f.Name == "availableFrom" && value == nil: // and this
			case t.Name() == "Periodic" && (f.Name == "kind" || value == nil && slices.Contains([]string{"instrumentId", "code", "assetType"}, f.Name)): // and these
			case t.Name() == "DividendHistory" && f.Name == "dividends":
				rows := toREST(f.Type, value, converted).([]any)
				for _, row := range rows {
					delete(row.(map[string]any), "instrument_id") // told once
				}
				out["dividends"] = rows
			case f.Name == "asOfMonth":
				out["as_of"] = value
			case f.Type.Name() == "NotFound":
				ids, reasons := []any{}, map[string]any{}
				for _, e := range value.([]any) {
					row := e.(map[string]any)
					ids = append(ids, row["id"])
					reasons[row["id"].(string)] = row["reason"]
				}
				out["not_found"], out["not_found_reasons"] = ids, reasons
			default:
				out[snake(f.Name)] = toREST(f.Type, value, converted)
			}
		}
		return out
	case string:
		if schema.Types[t.Name()].Kind == ast.Enum {
			if strings.HasPrefix(t.Name(), "Disclosure") || v == "CS" || v == "NC" { // the platform's own words
				return v
			}
			return strings.ToLower(turned.ReplaceAllString(v, "$2$1"))
		}
	}
	return v
}

// keyed are named values, or items with a code, as an object.
func keyed(list []any) map[string]any {
	out := map[string]any{}
	for _, e := range list {
		row := e.(map[string]any)
		if name, ok := row["name"].(string); ok {
			out[name] = row["value"]
			continue
		}
		out[row["code"].(string)] = map[string]any{"value": row["value"], "label_tr": row["labelTr"]}
	}
	return out
}

func snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func TestParity(t *testing.T) {
	a := newAPI(t)
	for _, twin := range twins {
		t.Run(twin.path, func(t *testing.T) {
			over := a.get(twin.path, all)
			if over.StatusCode != 200 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.text)
			}
			def := rootField(twin.field)
			asked := a.query("{ it: "+twin.field+selection(def.Type.Name())+" }", all)
			if asked.body["errors"] != nil {
				t.Fatalf("GraphQL: %s", asked.text)
			}
			series := []string{"CandleSeries", "CandlesBatch", "EodSeries"}
			got := toREST(def.Type, asked.body["data"].(map[string]any)["it"], slices.Contains(series, def.Type.Name()) && strings.Contains(twin.path, "currency=USD"))
			if !reflect.DeepEqual(got, map[string]any(over.body)) {
				g, _ := json.Marshal(got)
				t.Errorf("GraphQL %s\nREST    %s", g, over.text)
			}
			if rest, gql := over.Header.Get("X-Usage-Units"), asked.body["extensions"].(map[string]any)["usage_units"]; rest != gql.(json.Number).String() {
				t.Errorf("cost: REST %s, GraphQL %s", rest, gql)
			}
		})
	}
}

func TestParityOfProblems(t *testing.T) {
	a := newAPI(t)
	for _, twin := range refusals {
		t.Run(twin.path, func(t *testing.T) {
			over := a.get(twin.path, all)
			if over.StatusCode < 400 {
				t.Fatalf("REST: %d %s", over.StatusCode, over.text)
			}
			asked := a.query("{ it: "+twin.field+selection(rootField(twin.field).Type.Name())+" }", all)
			errs, _ := asked.body["errors"].([]any)
			if asked.StatusCode != 200 || len(errs) != 1 || asked.body["data"].(map[string]any)["it"] != nil {
				t.Fatalf("GraphQL: %d %s", asked.StatusCode, asked.text)
			}
			problem := errs[0].(map[string]any)["extensions"].(map[string]any)["problem"].(map[string]any)
			for _, name := range []string{"instance", "request_id"} {
				delete(problem, name)
				delete(over.body, name)
			}
			if !reflect.DeepEqual(problem, over.body) {
				t.Errorf("GraphQL %v\nREST    %v", problem, over.body)
			}
		})
	}
}

func TestEveryRouteHasATwin(t *testing.T) {
	for _, route := range rest.Routes(&resolvers.Root{}) {
		if route.Media[0] == rest.PNG { // TestLogoTwins
			continue
		}
		i := slices.IndexFunc(twins, func(tw struct{ pattern, path, field string }) bool { return tw.pattern == route.Pattern })
		if i < 0 {
			t.Errorf("%s has no row in twins", route.Pattern)
			continue
		}
		if name, _, _ := strings.Cut(twins[i].field, "("); name != route.Counterpart {
			t.Errorf("%s says its twin is %s; the test asks %s", route.Pattern, route.Counterpart, name)
		}
	}
}
