package market

import (
	"time"

	"piyasa/problem"
)

// window is a run of calendar days, both ends included.
type window struct{ from, to Date }

// Lengths of windows, in days with both ends.
const (
	dailyWindow  = 365
	shortWindow  = 7
	maxTwoHourly = 92
)

// usualDays is how long a window is that states no bounds.
func (r Resolution) usualDays() int {
	if r == Day {
		return dailyWindow
	}
	return shortWindow
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
func (a SeriesArgs) check(c *Catalog, now Instant, ids ...string) error {
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
		if in, err := c.Resolve(id, AnySpelling); err == nil {
			days = in.calendar()
		}
		if _, err := a.window(days, now); err != nil {
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
func (a SeriesArgs) UsualBars(now Instant) int {
	w, err := a.window(calendarOf(US, nil), now) // any will do
	if err != nil {
		return 0
	}
	days := 1 + int(w.to.day.Sub(w.from.day)/(24*time.Hour))
	switch a.resolution() {
	case FiveMinutes:
		return 100 * min(days, shortWindow)
	case TwoHours:
		return 12 * days
	}
	return min(days, longestHistory)
}

// window completes and checks the bounds. Short bars are of days in the zone of
// the market, whatever the days of the instrument are.
func (a SeriesArgs) window(days calendar, now Instant) (w window, err error) {
	r, today := a.resolution(), days.today(now)
	if r != Day {
		today = dayIn(now, days.market.zone())
	}
	w.from, w.to, err = LastDays(a.From, a.To, today, r.usualDays())
	if err != nil {
		return w, err
	}
	if r == TwoHours && w.from.AddDays(maxTwoHourly-1).Before(w.to) {
		e := problem.New(problem.WindowTooLong, "A window of %s bars has at most %d days, both ends counted; %s to %s is longer.%s", r, maxTwoHourly, w.from, w.to,
			Defaults(Bound{}, Bound{Default: byDefault(a.To, "today")}))
		limit := maxTwoHourly
		e.Members.Limit = &limit
		return w, e
	}
	return w, nil
}

// firstDate is the first that a date can say.
var firstDate = NewDate(1, time.January, 2)

// LastDays are the bounds of a window of which one or both may be left out: by
// default it is the n days that end at to, and to is today. Problems:
// inverted-window.
func LastDays(from, to *Date, today Date, n int) (first, last Date, err error) {
	last = today
	if to != nil {
		last = *to
	}
	if first = last.AddDays(1 - n); first.Before(firstDate) {
		first = firstDate
	}
	if from != nil {
		first = *from
	}
	if last.Before(first) { // so from was given
		return first, last, InvertedWindow(Bound{Date: first}, Bound{last, byDefault(to, "today")})
	}
	return first, last, nil
}

func byDefault(asked *Date, what string) string {
	if asked != nil {
		return ""
	}
	return what
}

// Bound is an end of a window.
type Bound struct {
	Date    Date
	Default string // what it is when nobody asked for it, such as "today"
}

// BoundOf is the bound asked for, or its default.
func BoundOf(asked *Date, otherwise Date, what string) Bound {
	if asked != nil {
		return Bound{Date: *asked}
	}
	return Bound{otherwise, what}
}

// InvertedWindow is the problem of a window that ends before it begins. It says
// which of its bounds is a default.
func InvertedWindow(from, to Bound) error {
	return problem.New(problem.InvertedWindow, "from, %s, must not be after to, %s.%s", from.Date, to.Date, Defaults(from, to))
}

// Defaults says in a sentence which of the bounds is a default, if one is.
func Defaults(from, to Bound) string {
	var said string
	if from.Default != "" {
		said += " from was left out and is " + from.Default + "."
	}
	if to.Default != "" {
		said += " to was left out and is " + to.Default + "."
	}
	return said
}

// instants are the first and the last moment of the window in zone.
func (w window) instants(zone *time.Location) (first, last Instant) {
	return w.from.start(zone), w.to.AddDays(1).start(zone).Add(-time.Millisecond)
}

func latest(days ...Date) Date {
	var last Date
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
		return turkey
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
	historyStart = NewDate(2020, time.January, 1) // fx, index, cmdty
	cryptoStart  = NewDate(2025, time.April, 5)
	bistEodStart = NewDate(2024, time.January, 1)
)

// historyStart is the first day shown as candles.
func (m Market) historyStart() Date {
	switch m {
	case FX, Index, Cmdty:
		return historyStart
	case Crypto:
		return cryptoStart
	}
	return Date{}
}

// eodStart is the first day shown as end of day.
func (m Market) eodStart() Date {
	if m == BIST {
		return bistEodStart
	}
	return m.historyStart()
}

// shownFrom is the first day of which an instrument's history is shown, where a
// start is documented: of a coin its own. start is that of the market.
func (in *Instrument) shownFrom(start Date) Date {
	if in.Market == Crypto {
		return latest(start, in.CoverageFrom)
	}
	return start
}

// shortStart is the first day whose 5m bars are shown: the week that is kept
// ends today.
func (m Market) shortStart(now Instant) Date {
	return dayIn(now, m.zone()).AddDays(1 - shortWindow)
}
