// Package rest is the compatibility API under /v1: a table of routes, each one
// call on the resolver of its GraphQL twin, so a schema change that breaks a
// route does not compile. Routes decode parameters and return bodies; the
// server around them authenticates, limits, meters and writes.
package rest

import (
	"context"
	"net/http"
	"reflect"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/graph"
)

// Route is one row of the table that serves REST and describes it.
type Route struct {
	Pattern string // path as net/http matches it
	Legacy  string // an older path of the same route, deprecated; empty: none
	Twin    string // root field of GraphQL that gives the same values
	Summary string
	Scope   string   // in words, for people; the service behind Answer enforces it
	Media   []string // media types that it answers in, the usual one first
	params  reflect.Type
	body    reflect.Type
	// Answer runs the route. The request carries an access.Call; accepted is the
	// one of Media that its header asks for.
	Answer func(r *http.Request, accepted string) (*Answer, error)
}

// Answer is what a route says.
type Answer struct {
	Media   string
	Body    any      // []byte is spelled already; anything else is encoded as JSON
	Missing []string // ids without an answer that the body does not name
}

const anyKey = "any key"

type instrumentID struct {
	ID string `path:"instrument_id" description:"An id in any accepted spelling, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type catalogID struct {
	ID string `path:"id" description:"An id in any accepted spelling, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type parsedID struct {
	ID string `path:"id" description:"An id: canonical, in another case, or a coin's ticker. ETF aliases do not resolve here."`
}

type currency struct {
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"Convert prices and amounts into this currency."`
}

type quoteParams struct {
	instrumentID
	currency
}

type candlesParams struct {
	instrumentID
	Resolution *market.Resolution `query:"resolution" enum:"5m,2h,1d" description:"Length of the bars; 1d without it."`
	days
	currency
	tableParams
}

type candlesBatchParams struct {
	IDs        []string           `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 instrument ids, separated by commas."`
	Resolution *market.Resolution `query:"resolution" enum:"5m,2h,1d" description:"Length of the bars; 1d without it."`
	days
	currency
	tableParams
}

type eodParams struct {
	instrumentID
	days
	currency
	tableParams
}

type days struct {
	From *market.Date `query:"from" description:"First day, in the market's own calendar; without it the last 365 days of daily bars, the last 7 of shorter ones."`
	To   *market.Date `query:"to" description:"Last day; without it today."`
}

type quotesParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
}

type instrumentsParams struct {
	Market    *market.Market `query:"market" enum:"bist,crypto,fx,index,cmdty,us,fund" description:"Only this market."`
	AssetType *string        `query:"asset_type" description:"Only this asset type, ignoring case: STOCK, ETF, CRYPTO, FX, INDEX, COMMODITY or FUND."`
	Search    *string        `query:"search" description:"Only records with this text in symbol, ticker, name or slug; case and Turkish letters do not matter."`
	Limit     *int           `query:"limit" description:"Rows to return."`
}

func (instrumentsParams) limit() market.Limit { return market.InstrumentLimit }

type moversParams struct {
	Limit *int `query:"limit" description:"Rows of each list."`
	currency
}

func (moversParams) limit() market.Limit { return market.MoverLimit }

type stockID struct {
	ID string `path:"id" description:"An id of bist, such as bist:DMOST."`
}

type companyID struct {
	ID string `path:"id" description:"An id of bist or us, such as bist:DMOST or us:AAPL; ETF aliases do not resolve here."`
}

type indicatorsParams struct {
	stockID
	Indicators []analytics.Indicator `query:"indicators" collectionFormat:"csv" description:"Which, separated by commas, of rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch; without it rsi,macd,bbands,sma,ema."`
	Periods    []int                 `query:"periods" collectionFormat:"csv" description:"Bars of sma and ema: 1 to 10 numbers from 2 to 400, separated by commas; without it 20,50,200."`
	Resolution *market.Resolution    `query:"resolution" enum:"5m,1d" description:"Length of the bars; 1d without it."`
}

