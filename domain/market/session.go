package market

import (
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"piyasa/value"
)

// Session is the hours of trading, in the local time of its zone.
type Session struct {
	Timezone   string     `json:"timezone" record:"required"` // IANA name
	Open       *ClockTime `json:"open"`                       // null when there is no session or it never closes
	Close      *ClockTime `json:"close"`
	AlwaysOpen bool       `json:"always_open" record:"required"`
}

// ClockTime is a time of day, exactly HH:MM.
type ClockTime string

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *ClockTime) UnmarshalText(text []byte) error {
	*c = ClockTime(text)
	if t, err := time.Parse("15:04", string(text)); err != nil || t.Format("15:04") != string(text) {
		return fmt.Errorf("must be a time of day such as 10:00 (HH:MM)")
	}
	return nil
}

// AppendJSON appends the time of day, which needs no escaping, as a JSON string.
func (c ClockTime) AppendJSON(b []byte) []byte { return strconv.AppendQuote(b, string(c)) }

// MarshalGQL writes the scalar String.
func (c ClockTime) MarshalGQL(w io.Writer) { _, _ = w.Write(c.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar String.
func (c *ClockTime) UnmarshalGQL(v any) error { return value.UnmarshalScalar(v, c, "String") }

// on is the moment of c on the given day in zone.
func (c ClockTime) on(d value.Date, zone *time.Location) value.Instant {
	digit := func(i int) int { return int(c[i] - '0') }
	return d.At(10*digit(0)+digit(1), 10*digit(3)+digit(4), zone)
}

// TradingDay is an exception to a market's weekly session: other hours on one
// day, or none at all.
type TradingDay struct {
	Market Market     `json:"market" record:"required"`
	Date   value.Date `json:"date" record:"required" time:"any"`
	Open   *ClockTime `json:"open"` // local; both null: a holiday
	Close  *ClockTime `json:"close"`
}

const istanbul = "Europe/Istanbul"

// The weekly session of the Istanbul exchange, Monday to Friday.
var bistOpen, bistClose = ClockTime("10:00"), ClockTime("18:00")

// tradingHours is one day of a market: open and close, or no session.
type tradingHours struct {
	date        value.Date
	open, close *ClockTime
	exception   bool // stated by a TradingDay, not by the week
}

func (h tradingHours) trades() bool            { return h.open != nil }
func (h tradingHours) opensAt() value.Instant  { return h.open.on(h.date, value.Turkey) }
func (h tradingHours) closesAt() value.Instant { return h.close.on(h.date, value.Turkey) }

// bistHours is the session of the Istanbul exchange on a day, exceptions
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

// BistSession is the session of the Istanbul exchange on a day, with the given
// exceptions to its week; ok is false when there is none.
func BistSession(exceptions []*TradingDay, d value.Date) (opens, closes value.Instant, ok bool) {
	h := bistHours(exceptionsByDate(nil, exceptions), d)
	if !h.trades() {
		return value.Instant{}, value.Instant{}, false
	}
	return h.opensAt(), h.closesAt(), true
}

// exceptionsByDate adds the exceptions of the Istanbul exchange to a copy of
// known.
func exceptionsByDate(known map[value.Date]*TradingDay, days []*TradingDay) map[value.Date]*TradingDay {
	all := make(map[value.Date]*TradingDay, len(known)+len(days))
	maps.Copy(all, known)
	for _, d := range days {
		if d.Market == BIST {
			all[d.Date] = d
		}
	}
	return all
}

// maxClosure bounds the search for a neighbouring trading day; no market has
// been closed for so long.
const maxClosure = 400

// nextBistOpen is the first opening after now, or null.
func nextBistOpen(exceptions map[value.Date]*TradingDay, now value.Instant) value.Instant {
	for d, i := value.TurkeyDay(now), 0; i < maxClosure; d, i = d.AddDays(1), i+1 {
		if h := bistHours(exceptions, d); h.trades() && h.opensAt().After(now) {
			return h.opensAt()
		}
	}
	return value.Instant{}
}

// currentBistDay is the trading day that now belongs to: today once its
// session has begun, else the last one before.
func currentBistDay(exceptions map[value.Date]*TradingDay, now value.Instant) value.Date {
	for d, i := value.TurkeyDay(now), 0; i < maxClosure; d, i = d.AddDays(-1), i+1 {
		if h := bistHours(exceptions, d); h.trades() && !h.opensAt().After(now) {
			return d
		}
	}
	return value.Date{}
}

// MarketStatus says whether the Istanbul exchange trades now.
type MarketStatus struct {
	Market           Market        `json:"market"`
	State            string        `json:"state"` // open, closed or holiday
	IsOpen           bool          `json:"is_open"`
	Session          Session       `json:"session"`      // of today; open and close are null when there is none
	TradingDay       value.Date    `json:"trading_day"`  // today, or null when it has no session
	OpensAt          value.Instant `json:"opens_at"`     // of today's session
	ClosesAt         value.Instant `json:"closes_at"`    // of today's session
	NextOpenAt       value.Instant `json:"next_open_at"` // first opening after as_of
	DataDelaySeconds int           `json:"data_delay_seconds"`
	AsOf             value.Instant `json:"as_of"` // the service's clock
}

// bistStatus is the status at the moment now. A session is open from its first
// second up to but not including its closing one.
func bistStatus(exceptions map[value.Date]*TradingDay, now value.Instant) *MarketStatus {
	today := bistHours(exceptions, value.TurkeyDay(now))
	s := &MarketStatus{
		Market:           BIST,
		State:            "closed",
		Session:          Session{Timezone: istanbul, Open: today.open, Close: today.close},
		NextOpenAt:       nextBistOpen(exceptions, now),
		DataDelaySeconds: delayedSeconds,
		AsOf:             now.WholeSecond(),
	}
	switch {
	case today.trades():
		s.TradingDay, s.OpensAt, s.ClosesAt = today.date, today.opensAt(), today.closesAt()
		if s.IsOpen = !now.Before(s.OpensAt) && now.Before(s.ClosesAt); s.IsOpen {
			s.State = "open"
		}
	case today.exception:
		s.State = "holiday"
	}
	return s
}

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
