package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/value"
)

func (q query) Financials(ctx context.Context, id string, timeframe *fundamentals.Timeframe, currency *market.Currency, basis *fundamentals.StatementBasis, limit *int) (*fundamentals.Financials, error) {
	return q.services.Fundamentals.Financials(ctx, id, fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit})
}

func (q query) Valuation(ctx context.Context, id string, currency *market.Currency) (*fundamentals.Valuation, error) {
	return q.services.Fundamentals.Valuation(ctx, id, currency)
}

func (q query) Valuations(ctx context.Context, ids []string, currency *market.Currency) (*fundamentals.ValuationBatch, error) {
	return q.services.Fundamentals.Valuations(ctx, ids, currency)
}

func (q query) ValuationHistory(ctx context.Context, id string, from, to *value.Date, currency *market.Currency) (*fundamentals.ValuationHistory, error) {
	return q.services.Fundamentals.ValuationHistory(ctx, id, fundamentals.ValuationHistoryArgs{From: from, To: to, Currency: currency})
}

func (q query) DividendHistory(ctx context.Context, id string) (*fundamentals.DividendHistory, error) {
	return q.services.Fundamentals.DividendHistory(ctx, id)
}

func (q query) Dividends(ctx context.Context, m *market.EquityMarket, from, to *value.Date, dateField *fundamentals.DividendDateField, status *fundamentals.DividendStatus, symbols []string, cursor *string, limit *int) (*fundamentals.DividendPage, error) {
	return q.services.Fundamentals.Dividends(ctx, fundamentals.DividendFilter{Market: m, From: from, To: to, DateField: dateField, Status: status, Symbols: symbols}, cursor, limit)
}

func (i instrument) Valuation(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*fundamentals.Valuation, []error) {
	return i.services.Fundamentals.ValuationsOf(ctx, of, currency)
}

func (i instrument) ValuationHistory(ctx context.Context, of []*market.Instrument, from, to *value.Date) ([]*fundamentals.ValuationHistory, []error) {
	return i.services.Fundamentals.ValuationHistoryOf(ctx, of, fundamentals.ValuationHistoryArgs{From: from, To: to})
}

func (i instrument) Financials(ctx context.Context, of []*market.Instrument, timeframe *fundamentals.Timeframe, currency *market.Currency, basis *fundamentals.StatementBasis, limit *int) ([]*fundamentals.Financials, []error) {
	return i.services.Fundamentals.FinancialsOf(ctx, of, fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit})
}

func (i instrument) Dividends(ctx context.Context, of []*market.Instrument, first *int) ([][]*fundamentals.Dividend, []error) {
	return i.services.Fundamentals.DividendsOf(ctx, of, first)
}
