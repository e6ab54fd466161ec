package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/value"
)

func (q query) Disclosures(ctx context.Context, symbol *string, symbols []string, companyID *string, of *kap.Type, class *string, reason *kap.Reason, from, to *kap.Bound, order *value.SortOrder, cursor *string, limit *int) (*kap.Page, error) {
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

func (q query) Filings(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *value.Month, consolidation *kap.Consolidation, year, period, cursor *string, limit *int) (*kap.FilingPage, error) {
	return q.KAP.Filings(ctx, symbol, kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation, Year: year, Period: period}, cursor, limit)
}

type disclosure struct{ *Root }

// Disclosure answers the edges of a disclosure.
func (r *Root) Disclosure() graph.DisclosureRelations { return disclosure{r} }

func (d disclosure) Instruments(_ context.Context, of *kap.Disclosure, first *int) ([]*market.Instrument, error) {
	return d.Market.OfCodes(of.Symbols, first)
}

func (d disclosure) Company(ctx context.Context, of *kap.Disclosure) (*kap.CompanyProfile, error) {
	return d.KAP.FilerOf(ctx, of)
}

func (d disclosure) Related(ctx context.Context, of []*kap.Disclosure) ([]*kap.Disclosure, []error) {
	return d.KAP.RelatedOf(ctx, of)
}

func (d disclosure) Detail(ctx context.Context, of []*kap.Disclosure) ([]*kap.Detail, []error) {
	return d.KAP.DetailsOf(ctx, of)
}

type disclosureDetail struct{ *Root }

// DisclosureDetail answers the edges of the page of a disclosure.
func (r *Root) DisclosureDetail() graph.DisclosureDetailRelations { return disclosureDetail{r} }

func (d disclosureDetail) Body(ctx context.Context, of []*kap.Detail, format *kap.BodyFormat) ([]*kap.Body, []error) {
	return d.KAP.BodiesOf(ctx, of, format)
}

func (d disclosureDetail) Instruments(_ context.Context, of *kap.Detail, first *int) ([]*market.Instrument, error) {
	return d.Market.OfCodes(of.Symbols, first)
}

func (d disclosureDetail) Company(ctx context.Context, of *kap.Detail) (*kap.CompanyProfile, error) {
	return d.KAP.FilerOf(ctx, &of.Disclosure)
}

func (d disclosureDetail) Related(ctx context.Context, of []*kap.Detail) ([]*kap.Disclosure, []error) {
	disclosures := make([]*kap.Disclosure, len(of))
	for i, detail := range of {
		disclosures[i] = &detail.Disclosure
	}
	return d.KAP.RelatedOf(ctx, disclosures)
}

type companyProfile struct{ *Root }

// CompanyProfile answers the edges of a company.
func (r *Root) CompanyProfile() graph.CompanyProfileRelations { return companyProfile{r} }

func (c companyProfile) Instruments(_ context.Context, of *kap.CompanyProfile, first *int) ([]*market.Instrument, error) {
	return c.Market.OfCodes(of.Identity.Codes, first)
}

func (c companyProfile) Disclosures(ctx context.Context, of []*kap.CompanyProfile, first *int) ([][]*kap.Disclosure, []error) {
	return c.KAP.DisclosuresOfCompanies(ctx, of, first)
}

func (i instrument) Disclosures(ctx context.Context, of []*market.Instrument, first *int) ([][]*kap.Disclosure, []error) {
	return i.KAP.DisclosuresOf(ctx, of, first)
}

func (i instrument) Company(ctx context.Context, in *market.Instrument) (*kap.CompanyProfile, error) {
	return i.KAP.CompanyOf(ctx, in)
}
