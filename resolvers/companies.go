package resolvers

import (
	"context"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/services"
)

func (q query) Company(ctx context.Context, symbol string) (*kap.CompanyProfile, error) {
	return q.services.KAP.Company(ctx, symbol)
}

type companyProfile struct{ services *services.Services }

// CompanyProfile answers the relations of a company.
func (r *Root) CompanyProfile() graph.CompanyProfileRelations { return companyProfile{r.services} }

func (c companyProfile) Instruments(ctx context.Context, of *kap.CompanyProfile, first *int) ([]*market.Instrument, error) {
	return catalogThen(ctx, c.services, nil, func(s *services.Services) ([]*market.Instrument, error) {
		return s.Market.OfCodes(of.Identity.Codes, first)
	})
}

func (c companyProfile) Disclosures(ctx context.Context, of []*kap.CompanyProfile, first *int) ([][]*kap.Disclosure, []error) {
	return nowEach(ctx, "disclosures", of, func() ([][]*kap.Disclosure, []error) {
		return c.services.KAP.DisclosuresOfCompanies(ctx, of, first)
	})
}

func (i instrument) Company(ctx context.Context, in *market.Instrument) (*kap.CompanyProfile, error) {
	return then(ctx, i.services, nil, func(s *services.Services) (*kap.CompanyProfile, error) { return s.KAP.CompanyOf(ctx, in) })
}
