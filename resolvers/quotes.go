package resolvers

import (
	"context"

	"piyasa/domain/market"
)

func (q query) Quote(ctx context.Context, id string, currency *market.Currency) (*market.Quote, error) {
	return q.services.Market.Quote(ctx, id, currency)
}

func (q query) Quotes(ctx context.Context, ids []string, currency *market.Currency) (*market.QuoteBatch, error) {
	return q.services.Market.Quotes(ctx, ids, currency)
}

func (q query) Watchlist(ctx context.Context, ids []string) ([]*market.Instrument, error) {
	return q.services.Market.Watchlist(ctx, ids)
}

func (i instrument) Quote(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*market.Quote, []error) {
	return nowEach(ctx, "quote", of, func() ([]*market.Quote, []error) {
		return i.services.Market.QuotesOf(ctx, of, currency)
	})
}
