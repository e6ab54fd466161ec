package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/services"
	"piyasa/value"
)

func (q query) Quote(ctx context.Context, id string, currency *market.Currency) (*market.Quote, error) {
	return q.services.Market.Quote(ctx, id, currency)
}

func (q query) Quotes(ctx context.Context, ids []string, currency *market.Currency) (*market.QuoteBatch, error) {
	return q.services.Market.Quotes(ctx, ids, currency)
}

func (q query) Watchlist(ctx context.Context, ids []string) ([]*market.Instrument, error) {
	return q.services.Market.Watchlist(ctx, ids)
}

func (q query) Candles(ctx context.Context, id string, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) (*market.CandleSeries, error) {
	return q.services.Market.Candles(ctx, id, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (q query) CandlesBatch(ctx context.Context, ids []string, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) (*market.CandlesBatch, error) {
	return q.services.Market.CandlesBatch(ctx, ids, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (q query) Eod(ctx context.Context, id string, from, to *value.Date, currency *market.Currency) (*market.EodSeries, error) {
	return q.services.Market.Eod(ctx, id, market.SeriesArgs{From: from, To: to, Currency: currency})
}

func (q query) Instruments(ctx context.Context, m *market.Market, assetType, search *string, limit *int) (*market.InstrumentList, error) {
	return q.services.Market.Instruments(ctx, market.InstrumentFilter{Market: m, AssetType: assetType, Search: search}, limit)
}

func (q query) Instrument(ctx context.Context, id string) (*market.Instrument, error) {
	return q.services.Market.Instrument(ctx, id)
}

func (q query) ParseInstrument(ctx context.Context, id string) (*market.ParsedID, error) {
	return q.services.Market.ParseID(ctx, id)
}

func (q query) MarketStatus(ctx context.Context) (*market.MarketStatus, error) {
	return q.services.Market.Status(ctx)
}

func (q query) Movers(ctx context.Context, limit *int, currency *market.Currency) (*market.Movers, error) {
	return q.services.Market.Movers(ctx, limit, currency)
}

type instrument struct{ services *services.Services }

// Instrument answers the edges of an instrument.
func (r *Root) Instrument() graph.InstrumentRelations { return instrument{r.services} }

func (i instrument) Quote(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*market.Quote, []error) {
	return i.services.Market.QuotesOf(ctx, of, currency)
}

func (i instrument) Candles(ctx context.Context, of []*market.Instrument, resolution *market.Resolution, from, to *value.Date, currency *market.Currency) ([]*market.CandleSeries, []error) {
	return i.services.Market.CandlesOf(ctx, of, market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency})
}

func (i instrument) Eod(ctx context.Context, of []*market.Instrument, from, to *value.Date, currency *market.Currency) ([]*market.EodSeries, []error) {
	return i.services.Market.EodOf(ctx, of, market.SeriesArgs{From: from, To: to, Currency: currency})
}
