package resolvers

import (
	"context"

	"piyasa/domain/market"
)

func (q query) Sources(ctx context.Context) (*market.SourceList, error) {
	return q.services.Market.AllSources(ctx)
}
