package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/graph"
	"piyasa/internal/problem"
)

type companyCode struct {
	Symbol string `path:"symbol" description:"A code of the company, optionally after bist:."`
}

// companyRoutes returns the routes of companies that file.
func companyRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/kap-feed/companies/{symbol}", "company", "Profile of a company that files disclosures", string(access.KAP),
			func(ctx context.Context, p companyCode) (*kap.CompanyProfile, error) {
				return q.Company(ctx, p.Symbol)
			}).formerly("/v1/kap/companies/{symbol}").failing(problem.MalformedCode),
	}
}
