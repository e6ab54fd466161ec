package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/services"
	"piyasa/value"
)

func (q query) Disclosures(ctx context.Context, symbol *string, symbols []string, companyID *string, of *kap.Type, class *string, reason *kap.Reason, from, to *kap.Bound, order *value.SortOrder, cursor *string, limit *int) (*kap.Page, error) {
	return q.services.KAP.Disclosures(ctx, kap.Filter{Symbol: symbol, Symbols: symbols, CompanyID: companyID, Type: of, Class: class, Reason: reason, From: from, To: to}, order, cursor, limit)
}

func (q query) Disclosure(ctx context.Context, index int) (*kap.Detail, error) {
	return q.services.KAP.Disclosure(ctx, index)
}

func (q query) DisclosureBody(ctx context.Context, index int, format *kap.BodyFormat) (*kap.Body, error) {
	return q.services.KAP.Body(ctx, index, format)
}

func (q query) Company(ctx context.Context, symbol string) (*kap.CompanyProfile, error) {
	return q.services.KAP.Company(ctx, symbol)
}

func (q query) Filings(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *value.Month, consolidation *kap.Consolidation, year, period, cursor *string, limit *int) (*kap.FilingPage, error) {
	return q.services.KAP.Filings(ctx, symbol, kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation, Year: year, Period: period}, cursor, limit)
}

type disclosure struct{ services *services.Services }

// Disclosure answers the edges of a disclosure.
func (r *Root) Disclosure() graph.DisclosureRelations { return disclosure{r.services} }

func (d disclosure) Instruments(_ context.Context, of *kap.Disclosure, first *int) ([]*market.Instrument, error) {
	return d.services.Market.OfCodes(of.Symbols, first)
}

func (d disclosure) Company(ctx context.Context, of *kap.Disclosure) (*kap.CompanyProfile, error) {
	return d.services.KAP.FilerOf(ctx, of)
}

func (d disclosure) Related(ctx context.Context, of []*kap.Disclosure) ([]*kap.Disclosure, []error) {
	return d.services.KAP.RelatedOf(ctx, of)
}

func (d disclosure) Detail(ctx context.Context, of []*kap.Disclosure) ([]*kap.Detail, []error) {
	return d.services.KAP.DetailsOf(ctx, of)
}

type disclosureDetail struct{ services *services.Services }

// DisclosureDetail answers the edges of the page of a disclosure.
func (r *Root) DisclosureDetail() graph.DisclosureDetailRelations {
	return disclosureDetail{r.services}
}

func (d disclosureDetail) Body(ctx context.Context, of []*kap.Detail, format *kap.BodyFormat) ([]*kap.Body, []error) {
	return d.services.KAP.BodiesOf(ctx, of, format)
}

func (d disclosureDetail) Instruments(_ context.Context, of *kap.Detail, first *int) ([]*market.Instrument, error) {
	return d.services.Market.OfCodes(of.Symbols, first)
}

func (d disclosureDetail) Company(ctx context.Context, of *kap.Detail) (*kap.CompanyProfile, error) {
	return d.services.KAP.FilerOf(ctx, &of.Disclosure)
}

func (d disclosureDetail) Related(ctx context.Context, of []*kap.Detail) ([]*kap.Disclosure, []error) {
	disclosures := make([]*kap.Disclosure, len(of))
	for i, detail := range of {
		disclosures[i] = &detail.Disclosure
	}
	return d.services.KAP.RelatedOf(ctx, disclosures)
}

type companyProfile struct{ services *services.Services }

// CompanyProfile answers the edges of a company.
func (r *Root) CompanyProfile() graph.CompanyProfileRelations { return companyProfile{r.services} }

func (c companyProfile) Instruments(_ context.Context, of *kap.CompanyProfile, first *int) ([]*market.Instrument, error) {
	return c.services.Market.OfCodes(of.Identity.Codes, first)
}

func (c companyProfile) Disclosures(ctx context.Context, of []*kap.CompanyProfile, first *int) ([][]*kap.Disclosure, []error) {
	return c.services.KAP.DisclosuresOfCompanies(ctx, of, first)
}

func (i instrument) Disclosures(ctx context.Context, of []*market.Instrument, first *int) ([][]*kap.Disclosure, []error) {
	return i.services.KAP.DisclosuresOf(ctx, of, first)
}

func (i instrument) Company(ctx context.Context, in *market.Instrument) (*kap.CompanyProfile, error) {
	return i.services.KAP.CompanyOf(ctx, in)
}
