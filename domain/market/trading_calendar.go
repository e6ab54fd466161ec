package market

import "piyasa/value"

// TradingCalendar knows on which days an instrument trades, as far as piyasa knows it.
type TradingCalendar struct {
	calendar
	exceptions map[value.Date]*TradingDay
}

// TradingCalendar returns the calendar of an instrument of a market; in may be nil, for one
// that the catalog lacks.
func (s *Snapshot) TradingCalendar(m Market, in *Instrument) TradingCalendar {
	if in == nil {
		return TradingCalendar{calendarOf(m, nil), s.exceptions}
	}
	return TradingCalendar{in.calendar(), s.exceptions}
}

// EveryDay reports whether it trades on weekends, too: coins, and indices that never close.
func (c TradingCalendar) EveryDay() bool { return c.market == Crypto || c.always }

// KnowsHolidays reports whether the days on which it is closed are known.
func (c TradingCalendar) KnowsHolidays() bool { return c.market == BIST || c.EveryDay() }

// TradesOnWeekends reports whether it trades on any Saturday or Sunday.
func (c TradingCalendar) TradesOnWeekends() bool {
	if c.market != BIST {
		return c.EveryDay()
	}
	for d, e := range c.exceptions {
		if d.IsWeekend() && e.Open != nil {
			return true
		}
	}
	return false
}

// Trades reports whether it trades on a day. Of markets whose holidays are not known that is
// every weekday.
func (c TradingCalendar) Trades(d value.Date) bool {
	if c.market == BIST {
		return bistHours(c.exceptions, d).trades()
	}
	return c.EveryDay() || !d.IsWeekend()
}

// DayAt returns the day of a moment in the calendar of the market.
func (m Market) DayAt(t value.Instant) value.Date { return value.DayIn(t, m.zone()) }

// Markets lists the markets in their order.
func Markets() []Market {
	all := make([]Market, len(marketTable))
	for i, row := range marketTable {
		all[i] = row.market
	}
	return all
}

// ByID returns the instrument with a canonical id, or nil.
func (c *Catalog) ByID(id ID) *Instrument { return c.byID[id] }

// Of returns the instruments of a market.
func (c *Catalog) Of(m Market) []*Instrument {
	var all []*Instrument
	for _, in := range c.sorted {
		if in.Market == m {
			all = append(all, in.Instrument)
		}
	}
	return all
}
