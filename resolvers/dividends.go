package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

func (q query) DividendHistory(ctx context.Context, id string) (*fundamentals.DividendHistory, error) {
	return q.services.Fundamentals.DividendHistory(ctx, id)
}

func (q query) Dividends(ctx context.Context, m *market.EquityMarket, from, to *value.Date, dateField *fundamentals.DividendDateField,
	status *fundamentals.DividendStatus, symbols []string, cursor *string, limit *int) (*fundamentals.DividendPage, error) {
	return q.services.Fundamentals.Dividends(ctx,
		fundamentals.DividendFilter{Market: m, From: from, To: to, DateField: dateField, Status: status, Symbols: symbols}, cursor, limit)
}

func (i instrument) Dividends(ctx context.Context, of []*market.Instrument, first *int) ([][]*fundamentals.Dividend, []error) {
	return i.services.Fundamentals.DividendsOf(ctx, of, first)
}
