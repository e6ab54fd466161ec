package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type actionsParams struct {
	Market  *market.Market     `query:"market" description:"Market of the shares; indices of the Istanbul exchange are of bist. Default: bist."`
	From    *value.Date        `query:"from" description:"First ex date. Default: 30 days ago. The range has at most 366 days."`
	To      *value.Date        `query:"to" description:"Last ex date. Default: 90 days ahead."`
	Kind    *market.ActionKind `query:"kind" description:"Only actions of this kind."`
	Symbols []string           `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 symbols, codes of indices or canonical ids of the market, separated by commas."`
	Cursor  *string            `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit   *int               `query:"limit" description:"Rows per page."`
	knownAt
	tableParams
}

type actionHistoryParams struct {
	companyID
	knownAt
	tableParams
}

func (actionsParams) strict()            {}
func (actionsParams) limit() value.Limit { return market.ActionLimit }

// actionRoutes returns the routes of corporate actions.
func actionRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p actionHistoryParams) int {
			return costs.Query.CorporateActionHistory(below, p.ID, p.KnownAt)
		}, asTable(func(h *market.ActionHistory) []*market.ShownAction { return h.CorporateActions },
			get("/v1/stocks/{id}/corporate-actions", "corporateActionHistory",
				"All known corporate actions of a share; not for test keys", string(access.History),
				func(ctx context.Context, p actionHistoryParams) (*market.ActionHistory, error) {
					return q.CorporateActionHistory(ctx, p.ID, p.KnownAt)
				}).failing(problem.TestPlan))),
		costing(func(costs *graph.ComplexityRoot, below int, p actionsParams) int {
			return costs.Query.CorporateActions(below, p.Market, p.From, p.To, p.Kind, p.Symbols, p.Cursor, p.Limit, p.KnownAt)
		}, asTable(func(p *market.ActionPage) []*market.ShownAction { return p.CorporateActions },
			get("/v1/corporate-actions", "corporateActions", "Corporate actions of a market; rejects unknown parameters",
				string(access.History),
				func(ctx context.Context, p actionsParams) (*market.ActionPage, error) {
					return q.CorporateActions(ctx, p.Market, p.From, p.To, p.Kind, p.Symbols, p.Cursor, p.Limit, p.KnownAt)
				}).charging("100 rows or part of them", unitsOfRows(market.ActionLimit)).failing(problem.TestPlan, problem.WindowTooLong))),
	}
}
