package demo

import (
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// timetable says when a market trades.
type timetable struct {
	zone    *time.Location                                          // of its days
	session func(value.Date) (opens, closes time.Time, trades bool) // nil: it never closes
	fixed   bool                                                    // one price a day, at the close
}

// always returns a timetable that never closes; its days begin at midnight in the named zone.
func always(zone string) timetable { return timetable{zone: location(zone)} }

// weekly returns a timetable from Monday to Friday in the hours of s.
func weekly(s *market.Session) timetable {
	zone := location(s.Timezone)
	on := func(day value.Date, hour market.ClockTime) time.Time {
		at, err := time.ParseInLocation(time.DateOnly+" 15:04", day.String()+" "+string(hour), zone)
		if err != nil {
			panic(err) // the hours are constants
		}
		return at
	}
	return timetable{zone: zone, session: func(day value.Date) (opens, closes time.Time, trades bool) {
		w := day.Weekday()
		return on(day, *s.Open), on(day, *s.Close), w != time.Saturday && w != time.Sunday
	}}
}

// exchange returns the timetable of the Istanbul exchange, by the rules of the service.
func exchange(days []*market.TradingDay) timetable {
	type hours struct {
		from, to value.Instant
		trades   bool
	}
	known := map[value.Date]hours{} // every series asks for every day
	return timetable{zone: location(istanbul), session: func(day value.Date) (opens, closes time.Time, trades bool) {
		h, ok := known[day]
		if !ok {
			h.from, h.to, h.trades = market.BistSession(days, day)
			known[day] = h
		}
		return h.from.Time(), h.to.Time(), h.trades
	}}
}

// fixing returns t with one price a day, at the close.
func (t timetable) fixing() timetable {
	return timetable{zone: t.zone, fixed: true, session: func(day value.Date) (opens, closes time.Time, trades bool) {
		_, closes, trades = t.session(day)
		return closes, closes, trades
	}}
}

// day returns the market's day at a moment.
func (t timetable) day(at time.Time) value.Date { return value.NewDate(at.In(t.zone).Date()) }

// lastTrade returns the newest moment up to at with a price: at itself during a session, else
// the last close.
func (t timetable) lastTrade(at time.Time) time.Time {
	if t.session == nil {
		return at
	}
	for day := t.day(at); ; day = day.AddDays(-1) {
		opens, closes, trades := t.session(day)
		switch {
		case !trades || at.Before(opens):
		case at.Before(closes):
			return at
		default:
			return closes.UTC()
		}
	}
}

func location(zone string) *time.Location {
	l, err := time.LoadLocation(zone)
	if err != nil {
		panic(err) // the zones are constants and embedded
	}
	return l
}
