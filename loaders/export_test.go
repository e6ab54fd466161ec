package loaders

import (
	"context"

	"piyasa/domain/market"
)

// WithSeen is With, and tells seen the size of every batch before it goes out.
func WithSeen(ctx context.Context, m *market.Service, seen func(size int)) context.Context {
	ctx = With(ctx, Services{Market: m})
	set := ctx.Value(setKey{}).(*Set)
	set.quotes.fetch = watched(set.quotes.fetch, seen)
	set.candles.fetch = watched(set.candles.fetch, seen)
	set.eod.fetch = watched(set.eod.fetch, seen)
	return ctx
}

func watched[K, A, V any](fetch func(context.Context, []K, A) ([]V, []error), seen func(int)) func(context.Context, []K, A) ([]V, []error) {
	return func(ctx context.Context, keys []K, args A) ([]V, []error) {
		seen(len(keys))
		return fetch(ctx, keys, args)
	}
}
