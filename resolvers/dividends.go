package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) DividendHistory(ctx context.Context, id string, knownAt *value.Instant) (*fundamentals.DividendHistory, error) {
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.DividendHistory, error) {
		return s.Fundamentals.DividendHistory(ctx, id)
	})
}

func (q query) Dividends(ctx context.Context, m *market.EquityMarket, from, to *value.Date, dateField *fundamentals.DividendDateField,
	status *fundamentals.DividendStatus, symbols []string, cursor *string, limit *int,
	knownAt *value.Instant) (*fundamentals.DividendPage, error) {
	filter := fundamentals.DividendFilter{Market: m, From: from, To: to, DateField: dateField, Status: status, Symbols: symbols}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.DividendPage, error) {
		return s.Fundamentals.Dividends(ctx, filter, cursor, limit)
	})
}

func (i instrument) Dividends(ctx context.Context, of []*market.Instrument, first *int,
	knownAt *value.Instant) ([][]*fundamentals.Dividend, []error) {
	return thenEach(ctx, i.services, knownAt, of, func(s *services.Services) ([][]*fundamentals.Dividend, []error) {
		return s.Fundamentals.DividendsOf(ctx, of, first)
	})
}
