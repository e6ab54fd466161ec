package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
)

func (q query) Disclosures(ctx context.Context, symbol *string, symbols []string, companyID *string, of *kap.Type, class *string, reason *kap.Reason, from, to *kap.Bound, order *market.SortOrder, cursor *string, limit *int) (*kap.Page, error) {
	return q.KAP.Disclosures(ctx, kap.Filter{Symbol: symbol, Symbols: symbols, CompanyID: companyID, Type: of, Class: class, Reason: reason, From: from, To: to}, order, cursor, limit)
}

func (q query) Disclosure(ctx context.Context, index int) (*kap.Detail, error) {
	return q.KAP.Disclosure(ctx, index)
}

func (q query) DisclosureBody(ctx context.Context, index int, format *kap.BodyFormat) (*kap.Body, error) {
	return q.KAP.Body(ctx, index, format)
}

func (q query) Company(ctx context.Context, symbol string) (*kap.CompanyProfile, error) {
	return q.KAP.Company(ctx, symbol)
}

func (q query) Filings(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *market.Month, consolidation *kap.Consolidation, year, period, cursor *string, limit *int) (*kap.FilingPage, error) {
	return q.KAP.Filings(ctx, symbol, kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation, Year: year, Period: period}, cursor, limit)
}

type disclosureDetail struct{ *Root }

// DisclosureDetail answers the edges of a disclosure.
func (r *Root) DisclosureDetail() graph.DisclosureDetailResolver { return disclosureDetail{r} }

func (d disclosureDetail) Body(ctx context.Context, of *kap.Detail, format *kap.BodyFormat) (*kap.Body, error) {
	return d.KAP.Body(ctx, of.DisclosureIndex, format)
}
