package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
)

func (q query) Periodic(ctx context.Context, id string, currency *market.Currency) (*analytics.Periodic, error) {
	return q.services.Analytics.Periodic(ctx, id, currency)
}

func (q query) PeriodicBatch(ctx context.Context, ids []string, currency *market.Currency) (*analytics.PeriodicBatch, error) {
	return q.services.Analytics.PeriodicBatch(ctx, ids, currency)
}

func (i instrument) Periodic(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*analytics.Periodic, []error) {
	return i.services.Analytics.PeriodicOf(ctx, of, currency)
}
