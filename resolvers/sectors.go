package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Sectors(ctx context.Context, knownAt *value.Instant) (*market.SectorList, error) {
	return catalogThen(ctx, q.services, knownAt, func(s *services.Services) (*market.SectorList, error) { return s.Market.Sectors(ctx) })
}

func (q query) SectorConstituents(ctx context.Context, code string, m *market.EquityMarket,
	knownAt *value.Instant) (*market.SectorConstituents, error) {
	return catalogThen(ctx, q.services, knownAt, func(s *services.Services) (*market.SectorConstituents, error) {
		return s.Market.SectorConstituents(ctx, code, m)
	})
}

func (q query) SectorValuation(ctx context.Context, code string, m *market.EquityMarket,
	knownAt *value.Instant) (*analytics.SectorValuation, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*analytics.SectorValuation, error) {
		return s.Analytics.SectorValuation(ctx, code, m)
	})
}

func (q query) SectorReturns(ctx context.Context, code string, m *market.EquityMarket,
	from, to *value.Date, adjust *market.Adjust) (*analytics.SectorReturns, error) {
	return q.services.Analytics.SectorReturns(ctx, code, analytics.SectorReturnsArgs{Market: m, From: from, To: to, Adjust: adjust})
}

func (q query) SectorPeriodic(ctx context.Context, code string, m *market.EquityMarket, _ *market.Currency,
	adjust *market.Adjust) (*analytics.Periodic, error) {
	return q.services.Analytics.SectorPeriodic(ctx, code, m, adjust)
}

func (i instrument) SectorInfo(ctx context.Context, in *market.Instrument) (*market.SectorInfo, error) {
	return catalogThen(ctx, i.services, nil, func(s *services.Services) (*market.SectorInfo, error) { return s.Market.SectorOf(in), nil })
}

type sector struct{ services *services.Services }

// Sector answers the relations of a sector.
func (r *Root) Sector() graph.SectorRelations { return sector{r.services} }

func (s sector) Members(ctx context.Context, of *market.SectorInfo, m *market.EquityMarket, first *int) ([]*market.SectorMember, error) {
	return catalogThen(ctx, s.services, nil, func(s *services.Services) ([]*market.SectorMember, error) {
		return s.Market.SectorMembers(ctx, of, m, first)
	})
}

func (s sector) Valuation(ctx context.Context, of []*market.SectorInfo, m *market.EquityMarket,
	knownAt *value.Instant) ([]*analytics.SectorValuation, []error) {
	return thenEach(ctx, s.services, knownAt, of, func(s *services.Services) ([]*analytics.SectorValuation, []error) {
		return s.Analytics.SectorValuationsOf(ctx, of, m)
	})
}

func (s sector) Returns(ctx context.Context, of []*market.SectorInfo, m *market.EquityMarket,
	from, to *value.Date, adjust *market.Adjust) ([]*analytics.SectorReturns, []error) {
	return nowEach(ctx, "returns", of, func() ([]*analytics.SectorReturns, []error) {
		return s.services.Analytics.SectorReturnsOf(ctx, of, analytics.SectorReturnsArgs{Market: m, From: from, To: to, Adjust: adjust})
	})
}
