package fundamentals

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/cache"
)

// DividendSource is a Store whose dividends KeptDividends can keep.
type DividendSource interface {
	Store
	// AllDividends returns all dividends of each instrument, in the order of Dividends,
	// and the last number of the feed at the moment of the read.
	AllDividends(ctx context.Context, ids []market.ID) (lists [][]*DividendRecord, head int64, err error)
}

// KeptDividends answers for the dividends of instruments from memory, and passes other
// questions to the store.
type KeptDividends struct {
	Store
	lists *cache.Followed[market.ID, []*DividendRecord]
}

const (
	dividendBytes     = 256      // of a record
	maxDividendsBytes = 32 << 20 // of all kept records
)

// KeepDividends returns an empty KeptDividends over store. current reports whether the feed is
// followed; if not, memory does not answer.
func KeepDividends(store DividendSource, current func() bool) *KeptDividends {
	return &KeptDividends{store, cache.New(cache.Options[market.ID, []*DividendRecord]{
		Read:     store.AllDividends,
		Bytes:    func(_ market.ID, all []*DividendRecord) int { return dividendBytes * (1 + len(all)) },
		MaxBytes: maxDividendsBytes, Current: current,
	})}
}

// Counts returns the counters of requests and of kept lists, by instrument.
func (k *KeptDividends) Counts() cache.Counts { return k.lists.Counts() }

// Changed drops the dividends of instruments, which have changed up to the number head.
func (k *KeptDividends) Changed(head int64, ids []market.ID) { k.lists.Apply(head, ids, nil) }

// Forget drops all kept dividends: any of them may have changed, up to the number head.
func (k *KeptDividends) Forget(head int64) { k.lists.Forget(head) }

// Dividends implements Store.
func (k *KeptDividends) Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*DividendRecord, error) {
	if !k.lists.Follows() {
		return k.Store.Dividends(ctx, ids, first)
	}
	lists, err := k.lists.Of(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[market.ID][]*DividendRecord, len(ids))
	for i, id := range ids {
		if all := lists[i]; len(all) > 0 {
			found[id] = all[:min(first, len(all))]
		}
	}
	return found, nil
}
