package rest

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type instrumentParams struct {
	catalogID
	knownAt
	tableParams
}

type catalogID struct {
	ID string `path:"id" description:"An id in any accepted form, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type parsedID struct {
	ID string `path:"id" description:"An id in any letter case, or with a coin's ticker, or an ISIN; ETF aliases are not accepted."`
}

type instrumentsParams struct {
	Market    *market.Market `query:"market" description:"Only this market."`
	AssetType *string        `query:"asset_type" description:"Only this asset type: STOCK, ETF, CRYPTO, FX, INDEX, COMMODITY or FUND; letter case does not matter."`
	Search    *string        `query:"search" description:"Only instruments with this text in symbol, ticker, name, slug or ISIN; letter case and Turkish letters do not matter."`
	Limit     *int           `query:"limit" description:"Maximum number of rows."`
	Ranked    *bool          `query:"ranked" description:"true: search is what people type, and the closest come first: words in any order and either language, usd/try, dolar, gold, THYAO.IS, sp500. Default: false."`
	knownAt
	tableParams
}

func (instrumentsParams) limit() value.Limit { return market.InstrumentLimit }

// instrumentRoutes returns the routes of the catalog.
func instrumentRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p instrumentsParams) int {
			return costs.Query.Instruments(below, p.Market, p.AssetType, p.Search, p.Limit, p.KnownAt, p.Ranked)
		}, asTable(func(l *instrumentList) []*market.Instrument { return l.Instruments },
			get("/v1/instruments", "instruments", "The catalog", anyKey,
				func(ctx context.Context, p instrumentsParams) (*instrumentList, error) {
					return viewOf(instrumentListView)(q.Instruments(ctx, p.Market, p.AssetType, p.Search, p.Limit, p.KnownAt, p.Ranked))
				}))),
		costing(func(costs *graph.ComplexityRoot, below int, p instrumentParams) int {
			return costs.Query.Instrument(below, p.ID, p.KnownAt)
		}, asTable(itself[market.Instrument], get("/v1/instruments/{id}", "instrument", "One instrument of the catalog", anyKey,
			func(ctx context.Context, p instrumentParams) (*market.Instrument, error) {
				return q.Instrument(ctx, p.ID, p.KnownAt)
			}).failing(problem.AmbiguousTicker))),
		get("/v1/instruments/{id}/parse", "parseInstrument", "The instrument that an id means", anyKey,
			func(ctx context.Context, p parsedID) (*market.ParsedID, error) {
				return q.ParseInstrument(ctx, p.ID)
			}).failing(problem.AmbiguousTicker),
	}
}

// instrumentList is the list of instruments, with its sizes keyed by market.
type instrumentList struct {
	Instruments []*market.Instrument  `json:"instruments"`
	Count       int                   `json:"count"`
	MarketSizes map[market.Market]int `json:"market_sizes"`

	MissingReason *value.MissingReason `json:"-"`
}

func instrumentListView(l *market.InstrumentList) *instrumentList {
	view := &instrumentList{l.Instruments, l.Count, make(map[market.Market]int, len(l.MarketSizes)), l.MissingReason}
	for _, s := range l.MarketSizes {
		view.MarketSizes[s.Market] = s.Size
	}
	return view
}