type financialsParams struct {
	companyID
	Timeframe *fundamentals.Timeframe      `query:"timeframe" enum:"annual,quarterly,quarterly_standalone,ttm" description:"Which periods; annual without it. us ids have annual and quarterly."`
	Currency  *market.Currency             `query:"currency" enum:"TRY,USD" description:"TRY without it; statements in dollars are a series of their own. us ids have USD."`
	Basis     *fundamentals.StatementBasis `query:"basis" enum:"current,as_reported" description:"Which filing of a period: the latest restated form without it, or the first. Not for us ids."`
	Limit     *int                         `query:"limit" description:"Periods, newest first."`
}

func (financialsParams) limit() market.Limit { return fundamentals.FinancialsLimit }

type valuationParams struct {
	companyID
	currency
}

type valuationsParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 ids of bist, separated by commas; ETF aliases do not resolve here."`
	currency
}

type valuationHistoryParams struct {
	companyID
	From     *market.Date     `query:"from" description:"First day; without it the last 90 days. The history begins on 2025-09-20."`
	To       *market.Date     `query:"to" description:"Last day; without it today."`
	Currency *market.Currency `query:"currency" enum:"TRY" description:"TRY only."`
}

type dividendsParams struct {
	Market    *market.EquityMarket            `query:"market" enum:"bist,us" description:"Market of the shares; bist without it."`
	From      *market.Date                    `query:"from" description:"First day of the chosen date; without it 30 days ago. A window has at most 366 days."`
	To        *market.Date                    `query:"to" description:"Last day; without it 90 days ahead."`
	DateField *fundamentals.DividendDateField `query:"date_field" enum:"ex,pay" description:"The date that is windowed and sorted; ex without it."`
	Status    *fundamentals.DividendStatus    `query:"status" enum:"upcoming,paid" description:"Only these, judged on the market's local day."`
	Symbols   []string                        `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 symbols or canonical ids of the market, separated by commas."`
	Cursor    *string                         `query:"cursor" description:"next_cursor of the page before, with the same other parameters."`
	Limit     *int                            `query:"limit" description:"Rows of a page."`
}

func (dividendsParams) limit() market.Limit { return fundamentals.DividendLimit }
func (dividendsParams) strict()             {}

type periodicParams struct {
	catalogID
	currency
}

type periodicBatchParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
}

type indexCode struct {
	Code string `path:"code" description:"Code of an index of the Istanbul exchange, such as XU100, in any letter case."`
}

type indexPeriodicParams struct {
	indexCode
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"Has no effect: levels are points."`
}

type sectorCode struct {
	Code string `path:"code" description:"Code of a sector, as the list of sectors has it."`
}

type sectorParams struct {
	sectorCode
	Market *market.EquityMarket `query:"market" enum:"bist,us" description:"Market of the members; bist without it."`
}

type sectorReturnsParams struct {
	sectorParams
	From *market.Date `query:"from" description:"First day; without it the last 365 days."`
	To   *market.Date `query:"to" description:"Last day; without it today."`
}

type sectorPeriodicParams struct {
	sectorParams
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"Has no effect: levels are points."`
}

type disclosuresParams struct {
	Symbol    *string           `query:"symbol" description:"A code, bare or behind bist: or fund:; every code of a company reads all its disclosures."`
	Symbols   []string          `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 codes, separated by commas; not together with symbol."`
	CompanyID *string           `query:"companyId" description:"The platform's id of the filer."`
	Type      *kap.Type         `query:"type" enum:"FR,ODA,DG,DUY,CA,FON" description:"Only this kind."`
	Class     *string           `query:"class" description:"Only this class, as published."`
	Reason    *kap.Reason       `query:"reason" enum:"NEW,UPD,CORR,CANC" description:"Only this reason."`
	From      *kap.Bound        `query:"from" description:"Published at or after this: a date (the whole Turkey-time day), or a date and time (with an offset, or in Turkey time)."`
	To        *kap.Bound        `query:"to" description:"Published at or before this."`
	Order     *market.SortOrder `query:"order" enum:"desc,asc" description:"By publication time, newest first without it."`
	Cursor    *string           `query:"cursor" description:"next_cursor of the page before, with the same filters and order."`
	Limit     *int              `query:"limit" description:"Rows of a page."`
}

func (disclosuresParams) limit() market.Limit { return kap.ListLimit }

type disclosureIndex struct {
	Index int `path:"index" description:"The platform's number."`
}

type bodyParams struct {
	disclosureIndex
	Format *kap.BodyFormat `query:"format" enum:"fields,kap,html" description:"How to read it; fields without it."`
}

