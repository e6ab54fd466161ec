package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type filingsParams struct {
	companyCode
	Basis         *kap.FilingBasis   `query:"basis" description:"Money of lira amounts: as filed, or restated to a target month by consumer (tufe) or producer (yiufe) prices. Default: as_reported."`
	Unit          *kap.FilingUnit    `query:"unit" description:"Unit of amounts; figures per share and counts never scale. Default: one."`
	AsOf          *value.Month       `query:"as_of" description:"Target month of an adjusted basis (YYYY-MM), the last month of a quarter. Default: the latest with a published index."`
	Consolidation *kap.Consolidation `query:"consolidation" description:"consolidated: the group's statements, else the company's own; solo: the reverse; CS: only the group's; NC: only the company's own. Default: consolidated."`
	Year          *string            `query:"year" description:"Only this fiscal year, as filed."`
	Period        *string            `query:"period" description:"Only this period label, as filed."`
	Cursor        *string            `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit         *int               `query:"limit" description:"Filings per page."`
	knownAt
	tableParams
}

func (filingsParams) limit() value.Limit { return kap.FilingLimit }

// filingRoutes returns the routes of filings.
func filingRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p filingsParams) int {
			return costs.Query.Filings(below, p.Symbol, p.Basis, p.Unit, p.AsOf, p.Consolidation, p.Year, p.Period, p.Cursor,
				p.Limit, p.KnownAt)
		}, asTable(filingLines, get("/v1/kap-feed/financials/{symbol}",
			"filings", "Financial statements of a company from its filings, newest period first", string(access.KAP),
			func(ctx context.Context, p filingsParams) (*kap.FilingPage, error) {
				return q.Filings(ctx, p.Symbol, p.Basis, p.Unit, p.AsOf, p.Consolidation, p.Year, p.Period, p.Cursor, p.Limit, p.KnownAt)
			}).formerly("/v1/kap/financials/{symbol}").failing(problem.ConflictingParameters, problem.MalformedCode))),
	}
}
