package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/value"
)

func (q query) Quote(ctx context.Context, id string, currency *market.Currency) (*market.Quote, error) {
	return q.Market.Quote(ctx, id, currency)
}

func (q query) Quotes(ctx context.Context, ids []string, currency *market.Currency) (*market.QuoteBatch, error) {
	return q.Market.Quotes(ctx, ids, currency)
}

func (q query) Watchlist(ctx context.Context, ids []string) ([]*market.Instrument, error) {
	return q.Market.Watchlist(ctx, ids)
}

func (q query) Candles(ctx context.Context, id string, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) (*market.CandleSeries, error) {
	return q.Market.Candles(ctx, id, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (q query) CandlesBatch(ctx context.Context, ids []string, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) (*market.CandlesBatch, error) {
	return q.Market.CandlesBatch(ctx, ids, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (q query) Eod(ctx context.Context, id string, from, to *value.Date, currency *market.Currency) (*market.EodSeries, error) {
	return q.Market.Eod(ctx, id, market.SeriesArgs{From: from, To: to, Currency: currency})
}

func (q query) Instruments(ctx context.Context, m *market.Market, assetType, search *string, limit *int) (*market.InstrumentList, error) {
	return q.Market.Instruments(ctx, market.InstrumentFilter{Market: m, AssetType: assetType, Search: search}, limit)
}

func (q query) Instrument(ctx context.Context, id string) (*market.Instrument, error) {
	return q.Market.Instrument(ctx, id)
}

func (q query) ParseInstrument(ctx context.Context, id string) (*market.ParsedID, error) {
	return q.Market.ParseID(ctx, id)
}

func (q query) MarketStatus(ctx context.Context) (*market.MarketStatus, error) {
	return q.Market.Status(ctx)
}

func (q query) Movers(ctx context.Context, limit *int, currency *market.Currency) (*market.Movers, error) {
	return q.Market.Movers(ctx, limit, currency)
}

type instrument struct{ *Root }

// Instrument answers the edges of an instrument.
func (r *Root) Instrument() graph.InstrumentRelations { return instrument{r} }

func (i instrument) Quote(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*market.Quote, []error) {
	return i.Market.QuotesOf(ctx, of, currency)
}

func (i instrument) Candles(ctx context.Context, of []*market.Instrument, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) ([]*market.CandleSeries, []error) {
	return i.Market.CandlesOf(ctx, of, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (i instrument) Eod(ctx context.Context, of []*market.Instrument, from, to *value.Date, currency *market.Currency) ([]*market.EodSeries, []error) {
	return i.Market.EodOf(ctx, of, market.SeriesArgs{From: from, To: to, Currency: currency})
}
