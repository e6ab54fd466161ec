package rest

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
)

// sourceRoutes returns the route of the data sources.
func sourceRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(l *market.SourceList) []*market.Source { return l.Sources },
			get("/v1/sources", "sources", "How the sources of data are: their last success, their newest record, and how late they are",
				anyKey,
				func(ctx context.Context, _ tableParams) (*market.SourceList, error) { return q.Sources(ctx) })),
	}
}
