package ipo

import (
	"context"
	"slices"
	"sync"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Trade asks whether a share has traded from a day on.
type Trade struct {
	Share market.ID
	From  value.Date
}

// trades caches first days until the bars of the share change.
type trades struct {
	mu      sync.Mutex
	known   map[Trade]value.Date // null: none so far
	asked   map[market.ID]bool   // shares in known, or being read
	changes int                  // of bars of these shares
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

// first returns the first days of trades. It reads those that are not cached with one call, and
// again those whose first bar is on a day without trading.
func (s *Service) first(ctx context.Context, all []Trade) (map[Trade]value.Date, error) {
	t := &s.Live.trades
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
	found, err := s.firstDays(ctx, missing)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, one := range missing {
		days[one] = found[i]
		if t.changes == changes { // otherwise it may be outdated
			t.known[one] = found[i]
		}
	}
	return days, nil
}

// mostHidden is the most bars on days without trading that may precede a first day.
const mostHidden = 31

// firstDays reads the first days of trades; null: none.
func (s *Service) firstDays(ctx context.Context, all []Trade) ([]value.Date, error) {
	days, unread, places := make([]value.Date, len(all)), slices.Clone(all), make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	for round := 0; len(unread) > 0 && round < mostHidden; round++ {
		starts, err := s.Store.FirstDays(ctx, unread)
		if err != nil {
			return nil, err
		}
		again := 0
		for i, one := range unread {
			if starts[i].IsNull() {
				continue
			}
			m := one.Share.Market()
			if day := m.DayAt(starts[i]); s.Market.Live.Snapshot().TradingCalendar(m, nil).CanHave(day) {
				days[places[i]] = day
			} else {
				unread[again], places[again] = Trade{one.Share, day.AddDays(1)}, places[i]
				again++
			}
		}
		unread, places = unread[:again], places[:again]
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
