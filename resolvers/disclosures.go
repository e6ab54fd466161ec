package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Disclosures(ctx context.Context, symbol *string, symbols []string, companyID *string, of *kap.Type, class *string,
	reason *kap.Reason, text *string, from, to *kap.Bound, order *value.SortOrder, cursor *string, limit *int) (*kap.Page, error) {
	return q.services.KAP.Disclosures(ctx, kap.Filter{Symbol: symbol, Symbols: symbols, CompanyID: companyID, Type: of, Class: class,
		Reason: reason, Q: text, From: from, To: to}, order, cursor, limit)
}

func (q query) Disclosure(ctx context.Context, index int) (*kap.Detail, error) {
	return q.services.KAP.Disclosure(ctx, index)
}

func (q query) DisclosureBody(ctx context.Context, index int, format *kap.BodyFormat) (*kap.Body, error) {
	return q.services.KAP.Body(ctx, index, format)
}

func (i instrument) Disclosures(ctx context.Context, of []*market.Instrument, first *int) ([][]*kap.Disclosure, []error) {
	return nowEach(ctx, "disclosures", of, func() ([][]*kap.Disclosure, []error) {
		return i.services.KAP.DisclosuresOf(ctx, of, first)
	})
}

type disclosure struct{ services *services.Services }

// Disclosure answers the relations of a disclosure.
func (r *Root) Disclosure() graph.DisclosureRelations { return disclosure{r.services} }

func (d disclosure) Instruments(ctx context.Context, of *kap.Disclosure, first *int) ([]*market.Instrument, error) {
	return catalogThen(ctx, d.services, nil, func(s *services.Services) ([]*market.Instrument, error) {
		return s.Market.OfCodes(of.Symbols, first)
	})
}

func (d disclosure) Company(ctx context.Context, of *kap.Disclosure) (*kap.CompanyProfile, error) {
	return then(ctx, d.services, nil, func(s *services.Services) (*kap.CompanyProfile, error) { return s.KAP.FilerOf(ctx, of) })
}

func (d disclosure) Related(ctx context.Context, of []*kap.Disclosure) ([]*kap.Disclosure, []error) {
	return d.services.KAP.RelatedOf(ctx, of)
}

func (d disclosure) Detail(ctx context.Context, of []*kap.Disclosure) ([]*kap.Detail, []error) {
	return d.services.KAP.DetailsOf(ctx, of)
}

func (d disclosure) CorporateActions(ctx context.Context, of *kap.Disclosure) ([]*market.ShownAction, error) {
	return then(ctx, d.services, nil, func(s *services.Services) ([]*market.ShownAction, error) {
		return s.KAP.ActionsOf(ctx, of.DisclosureIndex), nil
	})
}

type disclosureDetail struct{ services *services.Services }

// DisclosureDetail answers the relations of the page of a disclosure.
func (r *Root) DisclosureDetail() graph.DisclosureDetailRelations {
	return disclosureDetail{r.services}
}

func (d disclosureDetail) Body(ctx context.Context, of []*kap.Detail, format *kap.BodyFormat) ([]*kap.Body, []error) {
	return d.services.KAP.BodiesOf(ctx, of, format)
}

func (d disclosureDetail) Instruments(ctx context.Context, of *kap.Detail, first *int) ([]*market.Instrument, error) {
	return disclosure(d).Instruments(ctx, &of.Disclosure, first)
}

func (d disclosureDetail) Company(ctx context.Context, of *kap.Detail) (*kap.CompanyProfile, error) {
	return disclosure(d).Company(ctx, &of.Disclosure)
}

func (d disclosureDetail) Related(ctx context.Context, of []*kap.Detail) ([]*kap.Disclosure, []error) {
	disclosures := make([]*kap.Disclosure, len(of))
	for i, detail := range of {
		disclosures[i] = &detail.Disclosure
	}
	return d.services.KAP.RelatedOf(ctx, disclosures)
}
