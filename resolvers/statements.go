package resolvers

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

func (q query) Financials(ctx context.Context, id string, timeframe *fundamentals.Timeframe, currency *market.Currency,
	basis *fundamentals.StatementBasis, limit *int) (*fundamentals.Financials, error) {
	return q.services.Fundamentals.Financials(ctx, id,
		fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit})
}

func (i instrument) Financials(ctx context.Context, of []*market.Instrument, timeframe *fundamentals.Timeframe, currency *market.Currency,
	basis *fundamentals.StatementBasis, limit *int) ([]*fundamentals.Financials, []error) {
	return i.services.Fundamentals.FinancialsOf(ctx, of,
		fundamentals.FinancialsArgs{Timeframe: timeframe, Currency: currency, Basis: basis, Limit: limit})
}
