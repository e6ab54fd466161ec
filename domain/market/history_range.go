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

// SeriesArgs say which history is asked for; what is left out has a default.
type SeriesArgs struct {
	Resolution *Resolution // of bars; records are of days
	From, To   *value.Date
	Currency   *Currency
	Adjust     *Adjust // default: none

	whole bool // also bars that do not mean what the last ones mean
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

// check returns what does not fit the instruments that ids denote, known or
// not: first a resolution (422), then a range (400).
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

// checkResolution returns the problem of a resolution that the market does not
// have.
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

// days completes and checks the bounds. Short bars belong to days in the zone
// of the market, whatever the days of the instrument are.
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

// span returns the part of the days that is shown of an instrument.
func (a SeriesArgs) span(in *Instrument, days value.Range, start value.Date, now value.Instant) Span {
	days.From.Date = latest(days.From.Date, a.shownFrom(in, start, now))
	first, last := days.Instants(in.Market.zone())
	return Span{in.InstrumentID, first, last}
}

// longestHistory is more days than are stored of anything.
const longestHistory = 10_000

// Stored returns the arguments of the stored bars that these are made of.
func (a SeriesArgs) Stored() SeriesArgs {
	a.Resolution = new(a.resolution().stored())
	return a
}

// UsualBars estimates how many bars an instrument has in the range, before any
// is read.
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
