package fundamentals

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/cache"
)

// HistoryKey identifies a filing history: a company, and the currency of its
// statements.
type HistoryKey struct {
	Company  market.ID
	Currency string
}

// StatementStore reads statements.
type StatementStore interface {
	// Statements returns the stored filings of each key, unordered, and the last number of the
	// feed of statements at the moment of the read.
	Statements(ctx context.Context, keys []HistoryKey) (filings map[HistoryKey][]*Filed, head int64, err error)
}

// HistoryCache reads filing histories and keeps each until one of its statements changes.
type HistoryCache struct {
	histories *cache.Followed[HistoryKey, *FilingHistory]
}

// filingBytes is about how much memory a filing takes.
const filingBytes = 2 << 10

// NewHistoryCache returns a cache over store that takes up to about most bytes; with 0 it keeps
// nothing. followed reports whether the feed of statements is followed; if not, every history
// is read.
func NewHistoryCache(store StatementStore, most int, followed func() bool) *HistoryCache {
	read := func(ctx context.Context, keys []HistoryKey) ([]*FilingHistory, int64, error) {
		filings, head, err := store.Statements(ctx, keys)
		if err != nil {
			return nil, 0, err
		}
		histories := make([]*FilingHistory, len(keys))
		for i, k := range keys {
			histories[i] = NewFilingHistory(filings[k])
		}
		return histories, head, nil
	}
	return &HistoryCache{cache.New(cache.Options[HistoryKey, *FilingHistory]{
		Read:     read,
		Bytes:    func(_ HistoryKey, h *FilingHistory) int { return filingBytes * (1 + h.size()) },
		MaxBytes: most, Current: followed,
	})}
}

// Of returns the histories of keys in their order, empty for a company that filed nothing.
// Histories that are not kept are read together.
func (c *HistoryCache) Of(ctx context.Context, keys []HistoryKey) ([]*FilingHistory, error) {
	return c.histories.Of(ctx, keys)
}

// Counts returns the counters of the cache, by company.
func (c *HistoryCache) Counts() cache.Counts { return c.histories.Counts() }

// Changed drops the histories of keys, which have changed up to the number head.
func (c *HistoryCache) Changed(head int64, keys []HistoryKey) { c.histories.Apply(head, keys, nil) }

// Forget drops all histories: any of them may have changed, up to the number head.
func (c *HistoryCache) Forget(head int64) { c.histories.Forget(head) }

// Published drops the histories of keys, because the disclosure platform has published more
// about their companies. Its number is of another feed.
func (c *HistoryCache) Published(_ int64, keys []HistoryKey) { c.histories.Drop(keys) }

// ForgetPublished drops all histories for the same reason. Its number is of another feed.
func (c *HistoryCache) ForgetPublished(int64) { c.histories.DropAll() }
