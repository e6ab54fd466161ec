package fundamentals

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"piyasa/domain/market"
)

// BookKey names a book: a company, and the currency of its statements.
type HistoryKey struct {
	Company  market.ID
	Currency string
}

// StatementStore is where statements are read from.
type StatementStore interface {
	// Statements are the stored filings under each key, in no order.
	Statements(ctx context.Context, keys []HistoryKey) (map[HistoryKey][]*Filed, error)
}

// Books reads books and keeps them for a while. A book that changes is
// forgotten by the server that hears of it; elsewhere it is old for as long as
// books are kept, at most.
type HistoryCache struct {
	store StatementStore
	kept  *otter.Cache[HistoryKey, *FilingHistory] // nil: nothing is kept
}

// maxKeptFilings bounds what is kept; a filing takes some two kilobytes.
const maxKeptFilings = 40_000

// NewBooks returns books over a store that are kept for some time; zero keeps
// none.
func NewHistoryCache(store StatementStore, keep time.Duration) *HistoryCache {
	b := &HistoryCache{store: store}
	if keep > 0 {
		b.kept = otter.Must(&otter.Options[HistoryKey, *FilingHistory]{
			MaximumWeight:    maxKeptFilings,
			Weigher:          func(_ HistoryKey, b *FilingHistory) uint32 { return 1 + uint32(b.size()) },
			ExpiryCalculator: otter.ExpiryWriting[HistoryKey, *FilingHistory](keep),
		})
	}
	return b
}

// Of are the books under keys, in their order; a company that filed nothing
// has an empty one. What is not kept is read with one call.
func (b *HistoryCache) Of(ctx context.Context, keys []HistoryKey) ([]*FilingHistory, error) {
	found, err := b.all(ctx, keys)
	if err != nil {
		return nil, err
	}
	books := make([]*FilingHistory, len(keys))
	for i, k := range keys {
		books[i] = found[k]
	}
	return books, nil
}

func (b *HistoryCache) all(ctx context.Context, keys []HistoryKey) (map[HistoryKey]*FilingHistory, error) {
	if b.kept == nil {
		return b.read(ctx, keys)
	}
	return b.kept.BulkGet(ctx, keys, otter.BulkLoaderFunc[HistoryKey, *FilingHistory](b.read))
}

// read reads for all who wait for the same books, whoever of them goes away.
func (b *HistoryCache) read(ctx context.Context, keys []HistoryKey) (map[HistoryKey]*FilingHistory, error) {
	filings, err := b.store.Statements(context.WithoutCancel(ctx), keys)
	if err != nil {
		return nil, err
	}
	books := make(map[HistoryKey]*FilingHistory, len(keys))
	for _, k := range keys {
		books[k] = NewFilingHistory(filings[k])
	}
	return books, nil
}

// ForgetAll lets go of every book.
func (b *HistoryCache) InvalidateAll() {
	if b.kept != nil {
		b.kept.InvalidateAll()
	}
}

// Forget lets go of the books under keys, which have changed.
func (b *HistoryCache) Invalidate(keys []HistoryKey) {
	for _, k := range keys {
		if b.kept != nil {
			b.kept.Invalidate(k)
		}
	}
}
