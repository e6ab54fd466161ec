package resolvers

import (
	"context"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
)

func (q query) Coverage(ctx context.Context, m *market.Market, instrument *string, gaps *bool, cursor *string,
	limit *int) (*coverage.Report, error) {
	return q.services.Coverage.Of(ctx, coverage.Args{Market: m, Instrument: instrument, Gaps: gaps, Cursor: cursor, Limit: limit})
}
