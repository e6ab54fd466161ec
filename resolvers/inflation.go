package resolvers

import (
	"context"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

func (q query) ProducerPriceIndex(ctx context.Context, from, to *value.Month, limit *int) (*macro.InflationSeries, error) {
	return q.services.Macro.ProducerPriceIndex(ctx, from, to, limit)
}
