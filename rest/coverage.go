package rest

import (
	"context"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type coverageParams struct {
	Market     *market.Market `query:"market" description:"Only this market, with the bars of its instruments."`
	Instrument *string        `query:"instrument" description:"Only this instrument: an id in any accepted form."`
	Gaps       *bool          `query:"gaps" description:"true: only what has gaps. In the list of a market, days that all of its instruments lack are in its own row only. Default: false."`
	Cursor     *string        `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit      *int           `query:"limit" description:"Rows per page."`
	tableParams
}

func (coverageParams) limit() value.Limit { return coverage.Limit }

// coverageRoutes returns the route of the coverage.
func coverageRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p coverageParams) int {
			return costs.Query.Coverage(below, p.Market, p.Instrument, p.Gaps, p.Cursor, p.Limit)
		}, asTable(func(r *coverage.Report) []*coverage.Row { return r.Rows },
			get("/v1/coverage", "coverage",
				"What is stored: number of records, first and last day and gaps, of each kind, market and instrument", anyKey,
				func(ctx context.Context, p coverageParams) (*coverage.Report, error) {
					return q.Coverage(ctx, p.Market, p.Instrument, p.Gaps, p.Cursor, p.Limit)
				}).failing(problem.ConflictingParameters, problem.NotFound, problem.AmbiguousTicker))),
	}
}
