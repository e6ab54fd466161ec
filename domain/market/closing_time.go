package market

import "piyasa/internal/value"

// ClosedAt returns when the daily bar of an instrument's day was complete: at
// the close of the session where the hours are known, else at the end of the
// day. For a running day it returns the time of the newest quote of that day,
// or null.
func (s *Service) ClosedAt(in *Instrument, d value.Date) value.Instant {
	snapshot := s.Live.Snapshot()
	days := snapshot.TradingCalendar(in.Market, in)
	closed := days.closes(in, d)
	if !closed.After(s.Now()) {
		return closed
	}
	if o := snapshot.newest(in.InstrumentID); o != nil && days.start(d).Before(o.AsOf) && o.AsOf.Before(closed) {
		return o.AsOf
	}
	return value.Instant{}
}

// closes returns when the daily bar of an instrument's day is complete.
func (c TradingCalendar) closes(in *Instrument, d value.Date) value.Instant {
	if in.Market == BIST {
		return bistClosed(c.exceptions, d)
	}
	if in.Session != nil && in.Session.Close != nil {
		if zone, ok := zoneOf(in.Session.Timezone); ok {
			_, closes := c.hours(in.Session, d)
			return closes.on(d, zone)
		}
	}
	return c.end(d)
}

// closed returns the newest day whose daily bar is complete.
func (c TradingCalendar) closed(in *Instrument, now value.Instant) value.Date {
	d := c.today(now)
	for c.closes(in, d).After(now) {
		d = d.AddDays(-1)
	}
	return d
}

// BistClosedAt returns when the day of an index of the Istanbul exchange
// closed; null for a running day, since its levels have no time.
func (s *Service) BistClosedAt(d value.Date) value.Instant {
	if closed := bistClosed(s.Live.Snapshot().exceptions[BIST], d); !closed.After(s.Now()) {
		return closed
	}
	return value.Instant{}
}

// bistClosed returns when the session of the Istanbul exchange ends on a day.
func bistClosed(exceptions map[value.Date]*TradingDay, d value.Date) value.Instant {
	if h := bistHours(exceptions, d); h.trades() {
		return h.closesAt()
	}
	return bistClose.on(d, value.Turkey)
}
