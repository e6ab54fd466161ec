package resolvers

import (
	"context"

	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Instruments(ctx context.Context, m *market.Market, assetType, search *string, limit *int,
	knownAt *value.Instant, ranked *bool) (*market.InstrumentList, error) {
	return catalogThen(ctx, q.services, knownAt, func(s *services.Services) (*market.InstrumentList, error) {
		return s.Market.Instruments(ctx, market.InstrumentFilter{
			Market: m, AssetType: assetType, Search: search, Ranked: ranked != nil && *ranked,
		}, limit)
	})
}

func (q query) Instrument(ctx context.Context, id string, knownAt *value.Instant) (*market.Instrument, error) {
	return catalogThen(ctx, q.services, knownAt, func(s *services.Services) (*market.Instrument, error) {
		return s.Market.Instrument(ctx, id)
	})
}

func (q query) ParseInstrument(ctx context.Context, id string) (*market.ParsedID, error) {
	return q.services.Market.ParseID(ctx, id)
}

// instrument answers the relations of instruments, each for all parents of a place at once.
type instrument struct{ services *services.Services }

// Instrument answers the relations of an instrument.
func (r *Root) Instrument() graph.InstrumentRelations { return instrument{r.services} }
