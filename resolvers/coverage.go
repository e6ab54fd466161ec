package resolvers

import (
	"context"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
)

func (q query) Coverage(ctx context.Context, m *market.Market, instrument, cursor *string, limit *int) (*coverage.Report, error) {
	return q.services.Coverage.Of(ctx, m, instrument, cursor, limit)
}
