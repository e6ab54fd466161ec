package fundamentals

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"piyasa/domain/market"
)

// HistoryKey identifies a filing history: a company, and the currency of its
// statements.
type HistoryKey struct {
	Company  market.ID
	Currency string
}

// StatementStore reads statements.
type StatementStore interface {
	// Statements returns the stored filings of each key, in no order.
	Statements(ctx context.Context, keys []HistoryKey) (map[HistoryKey][]*Filed, error)
}

// HistoryCache reads filing histories and caches them for a limited time. A
// server that learns of a change invalidates the history; other servers may
// answer from the old one until its time ends.
type HistoryCache struct {
	store StatementStore
	kept  *otter.Cache[HistoryKey, *FilingHistory] // nil: caching is disabled
}

// maxKeptFilings limits the size of the cache; a filing takes about two
// kilobytes.
const maxKeptFilings = 40_000

// NewHistoryCache returns a cache over a store. keep is how long it keeps a
// history; 0 disables caching.
func NewHistoryCache(store StatementStore, keep time.Duration) *HistoryCache {
	c := &HistoryCache{store: store}
	if keep > 0 {
		c.kept = otter.Must(&otter.Options[HistoryKey, *FilingHistory]{
			MaximumWeight:    maxKeptFilings,
			Weigher:          func(_ HistoryKey, h *FilingHistory) uint32 { return 2 + uint32(h.size()) },
			ExpiryCalculator: otter.ExpiryWriting[HistoryKey, *FilingHistory](keep),
		})
	}
	return c
}

// Of returns the histories of keys in their order, empty for a company that
// filed nothing. One call reads those that are not cached.
func (c *HistoryCache) Of(ctx context.Context, keys []HistoryKey) ([]*FilingHistory, error) {
	found, err := c.all(ctx, keys)
	if err != nil {
		return nil, err
	}
	histories := make([]*FilingHistory, len(keys))
	for i, k := range keys {
		histories[i] = found[k]
	}
	return histories, nil
}

func (c *HistoryCache) all(ctx context.Context, keys []HistoryKey) (map[HistoryKey]*FilingHistory, error) {
	if c.kept == nil {
		return c.read(ctx, keys)
	}
	return c.kept.BulkGet(ctx, keys, otter.BulkLoaderFunc[HistoryKey, *FilingHistory](c.read))
}

// read serves every request that waits for the same histories, so it continues
// when the request that started it is cancelled.
func (c *HistoryCache) read(ctx context.Context, keys []HistoryKey) (map[HistoryKey]*FilingHistory, error) {
	filings, err := c.store.Statements(context.WithoutCancel(ctx), keys)
	if err != nil {
		return nil, err
	}
	histories := make(map[HistoryKey]*FilingHistory, len(keys))
	for _, k := range keys {
		histories[k] = NewFilingHistory(filings[k])
	}
	return histories, nil
}

// InvalidateAll drops every history.
func (c *HistoryCache) InvalidateAll() {
	if c.kept != nil {
		c.kept.InvalidateAll()
	}
}

// Invalidate drops the histories of keys, which have changed.
func (c *HistoryCache) Invalidate(keys []HistoryKey) {
	for _, k := range keys {
		if c.kept != nil {
			c.kept.Invalidate(k)
		}
	}
}
