package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func (q query) MarketStatus(ctx context.Context) (*market.MarketStatus, error) {
	return q.services.Market.Status(ctx)
}

func (q query) MarketCalendar(ctx context.Context, m market.Market, from, to *value.Date) (*market.MarketCalendar, error) {
	return q.services.Market.Calendar(ctx, m, from, to)
}

func (q query) Movers(ctx context.Context, limit *int, currency *market.Currency) (*market.Movers, error) {
	return q.services.Market.Movers(ctx, limit, currency)
}
