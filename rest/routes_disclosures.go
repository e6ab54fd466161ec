package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/domain/news"
	"piyasa/graph"
	"piyasa/problem"
	"piyasa/value"
)

type disclosuresParams struct {
	Symbol    *string          `query:"symbol" description:"A code, bare or behind bist: or fund:; every code of a company reads all its disclosures."`
	Symbols   []string         `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 codes, separated by commas; not together with symbol."`
	CompanyID *string          `query:"companyId" description:"The platform's id of the filer."`
	Type      *kap.Type        `query:"type" enum:"FR,ODA,DG,DUY,CA,FON" description:"Only this kind."`
	Class     *string          `query:"class" description:"Only this class, as published."`
	Reason    *kap.Reason      `query:"reason" enum:"NEW,UPD,CORR,CANC" description:"Only this reason."`
	From      *kap.Bound       `query:"from" description:"Published at or after this: a date (the whole Turkey-time day), or a date and time (with an offset, or in Turkey time)."`
	To        *kap.Bound       `query:"to" description:"Published at or before this."`
	Order     *value.SortOrder `query:"order" enum:"desc,asc" description:"By publication time, newest first without it."`
	Cursor    *string          `query:"cursor" description:"next_cursor of the page before, with the same filters and order."`
	Limit     *int             `query:"limit" description:"Rows of a page."`
}

func (disclosuresParams) limit() value.Limit { return kap.ListLimit }

type disclosureIndex struct {
	Index int `path:"index" description:"The platform's number."`
}

type bodyParams struct {
	disclosureIndex
	Format *kap.BodyFormat `query:"format" enum:"fields,kap,html" description:"How to read it; fields without it."`
}

type companyCode struct {
	Symbol string `path:"symbol" description:"A code the company files under, bare or behind bist:."`
}

type filingsParams struct {
	companyCode
	Basis         *kap.FilingBasis   `query:"basis" enum:"as_reported,tufe_adjusted,yiufe_adjusted" description:"The money that amounts in lira are stated in: as filed without it, else of a target month, by consumer or producer prices."`
	Unit          *kap.FilingUnit    `query:"unit" enum:"one,thousand,million" description:"What amounts are counted in; figures per share and counts never scale."`
	AsOf          *value.Month       `query:"as_of" description:"Target month of an adjusted basis (YYYY-MM), the last of a quarter; without it the latest one with a published index."`
	Consolidation *kap.Consolidation `query:"consolidation" enum:"consolidated,solo,CS,NC" description:"Whose statements: of the group, or of the company alone where only that was filed; solo is the reverse; CS and NC give only that kind."`
	Year          *string            `query:"year" description:"Only this fiscal year, as filed."`
	Period        *string            `query:"period" description:"Only this label of a period, as filed."`
	Cursor        *string            `query:"cursor" description:"next_cursor of the page before, with the same other parameters."`
	Limit         *int               `query:"limit" description:"Filings of a page."`
}

func (filingsParams) limit() value.Limit { return kap.FilingLimit }

type newsParams struct {
	Symbol *string     `query:"symbol" description:"A code, bare or behind bist:; every code of a company finds all its news."`
	From   *value.Date `query:"from" description:"First day of publication, in Turkey time."`
	To     *value.Date `query:"to" description:"Last day."`
	Cursor *string     `query:"cursor" description:"next_cursor of the page before, with the same filters."`
	Limit  *int        `query:"limit" description:"Rows of a page."`
}

func (newsParams) limit() value.Limit { return news.Limit }

type newsID struct {
	NewsID string `path:"news_id" description:"Id of a piece of news."`
}

// disclosureRoutes are the routes of disclosures and news.
func disclosureRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/kap-feed/disclosures", "disclosures", "Official disclosures by publication time", string(access.KAP),
			func(ctx context.Context, p disclosuresParams) (*kap.Page, error) {
				return q.Disclosures(ctx, p.Symbol, p.Symbols, p.CompanyID, p.Type, p.Class, p.Reason, p.From, p.To, p.Order, p.Cursor, p.Limit)
			}).formerly("/v1/kap/disclosures").failing(problem.ConflictingParameters, problem.MalformedCode),
		get("/v1/kap-feed/disclosures/{index}", "disclosure", "One disclosure with its documents and facts", string(access.KAP),
			func(ctx context.Context, p disclosureIndex) (*kap.Detail, error) { return q.Disclosure(ctx, p.Index) }).formerly("/v1/kap/disclosures/{index}"),
		get("/v1/kap-feed/disclosures/{index}/body", "disclosureBody", "What a disclosure says", string(access.KAP),
			func(ctx context.Context, p bodyParams) (*body, error) {
				return viewOf(bodyView)(q.DisclosureBody(ctx, p.Index, p.Format))
			}).failing(problem.FormatNotAvailable, problem.BodyUnreadable, problem.ContentStoreUnavailable),
		get("/v1/kap-feed/financials/{symbol}", "filings", "Financial statements of a company from its filings, newest period first", string(access.KAP),
			func(ctx context.Context, p filingsParams) (*kap.FilingPage, error) {
				return q.Filings(ctx, p.Symbol, p.Basis, p.Unit, p.AsOf, p.Consolidation, p.Year, p.Period, p.Cursor, p.Limit)
			}).formerly("/v1/kap/financials/{symbol}").failing(problem.ConflictingParameters, problem.MalformedCode),
		get("/v1/kap-feed/companies/{symbol}", "company", "Profile of a company that files disclosures", string(access.KAP),
			func(ctx context.Context, p companyCode) (*kap.CompanyProfile, error) { return q.Company(ctx, p.Symbol) }).formerly("/v1/kap/companies/{symbol}").failing(problem.MalformedCode),
		get("/v1/kap", "news", "News by publication time, newest first", string(access.News),
			func(ctx context.Context, p newsParams) (*news.Page, error) {
				return q.News(ctx, p.Symbol, p.From, p.To, p.Cursor, p.Limit)
			}).failing(problem.MalformedCode),
		get("/v1/kap/{news_id}", "newsItem", "One piece of news", string(access.News),
			func(ctx context.Context, p newsID) (*news.Item, error) { return q.NewsItem(ctx, p.NewsID) }),
	}
}
