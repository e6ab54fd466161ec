package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Financials(ctx context.Context, id string, timeframe *fundamentals.Timeframe, currency *market.Currency,
	basis *fundamentals.StatementBasis, consolidation *kap.Consolidation, limit *int,
	knownAt *value.Instant) (*fundamentals.Financials, error) {
	args := fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit,
		Consolidation: (*string)(consolidation)}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.Financials, error) {
		return s.Fundamentals.Financials(ctx, id, args)
	})
}

func (i instrument) Financials(ctx context.Context, of []*market.Instrument, timeframe *fundamentals.Timeframe, currency *market.Currency,
	basis *fundamentals.StatementBasis, consolidation *kap.Consolidation, limit *int,
	knownAt *value.Instant) ([]*fundamentals.Financials, []error) {
	args := fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit,
		Consolidation: (*string)(consolidation)}
	return thenEach(ctx, i.services, knownAt, of, func(s *services.Services) ([]*fundamentals.Financials, []error) {
		return s.Fundamentals.FinancialsOf(ctx, of, args)
	})
}
