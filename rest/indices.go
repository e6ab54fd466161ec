package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/graph"
)

type indexCode struct {
	Code string `path:"code" description:"Code of a BIST index, such as XU100; letter case does not matter."`
}

type indicesParams struct {
	knownAt
	tableParams
}

type indexParams struct {
	indexCode
	knownAt
	tableParams
}

type indexPeriodicParams struct {
	indexCode
	Currency *market.Currency `query:"currency" description:"No effect: levels are points."`
	adjustFigures
	tableParams
}

// indexRoutes returns the routes of indices.
func indexRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(l *market.IndexList) []*market.IndexInfo { return l.Indices },
			get("/v1/indices", "indices", "The covered BIST indices", string(access.QuotesBIST),
				func(ctx context.Context, p indicesParams) (*market.IndexList, error) {
					return q.Indices(ctx, p.KnownAt)
				})),
		costing(func(costs *graph.ComplexityRoot, below int, p indexParams) int {
			return costs.Query.IndexConstituents(below, p.Code, p.KnownAt)
		}, asTable(constituentLines, get("/v1/indices/{code}/constituents",
			"indexConstituents", "Members of an index", string(access.QuotesBIST),
			func(ctx context.Context, p indexParams) (*market.IndexConstituents, error) {
				return q.IndexConstituents(ctx, p.Code, p.KnownAt)
			}))),
		asTable(windowLines, get("/v1/indices/{code}/periodic", "indexPeriodic", "Periodic windows of a BIST index", string(access.History),
			func(ctx context.Context, p indexPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.IndexPeriodic(ctx, p.Code, p.Currency, p.Adjust))
			})),
	}
}

// constituentLine is a member with its index.
type constituentLine struct {
	Code string `json:"code"`
	*market.Constituent
}

func constituentLines(i *market.IndexConstituents) []constituentLine {
	return lines(i.Constituents, func(c *market.Constituent) constituentLine { return constituentLine{i.Code, c} })
}
