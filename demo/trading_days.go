package demo

import (
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// fixedDay is a day with the same exception on the Istanbul exchange every year. Religious
// holidays move with the moon and are left out.
type fixedDay struct {
	month  time.Month
	day    int
	closes market.ClockTime // empty: no session
}

var fixedDays = []fixedDay{
	{time.January, 1, ""},
	{time.April, 23, ""},
	{time.May, 1, ""},
	{time.May, 19, ""},
	{time.July, 15, ""},
	{time.August, 30, ""},
	{time.October, 28, "13:00"},
	{time.October, 29, ""},
}

// tradingDays returns the exceptions of last year, to which history goes back, this year and
// next year. Weekends need no exception, and one with hours would open them.
func tradingDays(now value.Instant) []*market.TradingDay {
	var days []*market.TradingDay
	this := now.Time().In(location(istanbul)).Year()
	for year := this - 1; year <= this+1; year++ {
		for _, f := range fixedDays {
			d := &market.TradingDay{Market: market.BIST, Date: value.NewDate(year, f.month, f.day)}
			if w := d.Date.Weekday(); w == time.Saturday || w == time.Sunday {
				continue
			}
			if f.closes != "" {
				d.Open, d.Close = bistHours.Open, new(f.closes)
			}
			days = append(days, d)
		}
	}
	return days
}
