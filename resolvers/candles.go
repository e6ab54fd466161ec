package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func (q query) Candles(ctx context.Context, id string, resolution *market.Resolution, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) (*market.CandleSeries, error) {
	return q.services.Market.Candles(ctx, id,
		market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency, Adjust: adjust})
}

func (q query) CandlesBatch(ctx context.Context, ids []string, resolution *market.Resolution, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) (*market.CandlesBatch, error) {
	return q.services.Market.CandlesBatch(ctx, ids,
		market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency, Adjust: adjust})
}

func (q query) Eod(ctx context.Context, id string, from, to *value.Date, currency *market.Currency,
	adjust *market.Adjust) (*market.EodSeries, error) {
	return q.services.Market.Eod(ctx, id, market.SeriesArgs{From: from, To: to, Currency: currency, Adjust: adjust})
}

func (i instrument) Candles(ctx context.Context, of []*market.Instrument, resolution *market.Resolution, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) ([]*market.CandleSeries, []error) {
	return nowEach(ctx, "candles", of, func() ([]*market.CandleSeries, []error) {
		return i.services.Market.CandlesOf(ctx, of,
			market.SeriesArgs{Resolution: resolution, From: from, To: to, Currency: currency, Adjust: adjust})
	})
}

func (i instrument) Eod(ctx context.Context, of []*market.Instrument, from, to *value.Date,
	currency *market.Currency, adjust *market.Adjust) ([]*market.EodSeries, []error) {
	return nowEach(ctx, "eod", of, func() ([]*market.EodSeries, []error) {
		return i.services.Market.EodOf(ctx, of, market.SeriesArgs{From: from, To: to, Currency: currency, Adjust: adjust})
	})
}
