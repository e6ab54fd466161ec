package market

import "piyasa/value"

// ClosedAt is when the daily bar of an instrument's day was complete: at the
// close of the session where the hours are known, else at the end of the day.
// While the day goes on it is when the newest price of it was observed, or null.
func (s *Service) ClosedAt(in *Instrument, d value.Date) value.Instant {
	snapshot, days := s.Live.Snapshot(), in.calendar()
	began, closed := days.start(d), days.end(d)
	switch {
	case in.Market == BIST:
		closed = bistClosed(snapshot.exceptions, d)
	case in.Session != nil && in.Session.Close != nil:
		if zone, ok := zoneOf(in.Session.Timezone); ok {
			closed = in.Session.Close.on(d, zone)
		}
	}
	if !closed.After(s.Now()) {
		return closed
	}
	if o := snapshot.quotes[in.InstrumentID]; o != nil && began.Before(o.AsOf) && o.AsOf.Before(closed) {
		return o.AsOf
	}
	return value.Instant{}
}

// BistClosedAt is ClosedAt of an index of the Istanbul exchange, whose levels
// are stated without a time.
func (s *Service) BistClosedAt(d value.Date) value.Instant {
	if closed := bistClosed(s.Live.Snapshot().exceptions, d); !closed.After(s.Now()) {
		return closed
	}
	return value.Instant{}
}

// bistClosed is when the session of the Istanbul exchange ends on a day.
func bistClosed(exceptions map[value.Date]*TradingDay, d value.Date) value.Instant {
	if h := bistHours(exceptions, d); h.trades() {
		return h.closesAt()
	}
	return bistClose.on(d, value.Turkey)
}
