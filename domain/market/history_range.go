package market

import (
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Lengths of ranges, in days with both ends.
const (
	dailyDays    = 365 // of daily bars by default
	shortDays    = 7   // of shorter bars by default
	maxTwoHourly = 92  // of 2h bars at most
)

// SeriesArgs say which history is asked for; nil members have defaults.
type SeriesArgs struct {
	Resolution *Resolution // of bars; records are of days
	From, To   *value.Date
	Currency   *Currency
	Adjust     *Adjust // default: none

	whole bool // include bars that do not mean the same as the last ones
}

// usualDays returns the length of a range without bounds.
func (r Resolution) usualDays() int {
	if r.stored() == Day {
		return dailyDays
	}
	return shortDays
}

// resolution returns the resolution asked for; by default daily.
func (a SeriesArgs) resolution() Resolution {
	if a.Resolution == nil {
		return Day
	}
	return *a.Resolution
}

// check returns the problem of arguments that do not fit the instruments of ids, known or not:
// first of a resolution (422), then of a range (400).
func (a SeriesArgs) check(c *Catalog, now value.Instant, ids ...string) error {
	for _, id := range ids {
		if m, _, ok := splitID(id); ok {
			if err := a.checkResolution(m); err != nil {
				return err
			}
		}
	}
	for _, id := range ids {
		m, _, _ := splitID(id)
		days := CalendarOf(m, nil, nil)
		if in := c.Find(id, AnyForm).Instrument; in != nil {
			days = in.calendar()
		}
		if _, err := a.days(days, now); err != nil {
			return err
		}
	}
	return nil
}

// checkResolution returns the problem of a resolution that the market does not have.
func (a SeriesArgs) checkResolution(m Market) error {
	if m.hasResolution(a.resolution()) {
		return nil
	}
	text := string(a.resolution())
	return problem.New(problem.UnsupportedResolution, "resolution must be %s for %s; got %q.",
		m.resolutions(resolutions), m, text).About("resolution", text)
}

// rangeOf returns the days asked for of an instrument.
func (a SeriesArgs) rangeOf(in *Instrument, now value.Instant) (value.Range, error) {
	if err := a.checkResolution(in.Market); err != nil {
		return value.Range{}, err
	}
	return a.days(in.calendar(), now)
}

// days completes and checks the bounds. Short bars belong to days in the zone of the market,
// even if the instrument's days differ.
func (a SeriesArgs) days(of TradingCalendar, now value.Instant) (value.Range, error) {
	r, today := a.resolution(), of.today(now)
	if r.stored() != Day {
		today = value.DayIn(now, of.market.zone())
	}
	days := value.LastDays(a.From, a.To, today, r.usualDays())
	if r == TwoHours {
		return days, days.Check("A range of 2h bars", maxTwoHourly)
	}
	return days, days.Check("", 0)
}

// span returns the part of the days that is shown for an instrument.
func (a SeriesArgs) span(in *Instrument, days value.Range, start value.Date, now value.Instant) Span {
	days.From.Date = latest(days.From.Date, a.shownFrom(in, start, now))
	first, last := days.Instants(in.Market.zone())
	return Span{in.InstrumentID, first, last}
}

// longestHistory is more days than any stored history has.
const longestHistory = 10_000

// Stored returns the arguments of the stored bars from which these bars are made.
func (a SeriesArgs) Stored() SeriesArgs {
	a.Resolution = new(a.resolution().stored())
	return a
}

// UsualBars estimates how many bars an instrument has in the range, without reading any.
func (a SeriesArgs) UsualBars(now value.Instant) int {
	w, err := a.days(CalendarOf(US, nil, nil), now) // the market hardly matters for an estimate
	if err != nil {
		return 0
	}
	return a.resolution().usualBars(1 + w.From.Date.DaysUntil(w.To.Date))
}

// usualBars estimates how many bars an instrument has in some days.
func (r Resolution) usualBars(days int) int {
	switch r {
	case FiveMinutes:
		return 100 * min(days, shownShortDays)
	case TwoHours:
		return 12 * days
	case OneWeek:
		return 2 + min(days, longestHistory)/7
	case OneMonth:
		return 2 + min(days, longestHistory)/28
	}
	return min(days, longestHistory)
}

// latest returns the latest of some days.
func latest(days ...value.Date) value.Date {
	var last value.Date
	for _, d := range days {
		if last.Before(d) {
			last = d
		}
	}
	return last
}