type companyCode struct {
	Symbol string `path:"symbol" description:"A code the company files under, bare or behind bist:."`
}

type filingsParams struct {
	companyCode
	Basis         *kap.FilingBasis   `query:"basis" enum:"as_reported,tufe_adjusted,yiufe_adjusted" description:"The money that amounts in lira are stated in: as filed without it, else of a target month, by consumer or producer prices."`
	Unit          *kap.FilingUnit    `query:"unit" enum:"one,thousand,million" description:"What amounts are counted in; figures per share and counts never scale."`
	AsOf          *market.Month      `query:"as_of" description:"Target month of an adjusted basis (YYYY-MM), the last of a quarter; without it the latest one with a published index."`
	Consolidation *kap.Consolidation `query:"consolidation" enum:"consolidated,solo,CS,NC" description:"Whose statements: of the group, or of the company alone where only that was filed; solo is the reverse; CS and NC give only that kind."`
	Year          *string            `query:"year" description:"Only this fiscal year, as filed."`
	Period        *string            `query:"period" description:"Only this label of a period, as filed."`
	Cursor        *string            `query:"cursor" description:"next_cursor of the page before, with the same other parameters."`
	Limit         *int               `query:"limit" description:"Filings of a page."`
}

func (filingsParams) limit() market.Limit { return kap.FilingLimit }

type newsParams struct {
	Symbol *string      `query:"symbol" description:"A code, bare or behind bist:; every code of a company finds all its news."`
	From   *market.Date `query:"from" description:"First day of publication, in Turkey time."`
	To     *market.Date `query:"to" description:"Last day."`
	Cursor *string      `query:"cursor" description:"next_cursor of the page before, with the same filters."`
	Limit  *int         `query:"limit" description:"Rows of a page."`
}

func (newsParams) limit() market.Limit { return news.Limit }

type newsID struct {
	NewsID string `path:"news_id" description:"Id of a piece of news."`
}

