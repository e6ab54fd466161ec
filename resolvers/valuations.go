package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) Valuation(ctx context.Context, id string, currency *market.Currency,
	knownAt *value.Instant) (*fundamentals.Valuation, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.Valuation, error) {
		return s.Fundamentals.Valuation(ctx, id, currency)
	})
}

func (q query) Valuations(ctx context.Context, ids []string, currency *market.Currency,
	knownAt *value.Instant) (*fundamentals.ValuationBatch, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.ValuationBatch, error) {
		return s.Fundamentals.Valuations(ctx, ids, currency)
	})
}

func (q query) ValuationHistory(ctx context.Context, id string, from, to *value.Date, currency *market.Currency,
	knownAt *value.Instant) (*fundamentals.ValuationHistory, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.ValuationHistory, error) {
		return s.Fundamentals.ValuationHistory(ctx, id, fundamentals.ValuationHistoryArgs{From: from, To: to, Currency: currency})
	})
}

func (i instrument) Valuation(ctx context.Context, of []*market.Instrument, currency *market.Currency,
	knownAt *value.Instant) ([]*fundamentals.Valuation, []error) {
	return thenEach(ctx, i.services, knownAt, of, func(s *services.Services) ([]*fundamentals.Valuation, []error) {
		return s.Fundamentals.ValuationsOf(ctx, of, currency)
	})
}

func (i instrument) ValuationHistory(ctx context.Context, of []*market.Instrument, from, to *value.Date,
	knownAt *value.Instant) ([]*fundamentals.ValuationHistory, []error) {
	return thenEach(ctx, i.services, knownAt, of, func(s *services.Services) ([]*fundamentals.ValuationHistory, []error) {
		return s.Fundamentals.ValuationHistoryOf(ctx, of, fundamentals.ValuationHistoryArgs{From: from, To: to})
	})
}
