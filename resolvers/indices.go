package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Indices(ctx context.Context, knownAt *value.Instant) (*market.IndexList, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*market.IndexList, error) { return s.Market.Indices(ctx) })
}

func (q query) IndexConstituents(ctx context.Context, code string, knownAt *value.Instant) (*market.IndexConstituents, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*market.IndexConstituents, error) {
		return s.Market.IndexConstituents(ctx, code)
	})
}

func (q query) IndexPeriodic(ctx context.Context, code string, _ *market.Currency, adjust *market.Adjust) (*analytics.Periodic, error) {
	return q.services.Analytics.IndexPeriodic(ctx, code, adjust)
}

func (i instrument) Indices(ctx context.Context, in *market.Instrument, first *int) ([]*market.IndexInfo, error) {
	return then(ctx, i.services, nil, func(s *services.Services) ([]*market.IndexInfo, error) { return s.Market.IndicesOf(ctx, in, first) })
}

type bistIndex struct{ services *services.Services }

// BistIndex answers the relations of an index.
func (r *Root) BistIndex() graph.BistIndexRelations { return bistIndex{r.services} }

func (b bistIndex) Constituents(ctx context.Context, of *market.IndexInfo, first *int) ([]*market.Constituent, error) {
	return then(ctx, b.services, nil, func(s *services.Services) ([]*market.Constituent, error) {
		return s.Market.ConstituentsOf(ctx, of, first)
	})
}

func (b bistIndex) Periodic(ctx context.Context, of []*market.IndexInfo, adjust *market.Adjust) ([]*analytics.Periodic, []error) {
	return nowEach(ctx, "periodic", of, func() ([]*analytics.Periodic, []error) {
		return b.services.Analytics.IndexPeriodicOf(ctx, of, adjust)
	})
}
