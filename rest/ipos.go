package rest

import (
	"context"

	"piyasa/domain/ipo"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type iposParams struct {
	State *ipo.State  `query:"state" description:"Only IPOs in this state. Default: all."`
	From  *value.Date `query:"from" description:"First trade date on or after this day."`
	To    *value.Date `query:"to" description:"First trade date on or before this day."`
	tableParams
}

func (iposParams) strict() {}

type ipoID struct {
	ID string `path:"id" description:"Id of an IPO."`
}

func (ipoID) strict() {}

// ipoRoutes returns the routes of IPOs.
func ipoRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(l *ipo.List) []*ipo.Ipo { return l.Ipos }, get("/v1/ipo", "ipos", "IPOs; rejects unknown parameters", eitherIPOScope,
			func(ctx context.Context, p iposParams) (*ipo.List, error) {
				return q.Ipos(ctx, p.State, p.From, p.To)
			}).failing(problem.SourceUnavailable)),
		get("/v1/ipo/{id}", "ipo", "One IPO; rejects unknown parameters", eitherIPOScope,
			func(ctx context.Context, p ipoID) (*ipo.Detail, error) { return q.Ipo(ctx, p.ID) }).failing(problem.SourceUnavailable),
	}
}
