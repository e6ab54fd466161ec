package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/value"
)

type moversParams struct {
	Limit *int `query:"limit" description:"Rows per list."`
	currency
}

func (moversParams) limit() value.Limit { return market.MoverLimit }

// exchangeRoutes returns the routes of the Istanbul exchange.
func exchangeRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/markets/bist/status", "marketStatus", "State of the Istanbul exchange: open, closed or holiday", anyKey,
			func(ctx context.Context, _ struct{}) (*market.MarketStatus, error) { return q.MarketStatus(ctx) }),
		get("/v1/markets/bist/movers", "movers", "Gainers, losers and most traded instruments of the Istanbul exchange", string(access.QuotesBIST),
			func(ctx context.Context, p moversParams) (*market.Movers, error) {
				return q.Movers(ctx, p.Limit, p.Currency)
			}),
	}
}
