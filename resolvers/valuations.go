package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

func (q query) Valuation(ctx context.Context, id string, currency *market.Currency) (*fundamentals.Valuation, error) {
	return q.services.Fundamentals.Valuation(ctx, id, currency)
}

func (q query) Valuations(ctx context.Context, ids []string, currency *market.Currency) (*fundamentals.ValuationBatch, error) {
	return q.services.Fundamentals.Valuations(ctx, ids, currency)
}

func (q query) ValuationHistory(ctx context.Context, id string, from, to *value.Date,
	currency *market.Currency) (*fundamentals.ValuationHistory, error) {
	return q.services.Fundamentals.ValuationHistory(ctx, id, fundamentals.ValuationHistoryArgs{From: from, To: to, Currency: currency})
}

func (i instrument) Valuation(ctx context.Context, of []*market.Instrument,
	currency *market.Currency) ([]*fundamentals.Valuation, []error) {
	return i.services.Fundamentals.ValuationsOf(ctx, of, currency)
}

func (i instrument) ValuationHistory(ctx context.Context, of []*market.Instrument,
	from, to *value.Date) ([]*fundamentals.ValuationHistory, []error) {
	return i.services.Fundamentals.ValuationHistoryOf(ctx, of, fundamentals.ValuationHistoryArgs{From: from, To: to})
}
