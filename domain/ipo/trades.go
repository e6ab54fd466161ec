package ipo

import (
	"context"
	"slices"
	"sync"

	"piyasa/domain/market"
	"piyasa/value"
)

// Trade asks whether a share has traded from a day on.
type Trade struct {
	Share market.ID
	From  value.Date
}

// Store is where the first days of shares are read from.
type Store interface {
	// FirstDays are the starts of the first daily bars with a close that shares
	// have from a day on, in order; null for those that have none.
	FirstDays(ctx context.Context, trades []Trade) ([]value.Instant, error)
}

// trades keeps what was read of first days until the bars of the share change.
type trades struct {
	mu      sync.Mutex
	known   map[Trade]value.Date // null: none so far
	asked   map[market.ID]bool   // of which something is known, or being read
	changes int                  // of bars of what was asked for
}

func newTrades() trades { return trades{known: map[Trade]value.Date{}, asked: map[market.ID]bool{}} }

// DailyBarsChanged forgets the first days of shares whose daily bars changed.
// It passes over whatever else changed.
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

// first are the first days of trades; what is not known is read with one call.
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

// clear forgets everything, as when other offerings may ask.
func (t *trades) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
	clear(t.asked)
	t.changes++
}

// share is the listed share of an offering; empty when it has none.
func (s *Service) share(r *Record) market.ID {
	if r.InstrumentID != "" || r.Symbol == nil {
		return r.InstrumentID
	}
	in, err := s.Market.Catalog().Resolve(string(market.BIST)+":"+*r.Symbol, market.CanonicalForm)
	if err != nil {
		return ""
	}
	return in.InstrumentID
}

// trade asks for the first day of an offering's share after demand was
// collected, before which it cannot trade; without an end of demand known,
// after it began. There is nothing to ask before that, nor once the day that
// the source states has come.
func (s *Service) trade(r *Record, today value.Date) (t Trade, ok bool) {
	collected := r.DemandEnd
	if collected.IsNull() {
		collected = r.DemandStart
	}
	if collected.IsNull() || !collected.Before(today) || reached(r.FirstTradeDate, today) {
		return t, false
	}
	t = Trade{s.share(r), collected.AddDays(1)}
	return t, t.Share != ""
}

// debuts are the first days on which the shares of offerings traded, by what
// is stored of them: those that are not over by the word of their source.
func (s *Service) debuts(ctx context.Context, records []*Record, today value.Date) (map[*Record]debut, error) {
	var all []Trade
	of := map[*Record]Trade{}
	for _, r := range records {
		if t, ok := s.trade(r, today); ok {
			of[r], all = t, append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	days, err := s.Live.trades.first(ctx, s.Store, all)
	if err != nil {
		return nil, err
	}
	debuts := make(map[*Record]debut, len(of))
	for r, t := range of {
		d := debut{share: t.Share}
		if day := days[t]; reached(day, today) {
			d.day = day
		}
		priced := value.TurkeyDay(s.Market.PricedAt(t.Share))
		d.traded = !d.day.IsNull() || (!priced.Before(t.From) && reached(priced, today))
		debuts[r] = d
	}
	return debuts, nil
}

// debut is what is stored of a share's first day.
type debut struct {
	share  market.ID
	traded bool       // it has a bar or a price from after demand was collected
	day    value.Date // of its first bar; null while it has only a price
}

// note says what an answer takes from the share instead of the source; nil when
// that is nothing.
func (d debut) note(r *Record) *string {
	switch {
	case !d.traded:
		return nil
	case !r.FirstTradeDate.IsNull():
		return new("The first trade date is that of the source; " + string(d.share) + " traded earlier.")
	case d.day.IsNull():
		return new("The source states no first trade date; " + string(d.share) + " has a price but no daily bar yet.")
	}
	return new("The source states no first trade date; this is the day of the first daily bar of " + string(d.share) + " after book-building.")
}
