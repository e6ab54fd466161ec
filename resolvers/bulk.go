package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
)

func (q query) BulkFiles(ctx context.Context, kind string, m *market.Market, r *market.Resolution, from, to *value.Date,
	format *market.BulkFormat) ([]*market.BulkFile, error) {
	return q.services.Bulk.Files(ctx, bulk.Args{Kind: kind, Market: m, Resolution: r, From: from, To: to, Format: format})
}
