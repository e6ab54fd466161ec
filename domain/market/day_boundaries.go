package market

import (
	"sync"
	"time"

	"piyasa/value"
)

// calendar assigns moments to the days of an instrument. A day has one daily
// bar. It runs until the next day begins, and it begins at the start of a short
// bar, so that no short bar belongs to two days.
//
//	bist, fx                 days of Turkey time
//	crypto                   twelve slots of two hours, from 01:00 UTC
//	index with known hours   from one opening to the next, Monday to Friday where the session is
//	index that never closes  days of the session's zone
//	all others               days of UTC
type calendar struct {
	market  Market
	zone    *time.Location
	session *Session // whose openings begin the days; nil: midnight does
	always  bool     // an index that never closes
}

// calendarOf returns the calendar of an instrument; session is that of its
// record, or nil.
func calendarOf(m Market, session *Session) calendar {
	c := calendar{market: m, zone: m.zone()}
	if m != Index || session == nil {
		return c
	}
	zone, ok := zoneOf(session.Timezone)
	switch {
	case !ok:
	case session.Open != nil && session.Close != nil:
		c.zone, c.session = zone, session
	case session.AlwaysOpen:
		c.zone, c.always = zone, true
	}
	return c
}

// calendar returns the calendar of the instrument.
func (in *Instrument) calendar() calendar { return calendarOf(in.Market, in.Session) }

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
func (c calendar) today(now value.Instant) value.Date { return value.DayIn(now, c.zone) }

// day returns the day that t belongs to.
func (c calendar) day(t value.Instant) value.Date {
	d := value.DayIn(t, c.zone)
	if c.session != nil {
		d = d.AddDays(1) // whose session may begin the evening before
	}
	for !c.opens(d) || c.start(d).After(t) {
		d = d.AddDays(-1)
	}
	return d
}

// opens reports whether d has a session: from Monday to Friday where the hours
// are known, else every day.
func (c calendar) opens(d value.Date) bool { return c.session == nil || !d.IsWeekend() }

// start returns the first moment of the day d, which must have a session.
func (c calendar) start(d value.Date) value.Instant {
	switch {
	case c.market == Crypto:
		return d.Start(c.zone).Add(time.Hour)
	case c.session == nil:
		return d.Start(c.zone)
	case *c.session.Close <= *c.session.Open: // a session over midnight is of the day on which it closes
		d = d.AddDays(-1)
	}
	return c.market.slot(c.session.Open.on(d, c.zone))
}

// end returns the first moment of the next day.
func (c calendar) end(d value.Date) value.Instant {
	for d = d.AddDays(1); !c.opens(d); {
		d = d.AddDays(1)
	}
	return c.start(d)
}

// hasBar reports whether a daily bar is made of a day's observations. The daily
// bars of bist are ingested; commodities, and indices unless they never close,
// have bars on weekdays.
func (c calendar) hasBar(d value.Date) bool {
	switch c.market {
	case BIST:
		return false
	case Index, Cmdty:
		return c.always || !d.IsWeekend()
	}
	return true
}

// slot returns the start of the market's short bar that t belongs to: the
// five-minute mark, or for coins the odd hour, at or before t.
func (m Market) slot(t value.Instant) value.Instant {
	if m == Crypto {
		return value.At(t.Time().Add(-time.Hour).Truncate(2 * time.Hour).Add(time.Hour))
	}
	return value.At(t.Time().Truncate(5 * time.Minute))
}
