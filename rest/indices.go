package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/graph"
)

type indexCode struct {
	Code string `path:"code" description:"Code of a BIST index, such as XU100; letter case does not matter."`
}

type indexPeriodicParams struct {
	indexCode
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"No effect: levels are points."`
}

// indexRoutes returns the routes of indices.
func indexRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/indices", "indices", "The covered BIST indices", string(access.QuotesBIST),
			func(ctx context.Context, _ struct{}) (*market.IndexList, error) { return q.Indices(ctx) }),
		get("/v1/indices/{code}/constituents", "indexConstituents", "Members of an index", string(access.QuotesBIST),
			func(ctx context.Context, p indexCode) (*market.IndexConstituents, error) {
				return q.IndexConstituents(ctx, p.Code)
			}),
		get("/v1/indices/{code}/periodic", "indexPeriodic", "Periodic windows of a BIST index", string(access.History),
			func(ctx context.Context, p indexPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.IndexPeriodic(ctx, p.Code, p.Currency))
			}),
	}
}
