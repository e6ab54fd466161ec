package market

import (
	"sync"
	"time"

	"piyasa/internal/value"
)

// TradingCalendar assigns moments to the days of an instrument, and knows on which days it
// trades. A day has one daily bar. It runs until the next day begins, and it begins at the
// start of a short bar, so that no short bar belongs to two days.
//
//	bist, fx                 days of Turkey time
//	crypto                   twelve slots of two hours, from 01:00 UTC
//	index with known hours   from one opening to the next, of the days on which it trades
//	index that never closes  days of the session's zone
//	all others               days of UTC
type TradingCalendar struct {
	market     Market
	zone       *time.Location
	session    *Session                   // whose openings begin the days; nil: midnight begins them
	week       Week                       // the days on which it trades
	everyDay   bool                       // coins, and indices that never close: the week and exceptions do not matter
	exceptions map[value.Date]*TradingDay // of the market
}

// CalendarOf returns the calendar of an instrument. session is that of its record, or nil;
// exceptions must include those of the market.
func CalendarOf(m Market, session *Session, exceptions Exceptions) TradingCalendar {
	c := TradingCalendar{market: m, zone: m.zone(), week: "mon-fri", everyDay: m == Crypto, exceptions: exceptions[m]}
	if m != Index || session == nil {
		return c
	}
	if session.Days != nil {
		c.week = *session.Days
	}
	zone, ok := zoneOf(session.Timezone)
	switch {
	case !ok:
	case session.Open != nil && session.Close != nil:
		c.zone, c.session = zone, session
	case session.AlwaysOpen:
		c.zone, c.everyDay = zone, true
	}
	return c
}

// TradingCalendar returns the calendar of an instrument of a market. in is nil if the catalog
// lacks the instrument.
func (s *Snapshot) TradingCalendar(m Market, in *Instrument) TradingCalendar {
	if in == nil {
		return CalendarOf(m, nil, s.exceptions)
	}
	return CalendarOf(in.Market, in.Session, s.exceptions)
}

// calendar returns the calendar of the instrument without exceptions, for callers that need
// only its zone.
func (in *Instrument) calendar() TradingCalendar { return CalendarOf(in.Market, in.Session, nil) }

// calendarOf returns the calendar of the instrument with an id, known or not.
func (s *Snapshot) calendarOf(id ID) TradingCalendar {
	return s.TradingCalendar(id.Market(), s.Catalog.ByID(id))
}

var zones sync.Map // name → *time.Location

// zoneOf returns a zone of the IANA database. It keeps zones, because reading
// one is slow.
func zoneOf(name string) (*time.Location, bool) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, zone)
	return zone, true
}

// today returns the date of now in the zone of the calendar.
func (c TradingCalendar) today(now value.Instant) value.Date { return value.DayIn(now, c.zone) }

// Trades reports whether it trades on a day: as a TradingDay says, else on the days of its
// week. The week is Monday to Friday unless the session of an index says otherwise. In markets
// without known holidays, every weekday counts.
func (c TradingCalendar) Trades(d value.Date) bool {
	if c.everyDay {
		return true
	}
	if e := c.exceptions[d]; e != nil {
		return e.Open != nil
	}
	return c.week.has(d.Weekday())
}

// KnowsHolidays reports whether all days without trading are known.
func (c TradingCalendar) KnowsHolidays() bool { return c.market == BIST || c.everyDay }

// TradesOnWeekends reports whether it trades on any Saturday or Sunday.
func (c TradingCalendar) TradesOnWeekends() bool {
	for d, e := range c.exceptions {
		if d.IsWeekend() && e.Open != nil {
			return true
		}
	}
	return c.everyDay || c.week.has(time.Saturday) || c.week.has(time.Sunday)
}

// CanHave reports whether a day can have a daily bar: whether it is a trading day. Pairs and
// funds may have prices on weekends, too. So may bist while nothing is known of its calendar,
// because its source states special days as bars.
func (c TradingCalendar) CanHave(d value.Date) bool {
	weekends := c.market == FX || c.market == Fund || c.market == BIST && len(c.exceptions) == 0
	return c.Trades(d) || weekends && c.exceptions[d] == nil
}

// shows reports whether answers show a stored bar. Where sessions begin the days, short bars
// follow the sessions, so all of them are shown; elsewhere bars of days without trading are
// not.
func (c TradingCalendar) shows(b *Bar) bool {
	d := c.market.DayOf(b)
	if b.Resolution == Day || c.market == BIST || c.exceptions[d] != nil && c.session == nil {
		return c.CanHave(d)
	}
	return true
}

// day returns the day that t belongs to.
func (c TradingCalendar) day(t value.Instant) value.Date {
	d := value.DayIn(t, c.zone)
	if c.session != nil {
		d = d.AddDays(1) // the session of the next day may begin the evening before
	}
	for !c.begins(d) || c.start(d).After(t) {
		d = d.AddDays(-1)
	}
	return d
}

// begins reports whether moments can belong to d. Where sessions begin the days, d must have a
// session.
func (c TradingCalendar) begins(d value.Date) bool { return c.session == nil || c.Trades(d) }

// hours returns when the session of a day opens and closes; null if not known. For a day
// without a session it returns the usual hours.
func (c TradingCalendar) hours(session *Session, d value.Date) (opens, closes *ClockTime) {
	if e := c.exceptions[d]; e != nil && e.Open != nil && !c.everyDay {
		return e.Open, e.Close
	}
	return session.Open, session.Close
}

// start returns the first moment of the day d.
func (c TradingCalendar) start(d value.Date) value.Instant {
	switch {
	case c.market == Crypto:
		return d.Start(c.zone).Add(time.Hour)
	case c.session == nil:
		return d.Start(c.zone)
	}
	opens, closes := c.hours(c.session, d)
	if *closes <= *opens { // a session over midnight belongs to the day on which it closes
		d = d.AddDays(-1)
	}
	return c.market.slot(opens.on(d, c.zone))
}

// end returns the first moment after the day d. Special hours in an evening may overlap the
// session of the next day, which has begun by then: the day with these hours is then empty.
func (c TradingCalendar) end(d value.Date) value.Instant {
	start, end := c.start(d), c.start(c.next(d))
	if after := c.start(c.next(c.next(d))); after.Before(end) {
		end = after
	}
	if end.Before(start) {
		return start
	}
	return end
}

// next returns the next day that moments can belong to.
func (c TradingCalendar) next(d value.Date) value.Date {
	for d = d.AddDays(1); !c.begins(d); {
		d = d.AddDays(1)
	}
	return d
}

// hasBar reports whether observations of a day make a daily bar. The daily bars of bist are
// ingested.
func (c TradingCalendar) hasBar(d value.Date) bool { return c.market != BIST && c.CanHave(d) }

// DayAt returns the day of a moment in the calendar of the market.
func (m Market) DayAt(t value.Instant) value.Date { return value.DayIn(t, m.zone()) }

// slot returns the start of the market's short bar that t belongs to: the
// five-minute mark, or for coins the odd hour, at or before t.
func (m Market) slot(t value.Instant) value.Instant {
	if m == Crypto {
		return value.At(t.Time().Add(-time.Hour).Truncate(2 * time.Hour).Add(time.Hour))
	}
	return value.At(t.Time().Truncate(5 * time.Minute))
}
