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
	Symbol    *string          `query:"symbol" description:"A code, optionally after bist: or fund:. Any code of a company finds all its disclosures."`
	Symbols   []string         `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 codes, separated by commas; not with symbol."`
	CompanyID *string          `query:"companyId" description:"The platform's id of the filer."`
	Type      *kap.Type        `query:"type" enum:"FR,ODA,DG,DUY,CA,FON" description:"Only this type."`
	Class     *string          `query:"class" description:"Only this class, as published."`
	Reason    *kap.Reason      `query:"reason" enum:"NEW,UPD,CORR,CANC" description:"Only this reason."`
	From      *kap.Bound       `query:"from" description:"Published at or after this: a date (a day in Turkey time) or a date and time (with an offset, else Turkey time)."`
	To        *kap.Bound       `query:"to" description:"Published at or before this; the same forms as from."`
	Order     *value.SortOrder `query:"order" enum:"desc,asc" description:"Order by publication time. Default: desc (newest first)."`
	Cursor    *string          `query:"cursor" description:"next_cursor of the previous page; filters and order must be the same."`
	Limit     *int             `query:"limit" description:"Rows per page."`
}

func (disclosuresParams) limit() value.Limit { return kap.ListLimit }

type disclosureIndex struct {
	Index int `path:"index" description:"disclosure_index of the disclosure."`
}

type bodyParams struct {
	disclosureIndex
	Format *kap.BodyFormat `query:"format" enum:"fields,kap,html" description:"Format of the body. Default: fields."`
}

type companyCode struct {
	Symbol string `path:"symbol" description:"A code of the company, optionally after bist:."`
}

type filingsParams struct {
	companyCode
	Basis         *kap.FilingBasis   `query:"basis" enum:"as_reported,tufe_adjusted,yiufe_adjusted" description:"Money of lira amounts: as filed, or restated to a target month by consumer (tufe) or producer (yiufe) prices. Default: as_reported."`
	Unit          *kap.FilingUnit    `query:"unit" enum:"one,thousand,million" description:"Unit of amounts; figures per share and counts never scale. Default: one."`
	AsOf          *value.Month       `query:"as_of" description:"Target month of an adjusted basis (YYYY-MM), the last month of a quarter. Default: the latest with a published index."`
	Consolidation *kap.Consolidation `query:"consolidation" enum:"consolidated,solo,CS,NC" description:"consolidated: the group's statements, else the company's own; solo: the reverse; CS: only the group's; NC: only the company's own. Default: consolidated."`
	Year          *string            `query:"year" description:"Only this fiscal year, as filed."`
	Period        *string            `query:"period" description:"Only this period label, as filed."`
	Cursor        *string            `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit         *int               `query:"limit" description:"Filings per page."`
}

func (filingsParams) limit() value.Limit { return kap.FilingLimit }

type newsParams struct {
	Symbol *string     `query:"symbol" description:"A code, optionally after bist:. Any code of a company finds all its news."`
	From   *value.Date `query:"from" description:"First day of publication, in Turkey time."`
	To     *value.Date `query:"to" description:"Last day of publication."`
	Cursor *string     `query:"cursor" description:"next_cursor of the previous page; filters must be the same."`
	Limit  *int        `query:"limit" description:"Rows per page."`
}

func (newsParams) limit() value.Limit { return news.Limit }

type newsID struct {
	NewsID string `path:"news_id" description:"Id of a news item."`
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
		get("/v1/kap-feed/disclosures/{index}/body", "disclosureBody", "The body of a disclosure", string(access.KAP),
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
		get("/v1/kap/{news_id}", "newsItem", "One news item", string(access.News),
			func(ctx context.Context, p newsID) (*news.Item, error) { return q.NewsItem(ctx, p.NewsID) }),
	}
}
