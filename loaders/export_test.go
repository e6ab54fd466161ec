package loaders

import (
	"context"

	"piyasa/domain/market"
)

// WithSeen is With, and tells seen the size of every batch before it goes out.
func WithSeen(ctx context.Context, m *market.Service, seen func(size int)) context.Context {
	ctx = With(ctx, m)
	quotes := &ctx.Value(setKey{}).(*Set).quotes
	fetch := quotes.fetch
	quotes.fetch = func(ctx context.Context, of []*market.Instrument, currency *market.Currency) ([]*market.Quote, []error) {
		seen(len(of))
		return fetch(ctx, of, currency)
	}
	return ctx
}
