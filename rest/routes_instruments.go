package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/problem"
	"piyasa/value"
)

type instrumentID struct {
	ID string `path:"instrument_id" description:"An id in any accepted form, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type catalogID struct {
	ID string `path:"id" description:"An id in any accepted form, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type parsedID struct {
	ID string `path:"id" description:"An id in any letter case, or with a coin's ticker; ETF aliases are not accepted."`
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
	Resolution *market.Resolution `query:"resolution" enum:"5m,2h,1d" description:"Length of a bar. Default: 1d."`
	days
	currency
	tableParams
}

type candlesBatchParams struct {
	IDs        []string           `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 instrument ids, separated by commas."`
	Resolution *market.Resolution `query:"resolution" enum:"5m,2h,1d" description:"Length of a bar. Default: 1d."`
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
	From *value.Date `query:"from" description:"First day, in the market's calendar. Default: 365 days of daily bars or 7 of shorter ones, ending at to."`
	To   *value.Date `query:"to" description:"Last day. Default: today."`
}

type quotesParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
}

type instrumentsParams struct {
	Market    *market.Market `query:"market" enum:"bist,crypto,fx,index,cmdty,us,fund" description:"Only this market."`
	AssetType *string        `query:"asset_type" description:"Only this asset type: STOCK, ETF, CRYPTO, FX, INDEX, COMMODITY or FUND; letter case does not matter."`
	Search    *string        `query:"search" description:"Only instruments with this text in symbol, ticker, name or slug; letter case and Turkish letters do not matter."`
	Limit     *int           `query:"limit" description:"Maximum number of rows."`
}

func (instrumentsParams) limit() value.Limit { return market.InstrumentLimit }

type moversParams struct {
	Limit *int `query:"limit" description:"Rows per list."`
	currency
}

func (moversParams) limit() value.Limit { return market.MoverLimit }

// instrumentRoutes are the routes of instruments and their prices.
func instrumentRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/quotes/{instrument_id}", "quote", "The latest quote of one instrument", "the quotes scope of the id's market",
			func(ctx context.Context, p quoteParams) (*market.Quote, error) { return q.Quote(ctx, p.ID, p.Currency) }).failing(problem.AmbiguousTicker),
		get("/v1/quotes", "quotes", "The latest quotes of up to 100 instruments", "the quotes scope of every id's market",
			func(ctx context.Context, p quotesParams) (*quoteBatch, error) {
				return viewOf(quoteBatchView)(q.Quotes(ctx, p.IDs, p.Currency))
			}).failing(problem.AmbiguousTicker),
		get("/v1/candles/{instrument_id}", "candles", "Bars of one instrument, each converted at the rate of its own time", string(access.History),
			func(ctx context.Context, p candlesParams) (*candleSeries, error) {
				return viewOf(candleSeriesView)(q.Candles(ctx, p.ID, p.Resolution, p.From, p.To, p.Currency))
			}).failing(problem.AmbiguousTicker, problem.WindowTooLong),
		get("/v1/candles", "candlesBatch", "Bars of up to 20 instruments; costs one request unit each; an addition to the compatible API", string(access.History),
			func(ctx context.Context, p candlesBatchParams) (*candlesBatch, error) {
				return viewOf(candlesBatchView)(q.CandlesBatch(ctx, p.IDs, p.Resolution, p.From, p.To, p.Currency))
			}).failing(problem.AmbiguousTicker, problem.WindowTooLong),
		get("/v1/eod/{instrument_id}", "eod", "Daily records of one instrument", string(access.History),
			func(ctx context.Context, p eodParams) (*eodSeries, error) {
				return viewOf(eodSeriesView)(q.Eod(ctx, p.ID, p.From, p.To, p.Currency))
			}).failing(problem.AmbiguousTicker),
		get("/v1/instruments", "instruments", "The catalog", anyKey,
			func(ctx context.Context, p instrumentsParams) (*instrumentList, error) {
				return viewOf(instrumentListView)(q.Instruments(ctx, p.Market, p.AssetType, p.Search, p.Limit))
			}),
		get("/v1/instruments/{id}", "instrument", "One instrument of the catalog", anyKey,
			func(ctx context.Context, p catalogID) (*market.Instrument, error) { return q.Instrument(ctx, p.ID) }).failing(problem.AmbiguousTicker),
		get("/v1/instruments/{id}/parse", "parseInstrument", "The instrument that an id means", anyKey,
			func(ctx context.Context, p parsedID) (*market.ParsedID, error) { return q.ParseInstrument(ctx, p.ID) }).failing(problem.AmbiguousTicker),
		get("/v1/markets/bist/status", "marketStatus", "State of the Istanbul exchange: open, closed or holiday", anyKey,
			func(ctx context.Context, _ struct{}) (*market.MarketStatus, error) { return q.MarketStatus(ctx) }),
		get("/v1/markets/bist/movers", "movers", "Gainers, losers and most traded instruments of the Istanbul exchange", string(access.QuotesBIST),
			func(ctx context.Context, p moversParams) (*market.Movers, error) {
				return q.Movers(ctx, p.Limit, p.Currency)
			}),
		logo(q.Logo),
	}
}
