package market

import (
	"fmt"
	"time"

	"piyasa/problem"
	"piyasa/value"
)

// Lengths of ranges, in days with both ends.
const (
	dailyDays    = 365
	shortDays    = 7
	maxTwoHourly = 92
)

// usualDays returns the length of a range without bounds.
func (r Resolution) usualDays() int {
	if r == Day {
		return dailyDays
	}
	return shortDays
}

// resolution is the one asked for, or daily.
func (a SeriesArgs) resolution() Resolution {
	if a.Resolution == nil {
		return Day
	}
	return *a.Resolution
}

// check refuses what does not fit the instruments that ids denote, known or
// not: a resolution (422) before a window (400).
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
		days := calendarOf(m, nil)
		if in, err := c.Resolve(id, AnyForm); err == nil {
			days = in.calendar()
		}
		if _, err := a.days(days, now); err != nil {
			return err
		}
	}
	return nil
}

func (a SeriesArgs) checkResolution(m Market) error {
	if m.has(a.resolution()) {
		return nil
	}
	asked := string(a.resolution())
	return problem.New(problem.UnsupportedResolution, "resolution must be %s for %s; got %q.", m.resolutions(), m, asked).About("resolution", asked)
}

// longestHistory is more days than are stored of anything.
const longestHistory = 10_000

// UsualBars is about how many bars of an instrument there are, told before any
// is read.
func (a SeriesArgs) UsualBars(now value.Instant) int {
	w, err := a.days(calendarOf(US, nil), now) // any will do
	if err != nil {
		return 0
	}
	days := 1 + w.From.Date.DaysUntil(w.To.Date)
	switch a.resolution() {
	case FiveMinutes:
		return 100 * min(days, shortDays)
	case TwoHours:
		return 12 * days
	}
	return min(days, longestHistory)
}

// days completes and checks the bounds. Short bars are of days in the zone of
// the market, whatever the days of the instrument are.
func (a SeriesArgs) days(of calendar, now value.Instant) (value.Range, error) {
	r, today := a.resolution(), of.today(now)
	if r != Day {
		today = value.DayIn(now, of.market.zone())
	}
	most := 0
	if r == TwoHours {
		most = maxTwoHourly
	}
	days := value.LastDays(a.From, a.To, today, r.usualDays())
	return days, days.Check(fmt.Sprintf("A range of %s bars", r), most)
}

func latest(days ...value.Date) value.Date {
	var last value.Date
	for _, d := range days {
		if last.Before(d) {
			last = d
		}
	}
	return last
}

// zone is the zone of the market's calendar.
func (m Market) zone() *time.Location {
	if m == BIST || m == FX {
		return value.Turkey
	}
	return time.UTC
}

// has reports whether the market has bars of a resolution.
func (m Market) has(r Resolution) bool {
	switch m {
	case Crypto:
		return r != FiveMinutes
	case US, Fund:
		return r == Day
	}
	return r != TwoHours
}

func (m Market) resolutions() string {
	switch m {
	case Crypto:
		return "2h or 1d"
	case US, Fund:
		return "1d"
	}
	return "5m or 1d"
}

// The documented starts of history; what is older is stored and not shown.
var (
	historyStart = value.NewDate(2020, time.January, 1) // fx, index, cmdty
	cryptoStart  = value.NewDate(2025, time.April, 5)
	bistEodStart = value.NewDate(2024, time.January, 1)
)

// historyStart is the first day shown as candles.
func (m Market) historyStart() value.Date {
	switch m {
	case FX, Index, Cmdty:
		return historyStart
	case Crypto:
		return cryptoStart
	}
	return value.Date{}
}

// eodStart is the first day shown as end of day.
func (m Market) eodStart() value.Date {
	if m == BIST {
		return bistEodStart
	}
	return m.historyStart()
}

// shownFrom is the first day of which an instrument's history is shown, where a
// start is documented: of a coin its own. start is that of the market.
func (in *Instrument) shownFrom(start value.Date) value.Date {
	if in.Market == Crypto {
		return latest(start, in.CoverageFrom)
	}
	return start
}

// shortStart is the first day whose 5m bars are shown: the week that is kept
// ends today.
func (m Market) shortStart(now value.Instant) value.Date {
	return value.DayIn(now, m.zone()).AddDays(1 - shortDays)
}