// Routes is the table over the resolvers.
func Routes(root graph.ResolverRoot) []Route {
	q := root.Query()
	return []Route{
		get("/v1/quotes/{instrument_id}", "quote", "The latest quote of one instrument", "the quotes scope of the id's market",
			func(ctx context.Context, p quoteParams) (*market.Quote, error) { return q.Quote(ctx, p.ID, p.Currency) }),
		get("/v1/quotes", "quotes", "The latest quotes of up to 100 instruments", "the quotes scope of every id's market",
			func(ctx context.Context, p quotesParams) (*quoteBatch, error) {
				return viewOf(quoteBatchView)(q.Quotes(ctx, p.IDs, p.Currency))
			}),
		get("/v1/candles/{instrument_id}", "candles", "Bars of one instrument, each converted at the rate of its own time", string(access.History),
			func(ctx context.Context, p candlesParams) (*candleSeries, error) {
				return viewOf(candleSeriesView)(q.Candles(ctx, p.ID, p.Resolution, p.From, p.To, p.Currency))
			}),
		get("/v1/candles", "candlesBatch", "Bars of up to 20 instruments, one unit for each; an addition to the compatible API", string(access.History),
			func(ctx context.Context, p candlesBatchParams) (*candlesBatch, error) {
				return viewOf(candlesBatchView)(q.CandlesBatch(ctx, p.IDs, p.Resolution, p.From, p.To, p.Currency))
			}),
		get("/v1/eod/{instrument_id}", "eod", "Daily records of one instrument", string(access.History),
			func(ctx context.Context, p eodParams) (*eodSeries, error) {
				return viewOf(eodSeriesView)(q.Eod(ctx, p.ID, p.From, p.To, p.Currency))
			}),
		get("/v1/instruments", "instruments", "The catalog", anyKey,
			func(ctx context.Context, p instrumentsParams) (*instrumentList, error) {
				return viewOf(instrumentListView)(q.Instruments(ctx, p.Market, p.AssetType, p.Search, p.Limit))
			}),
		get("/v1/instruments/{id}", "instrument", "One catalog record", anyKey,
			func(ctx context.Context, p catalogID) (*market.Instrument, error) { return q.Instrument(ctx, p.ID) }),
		get("/v1/instruments/{id}/parse", "parseInstrument", "Which record an id denotes", anyKey,
			func(ctx context.Context, p parsedID) (*market.ParsedID, error) { return q.ParseInstrument(ctx, p.ID) }),
		get("/v1/markets/bist/status", "marketStatus", "Whether the Istanbul exchange trades now", anyKey,
			func(ctx context.Context, _ struct{}) (*market.MarketStatus, error) { return q.MarketStatus(ctx) }),
		get("/v1/markets/bist/movers", "movers", "Gainers, losers and most traded of the Istanbul exchange", string(access.QuotesBIST),
			func(ctx context.Context, p moversParams) (*market.Movers, error) {
				return q.Movers(ctx, p.Limit, p.Currency)
			}),
		get("/v1/stocks/{id}/indicators", "indicators", "Technical indicators of a stock or ETF", string(access.History),
			func(ctx context.Context, p indicatorsParams) (*analytics.IndicatorSet, error) {
				return q.Indicators(ctx, p.ID, p.Indicators, p.Periods, p.Resolution)
			}),
		get("/v1/stocks/{id}/financials", "financials", "Financial statements of a company, newest period first", string(access.History),
			func(ctx context.Context, p financialsParams) (*financials, error) {
				return viewOf(financialsView)(q.Financials(ctx, p.ID, p.Timeframe, p.Currency, p.Basis, p.Limit))
			}),
		get("/v1/stocks/{id}/valuation", "valuation", "What a company is worth by its market cap and newest statements", string(access.History),
			func(ctx context.Context, p valuationParams) (*valuation, error) {
				return viewOf(valuationView)(q.Valuation(ctx, p.ID, p.Currency))
			}),
		get("/v1/valuation", "valuations", "Valuations of up to 100 companies, one unit for each id", string(access.History),
			func(ctx context.Context, p valuationsParams) (*valuationBatch, error) {
				return viewOf(valuationBatchView)(q.Valuations(ctx, p.IDs, p.Currency))
			}),
		get("/v1/stocks/{id}/valuation/history", "valuationHistory", "Market cap and P/E of a stock day by day", string(access.History),
			func(ctx context.Context, p valuationHistoryParams) (*fundamentals.ValuationHistory, error) {
				return q.ValuationHistory(ctx, p.ID, p.From, p.To, p.Currency)
			}),
		get("/v1/stocks/{id}/dividends", "dividendHistory", "Every known dividend of a share; not for test keys", string(access.History),
			func(ctx context.Context, p companyID) (*dividendHistory, error) {
				return viewOf(dividendHistoryView)(q.DividendHistory(ctx, p.ID))
			}),
		get("/v1/dividends", "dividends", "Dividends of a market, one unit for each started 100 rows; knows no other parameters", string(access.History),
			func(ctx context.Context, p dividendsParams) (*fundamentals.DividendPage, error) {
				return q.Dividends(ctx, p.Market, p.From, p.To, p.DateField, p.Status, p.Symbols, p.Cursor, p.Limit)
			}),
		get("/v1/periodic/{id}", "periodic", "Windows from 1w to 1y of an instrument", string(access.History),
			func(ctx context.Context, p periodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.Periodic(ctx, p.ID, p.Currency))
			}),
		get("/v1/periodic", "periodicBatch", "Windows of up to 100 instruments", string(access.History),
			func(ctx context.Context, p periodicBatchParams) (*periodicBatch, error) {
				return viewOf(periodicBatchView)(q.PeriodicBatch(ctx, p.IDs, p.Currency))
			}),
		get("/v1/indices/{code}/periodic", "indexPeriodic", "Windows of an index of the Istanbul exchange", string(access.History),
			func(ctx context.Context, p indexPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.IndexPeriodic(ctx, p.Code, p.Currency))
			}),
		get("/v1/sectors", "sectors", "The sectors", anyKey,
			func(ctx context.Context, _ struct{}) (*market.SectorList, error) { return q.Sectors(ctx) }),
		get("/v1/sectors/{code}/constituents", "sectorConstituents", "Members of a sector in a market", "the quotes scope of the market",
			func(ctx context.Context, p sectorParams) (*market.SectorConstituents, error) {
				return q.SectorConstituents(ctx, p.Code, p.Market)
			}),
		get("/v1/sectors/{code}/valuation", "sectorValuation", "Median P/E and P/B of a sector's members", string(access.History),
			func(ctx context.Context, p sectorParams) (*analytics.SectorValuation, error) {
				return q.SectorValuation(ctx, p.Code, p.Market)
			}),
		get("/v1/sectors/{code}/returns", "sectorReturns", "Equal-weighted return series of a sector, base 100", string(access.History),
			func(ctx context.Context, p sectorReturnsParams) (*analytics.SectorReturns, error) {
				return q.SectorReturns(ctx, p.Code, p.Market, p.From, p.To)
			}),
		get("/v1/sectors/{code}/periodic", "sectorPeriodic", "Windows of a sector's return series", string(access.History),
			func(ctx context.Context, p sectorPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.SectorPeriodic(ctx, p.Code, p.Market, p.Currency))
			}),
		get("/v1/kap-feed/disclosures", "disclosures", "Official disclosures by publication time", string(access.KAP),
			func(ctx context.Context, p disclosuresParams) (*kap.Page, error) {
				return q.Disclosures(ctx, p.Symbol, p.Symbols, p.CompanyID, p.Type, p.Class, p.Reason, p.From, p.To, p.Order, p.Cursor, p.Limit)
			}).formerly("/v1/kap/disclosures"),
		get("/v1/kap-feed/disclosures/{index}", "disclosure", "One disclosure with its documents and facts", string(access.KAP),
			func(ctx context.Context, p disclosureIndex) (*kap.Detail, error) { return q.Disclosure(ctx, p.Index) }).formerly("/v1/kap/disclosures/{index}"),
		get("/v1/kap-feed/disclosures/{index}/body", "disclosureBody", "What a disclosure says", string(access.KAP),
			func(ctx context.Context, p bodyParams) (*body, error) {
				return viewOf(bodyView)(q.DisclosureBody(ctx, p.Index, p.Format))
			}),
		get("/v1/kap-feed/financials/{symbol}", "filings", "Financial statements of a company from its filings, newest period first", string(access.KAP),
			func(ctx context.Context, p filingsParams) (*kap.FilingPage, error) {
				return q.Filings(ctx, p.Symbol, p.Basis, p.Unit, p.AsOf, p.Consolidation, p.Year, p.Period, p.Cursor, p.Limit)
			}).formerly("/v1/kap/financials/{symbol}"),
		get("/v1/kap-feed/companies/{symbol}", "company", "Profile of a company that files disclosures", string(access.KAP),
			func(ctx context.Context, p companyCode) (*kap.CompanyProfile, error) { return q.Company(ctx, p.Symbol) }).formerly("/v1/kap/companies/{symbol}"),
		get("/v1/kap", "news", "News by publication time, newest first", string(access.News),
			func(ctx context.Context, p newsParams) (*news.Page, error) {
				return q.News(ctx, p.Symbol, p.From, p.To, p.Cursor, p.Limit)
			}),
		get("/v1/kap/{news_id}", "newsItem", "One piece of news", string(access.News),
			func(ctx context.Context, p newsID) (*news.Item, error) { return q.NewsItem(ctx, p.NewsID) }),
	}
}

