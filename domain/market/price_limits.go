package market

import (
	"maps"
	"slices"

	"piyasa/internal/value"
)

// PriceLimits are the highest and the lowest price that the Istanbul exchange allows an
// instrument in the session of a day. A quote of that day that states neither has these.
type PriceLimits struct {
	InstrumentID ID            `json:"instrument_id" record:"required"`
	Date         value.Date    `json:"date" record:"required" time:"any"` // a day in Turkey, known before it begins
	LimitUp      value.Decimal `json:"limit_up" record:"required"`        // lira, as prices
	LimitDown    value.Decimal `json:"limit_down" record:"required"`
}

// Validate returns the value.Invalid of the limits, if any.
func (l *PriceLimits) Validate() error {
	switch {
	case l.InstrumentID.Market() != BIST:
		return value.Invalidf("instrument_id", "must be an instrument of bist, where prices have limits; got %s", l.InstrumentID)
	case value.CheckDay("date", l.Date) != nil:
		return value.CheckDay("date", l.Date)
	case l.LimitDown.Sign() <= 0:
		return value.Invalidf("limit_down", "must be above 0; got %s", l.LimitDown)
	case l.LimitUp.Cmp(l.LimitDown) < 0:
		return value.Invalidf("limit_up", "must be at least limit_down, %s; got %s", l.LimitDown, l.LimitUp)
	}
	return nil
}

// LimitDays is the number of newest days with limits that memory keeps. Older quotes show only
// the limits that they state.
const LimitDays = 31

// limitsByDate holds the limits of days by instrument.
type limitsByDate map[value.Date]map[ID]*PriceLimits

// of returns the limits that applied to an observation; nil: not known.
func (l limitsByDate) of(o *Observation) *PriceLimits {
	return l[value.TurkeyDay(o.AsOf)][o.InstrumentID]
}

// with returns a copy of l with more limits.
func (l limitsByDate) with(more []*PriceLimits) limitsByDate {
	next := maps.Clone(l)
	if next == nil {
		next = limitsByDate{}
	}
	own := map[value.Date]bool{}
	for _, one := range more {
		if !own[one.Date] {
			own[one.Date] = true
			if next[one.Date] = maps.Clone(next[one.Date]); next[one.Date] == nil {
				next[one.Date] = map[ID]*PriceLimits{}
			}
		}
		next[one.Date][one.InstrumentID] = one
	}
	days := slices.SortedFunc(maps.Keys(next), value.Date.Compare)
	for _, day := range days[:max(0, len(days)-LimitDays)] {
		delete(next, day)
	}
	return next
}

// PutPriceLimits adds or replaces limits.
func (l *Live) PutPriceLimits(limits []*PriceLimits) {
	if len(limits) > 0 {
		l.putPriceLimits(l.Snapshot().limits, limits)
	}
}

// SetPriceLimits replaces all limits.
func (l *Live) SetPriceLimits(limits []*PriceLimits) { l.putPriceLimits(nil, limits) }

func (l *Live) putPriceLimits(before limitsByDate, limits []*PriceLimits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.snapshot.Load()
	next.limits = before.with(limits)
	l.snapshot.Store(&next)
}
