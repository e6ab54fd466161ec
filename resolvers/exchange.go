package resolvers

import (
	"context"

	"piyasa/domain/market"
)

func (q query) MarketStatus(ctx context.Context) (*market.MarketStatus, error) {
	return q.services.Market.Status(ctx)
}

func (q query) Movers(ctx context.Context, limit *int, currency *market.Currency) (*market.Movers, error) {
	return q.services.Market.Movers(ctx, limit, currency)
}
