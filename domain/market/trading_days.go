package market

import (
	"maps"

	"piyasa/internal/value"
)

// TradingDay is an exception to a market's weekly session: other hours on one day, or no
// session.
type TradingDay struct {
	Market Market     `json:"market" record:"required"`
	Date   value.Date `json:"date" record:"required" time:"any"`
	Open   *ClockTime `json:"open"` // local; both null: a holiday
	Close  *ClockTime `json:"close"`
}

// Validate returns the value.Invalid of the day, if any: both hours or neither
// are stated, in order.
func (d *TradingDay) Validate() error {
	switch {
	case d.Market == Crypto:
		return value.Invalidf("market", "must be one with sessions: coins trade every day, without exceptions")
	case (d.Open == nil) != (d.Close == nil):
		return value.Invalidf("close", "state both open and close (trading hours) or neither (a holiday)")
	case d.Open != nil && *d.Close <= *d.Open:
		return value.Invalidf("close", "must be later than open, %s; got %s", *d.Open, *d.Close)
	}
	return nil
}

const istanbul = "Europe/Istanbul"

// The weekly session of the Istanbul exchange, Monday to Friday.
var bistOpen, bistClose = ClockTime("10:00"), ClockTime("18:00")

// tradingHours is one day of a market: open and close, or no session.
type tradingHours struct {
	date        value.Date
	open, close *ClockTime
	exception   bool // from a TradingDay, not from the week
}

func (h tradingHours) trades() bool            { return h.open != nil }
func (h tradingHours) opensAt() value.Instant  { return h.open.on(h.date, value.Turkey) }
func (h tradingHours) closesAt() value.Instant { return h.close.on(h.date, value.Turkey) }

// bistHours returns the session of the Istanbul exchange on a day, exceptions
// included.
func bistHours(exceptions map[value.Date]*TradingDay, d value.Date) tradingHours {
	if e := exceptions[d]; e != nil {
		return tradingHours{d, e.Open, e.Close, true}
	}
	if d.IsWeekend() {
		return tradingHours{date: d}
	}
	return tradingHours{d, &bistOpen, &bistClose, false}
}

// BistSession returns the session of the Istanbul exchange on a day, with the
// given exceptions to its week; ok is false when there is none.
func BistSession(exceptions []*TradingDay, d value.Date) (opens, closes value.Instant, ok bool) {
	h := bistHours(Exceptions{}.With(exceptions)[BIST], d)
	if !h.trades() {
		return value.Instant{}, value.Instant{}, false
	}
	return h.opensAt(), h.closesAt(), true
}

// IsTradingDay reports whether the Istanbul exchange trades on a day.
func (s *Service) IsTradingDay(d value.Date) bool {
	return s.Live.Snapshot().TradingCalendar(BIST, nil).Trades(d)
}

// Exceptions are the trading days of markets by date.
type Exceptions map[Market]map[value.Date]*TradingDay

// With returns a copy of e with more days.
func (e Exceptions) With(days []*TradingDay) Exceptions {
	all, own := maps.Clone(e), map[Market]bool{}
	if all == nil {
		all = Exceptions{}
	}
	for _, d := range days {
		if !own[d.Market] {
			own[d.Market] = true
			of := make(map[value.Date]*TradingDay, len(e[d.Market])+len(days))
			maps.Copy(of, e[d.Market])
			all[d.Market] = of
		}
		all[d.Market][d.Date] = d
	}
	return all
}

// changed returns the days that differ in next: as next has them or, if next lacks them, as e
// has them.
func (e Exceptions) changed(next Exceptions) (days []*TradingDay) {
	for m, of := range next {
		for date, d := range of {
			if old := e[m][date]; old == nil || !samePtr(old.Open, d.Open) || !samePtr(old.Close, d.Close) {
				days = append(days, d)
			}
		}
	}
	for m, of := range e {
		for date, d := range of {
			if next[m][date] == nil {
				days = append(days, d)
			}
		}
	}
	return days
}

// maxClosure bounds the search for a neighbouring trading day, in days; no market has been
// closed for so long.
const maxClosure = 400

// nextBistOpen returns the first opening after now, or null.
func nextBistOpen(exceptions map[value.Date]*TradingDay, now value.Instant) value.Instant {
	for d, i := value.TurkeyDay(now), 0; i < maxClosure; d, i = d.AddDays(1), i+1 {
		if h := bistHours(exceptions, d); h.trades() && h.opensAt().After(now) {
			return h.opensAt()
		}
	}
	return value.Instant{}
}

// currentBistDay returns the trading day of now: today once its session has
// begun, else the last one before.
func currentBistDay(exceptions map[value.Date]*TradingDay, now value.Instant) value.Date {
	for d, i := value.TurkeyDay(now), 0; i < maxClosure; d, i = d.AddDays(-1), i+1 {
		if h := bistHours(exceptions, d); h.trades() && !h.opensAt().After(now) {
			return d
		}
	}
	return value.Date{}
}
