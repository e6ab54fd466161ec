package market

import (
	"context"
	"time"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// MarketCalendar is the days of a market in a range: its sessions, half days and holidays.
// Hours are local to Timezone.
type MarketCalendar struct {
	Market   Market       `json:"market"`
	Timezone string       `json:"timezone"`
	Days     []*MarketDay `json:"days"` // ascending
	Count    int          `json:"count"`

	// ExceptionsUntil is the last day with a stated exception to the week; later holidays are
	// not known yet. Null: no exception is stated.
	ExceptionsUntil value.Date `json:"exceptions_until"`
}

// MarketDay is one day of a market. Open and close are null without a session, and where the
// hours are not known or differ between instruments.
type MarketDay struct {
	Date  value.Date `json:"date"`
	State DayState   `json:"state"`
	Open  *ClockTime `json:"open"`
	Close *ClockTime `json:"close"`
}

// DayState says whether a market trades on a day.
type DayState string

// The states of days.
const (
	SessionDay DayState = "session"
	HalfDay    DayState = "half_day" // its session ends before the usual time
	Holiday    DayState = "holiday"
	Weekend    DayState = "weekend" // not a day of the market's week
)

var _ = value.Enum(SessionDay, HalfDay, Holiday, Weekend)

// maxCalendarDays is the longest range of a calendar, in days.
const maxCalendarDays = 3660

// Calendar returns the days of a market from one to another, both included; by default the
// current year. Any key. Problems: inverted-window, window-too-long.
func (s *Service) Calendar(ctx context.Context, m Market, from, to *value.Date) (*MarketCalendar, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	of := s.Live.Snapshot().TradingCalendar(m, nil)
	days := yearOf(of.today(s.Now()), from, to)
	if err := days.Check("A calendar", maxCalendarDays); err != nil {
		return nil, err
	}
	c := &MarketCalendar{Market: m, Timezone: of.zone.String()}
	if of.zone == value.Turkey {
		c.Timezone = istanbul
	}
	for d := days.From.Date; !days.To.Date.Before(d); d = d.AddDays(1) {
		c.Days = append(c.Days, of.marketDay(d))
	}
	for d := range of.exceptions {
		c.ExceptionsUntil = latest(c.ExceptionsUntil, d)
	}
	c.Count = len(c.Days)
	access.Charge(ctx, access.Unit)
	return c, nil
}

// yearOf completes a range. By default it is the year of to, or of today.
func yearOf(today value.Date, from, to *value.Date) value.Range {
	of := today
	if to != nil {
		of = *to
	} else if from != nil {
		of = *from
	}
	year := of.Year()
	return value.Range{
		From: value.BoundOf(from, value.NewDate(year, time.January, 1), "the first day of the year"),
		To:   value.BoundOf(to, value.NewDate(year, time.December, 31), "the last day of the year"),
	}
}

// marketDay returns a day as a calendar shows it.
func (c TradingCalendar) marketDay(d value.Date) *MarketDay {
	day := &MarketDay{Date: d, State: SessionDay}
	if c.market == BIST {
		day.Open, day.Close = &bistOpen, &bistClose
	}
	switch e := c.exceptions[d]; {
	case c.everyDay:
	case e != nil && e.Open != nil:
		if day.Close != nil && *e.Close < *day.Close {
			day.State = HalfDay
		}
		day.Open, day.Close = e.Open, e.Close
	case !c.week.has(d.Weekday()):
		day.State, day.Open, day.Close = Weekend, nil, nil
	case e != nil:
		day.State, day.Open, day.Close = Holiday, nil, nil
	}
	return day
}