// formerly gives a route its older path.
func (r Route) formerly(legacy string) Route {
	r.Legacy = legacy
	return r
}

// get is a route that reads parameters P and answers with body B. A mistake in
// the parameters travels with the call, so that the operation reports it after
// the scope.
func get[P, B any](pattern, twin, summary, scope string, call func(context.Context, P) (*B, error)) Route {
	read, media := decoderOf(reflect.TypeFor[P]()), []string{JSON}
	if reflect.TypeFor[*B]().Implements(reflect.TypeFor[table]()) {
		media = append(media, CSV)
	}
	return Route{
		Pattern: pattern, Twin: twin, Summary: summary, Scope: scope, Media: media,
		params: reflect.TypeFor[P](), body: reflect.TypeFor[B](),
		Answer: func(r *http.Request, accepted string) (*Answer, error) {
			var params P
			if err := read(r, reflect.ValueOf(&params).Elem()); err != nil {
				access.CallOf(r.Context()).Mistaken(err)
			}
			body, err := call(r.Context(), params)
			if err != nil {
				return nil, err
			}
			if t, ok := any(body).(table); ok {
				return answerOf(t, any(params).(interface{ media(string) string }).media(accepted)), nil
			}
			return &Answer{Media: JSON, Body: body}, nil
		},
	}
}
