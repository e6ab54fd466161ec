package ipo

import (
	"context"
	"slices"
	"sync"

	"piyasa/domain/market"
	"piyasa/value"
)

// Trade is the question whether a share has traded from a day on.
type Trade struct {
	Share market.ID
	From  value.Date
}

// trades caches first days until the bars of the share change.
type trades struct {
	mu      sync.Mutex
	known   map[Trade]value.Date // null: none so far
	asked   map[market.ID]bool   // of which something is known, or being read
	changes int                  // of bars of what was asked for
}

// newTrades returns an empty cache.
func newTrades() trades { return trades{known: map[Trade]value.Date{}, asked: map[market.ID]bool{}} }

// DailyBarsChanged drops the first days of shares whose daily bars changed. It
// ignores other ids.
func (l *Live) DailyBarsChanged(ids []string) {
	l.trades.mu.Lock()
	defer l.trades.mu.Unlock()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !l.trades.asked[market.ID(id)] })
	if len(ids) == 0 {
		return
	}
	l.trades.changes++
	for t := range l.trades.known {
		if slices.Contains(ids, string(t.Share)) {
			delete(l.trades.known, t)
		}
	}
}

// AllBarsChanged drops all first days.
func (l *Live) AllBarsChanged() { l.trades.clear() }

// first returns the first days of trades. It reads those that are not cached
// with one call.
func (t *trades) first(ctx context.Context, store Store, all []Trade) (map[Trade]value.Date, error) {
	days := make(map[Trade]value.Date, len(all))
	var missing []Trade
	t.mu.Lock()
	for _, one := range all {
		if day, ok := t.known[one]; ok {
			days[one] = day
		} else if !slices.Contains(missing, one) {
			missing = append(missing, one)
			t.asked[one.Share] = true
		}
	}
	changes := t.changes
	t.mu.Unlock()
	if len(missing) == 0 {
		return days, nil
	}
	starts, err := store.FirstDays(ctx, missing)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, one := range missing {
		if !starts[i].IsNull() {
			days[one] = one.Share.Market().DayOf(&market.Bar{T: starts[i]})
		} else {
			days[one] = value.Date{}
		}
		if t.changes == changes { // else it may be outdated
			t.known[one] = days[one]
		}
	}
	return days, nil
}

// clear drops everything.
func (t *trades) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
	clear(t.asked)
	t.changes++
}
