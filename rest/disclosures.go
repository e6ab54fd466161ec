package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type disclosuresParams struct {
	Symbol    *string          `query:"symbol" description:"A code, optionally after bist: or fund:. Any code of a company finds all its disclosures."`
	Symbols   []string         `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"20" description:"1 to 20 codes, separated by commas; not with symbol."`
	CompanyID *string          `query:"companyId" description:"The platform's id of the filer."`
	Type      *kap.Type        `query:"type" description:"Only this type."`
	Class     *string          `query:"class" description:"Only this class, as published."`
	Reason    *kap.Reason      `query:"reason" description:"Only this reason."`
	Q         *string          `query:"q" description:"What the texts say (subject, summary and body): words that must all be there, with whatever ending, \"a phrase\", and -word for what must not be there; at most 16 words in 200 letters."`
	From      *kap.Bound       `query:"from" description:"Published at or after this: a date (a day in Turkey time) or a date and time (with an offset, else Turkey time)."`
	To        *kap.Bound       `query:"to" description:"Published at or before this; the same forms as from."`
	Order     *value.SortOrder `query:"order" description:"Order by publication time. Default: desc (newest first)."`
	Cursor    *string          `query:"cursor" description:"next_cursor of the previous page; filters and order must be the same."`
	Limit     *int             `query:"limit" description:"Rows per page."`
	tableParams
}

func (disclosuresParams) limit() value.Limit { return kap.ListLimit }

type disclosureIndex struct {
	Index int `path:"index" description:"disclosure_index of the disclosure."`
}

type bodyParams struct {
	disclosureIndex
	Format *kap.BodyFormat `query:"format" description:"Format of the body. Default: fields."`
}

// disclosureRoutes returns the routes of disclosures.
func disclosureRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p disclosuresParams) int {
			return costs.Query.Disclosures(below, p.Symbol, p.Symbols, p.CompanyID, p.Type, p.Class, p.Reason, p.Q, p.From, p.To,
				p.Order, p.Cursor, p.Limit)
		}, asTable(func(p *kap.Page) []*kap.Disclosure { return p.Items },
			get("/v1/kap-feed/disclosures", "disclosures", "Official disclosures by publication time", string(access.KAP),
				func(ctx context.Context, p disclosuresParams) (*kap.Page, error) {
					return q.Disclosures(ctx, p.Symbol, p.Symbols, p.CompanyID, p.Type, p.Class, p.Reason, p.Q, p.From, p.To,
						p.Order, p.Cursor, p.Limit)
				}).formerly("/v1/kap/disclosures").failing(problem.ConflictingParameters, problem.MalformedCode))),
		get("/v1/kap-feed/disclosures/{index}", "disclosure", "One disclosure with its documents and facts", string(access.KAP),
			func(ctx context.Context, p disclosureIndex) (*kap.Detail, error) {
				return q.Disclosure(ctx, p.Index)
			}).formerly("/v1/kap/disclosures/{index}"),
		get("/v1/kap-feed/disclosures/{index}/body", "disclosureBody", "The body of a disclosure", string(access.KAP),
			func(ctx context.Context, p bodyParams) (*body, error) {
				return viewOf(bodyView)(q.DisclosureBody(ctx, p.Index, p.Format))
			}).failing(problem.FormatNotAvailable, problem.BodyUnreadable, problem.ContentStoreUnavailable),
	}
}

// body is the body of a disclosure, with the members of its format.
type body struct {
	DisclosureIndex int            `json:"disclosure_index"`
	Format          kap.BodyFormat `json:"format"`
	SourceFormat    *string        `json:"source_format,omitempty"`
	FieldsStatus    *string        `json:"fields_status,omitempty"`
	Fields          *[]*kap.Field  `json:"fields,omitempty"`
	FileType        *string        `json:"file_type,omitempty"`
	Body            kap.JSON       `json:"body,omitempty"`
	HTML            *kap.Localized `json:"html,omitempty"`
}

func bodyView(b *kap.Body) *body {
	view := &body{DisclosureIndex: b.DisclosureIndex, Format: b.Format, FieldsStatus: b.FieldsStatus, FileType: b.FileType, Body: b.Body,
		HTML: b.HTML}
	if b.Format != kap.AsHTML {
		view.SourceFormat = &b.SourceFormat
	}
	if b.Format == kap.AsFields {
		view.Fields = &b.Fields
	}
	return view
}
