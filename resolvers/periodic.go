package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
)

func (q query) Periodic(ctx context.Context, id string, currency *market.Currency,
	adjust *market.Adjust) (*analytics.Periodic, error) {
	return q.services.Analytics.Periodic(ctx, id, currency, adjust)
}

func (q query) PeriodicBatch(ctx context.Context, ids []string, currency *market.Currency,
	adjust *market.Adjust) (*analytics.PeriodicBatch, error) {
	return q.services.Analytics.PeriodicBatch(ctx, ids, currency, adjust)
}

func (i instrument) Periodic(ctx context.Context, of []*market.Instrument, currency *market.Currency,
	adjust *market.Adjust) ([]*analytics.Periodic, []error) {
	return nowEach(ctx, "periodic", of, func() ([]*analytics.Periodic, []error) {
		return i.services.Analytics.PeriodicOf(ctx, of, currency, adjust)
	})
}
