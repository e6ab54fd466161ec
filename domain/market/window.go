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

// check refuses what does not fit the markets of ids: a resolution (422)
// before a window (400).
func (a SeriesArgs) check(now Instant, ids ...string) error {
	for _, id := range ids {
		if m, _, ok := splitID(id); ok && !m.has(a.resolution()) {
			asked := string(a.resolution())
			return problem.New(problem.UnsupportedResolution, "resolution must be %s for %s; got %q.", m.resolutions(), m, asked).About("resolution", asked)
		}
	}
	for _, id := range ids {
		m, _, _ := splitID(id)
		if _, err := a.window(m, now); err != nil {
			return err
		}
	}
	return nil
}

// longestHistory is more days than are stored of anything.
const longestHistory = 10_000

// UsualBars is about how many bars of an instrument there are, told before any
// is read.
func (a SeriesArgs) UsualBars(now Instant) int {
	w, err := a.window(Index, now) // any market will do
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

// window completes and checks the bounds.
func (a SeriesArgs) window(m Market, now Instant) (window, error) {
	r, w := a.resolution(), window{to: dayIn(now, m.zone())}
	w.from = w.to.AddDays(1 - r.usualDays())
	if a.From != nil {
		w.from = *a.From
	}
	if a.To != nil {
		w.to = *a.To
	}
	if w.to.Before(w.from) {
		return w, problem.New(problem.InvertedWindow, "from, %s, must not be after to, %s.", w.from, w.to)
	}
	if r == TwoHours && w.from.AddDays(maxTwoHourly-1).Before(w.to) {
		e := problem.New(problem.WindowTooLong, "A window of %s bars has at most %d days, both ends counted; %s to %s is longer.", r, maxTwoHourly, w.from, w.to)
		limit := maxTwoHourly
		e.Members.Limit = &limit
		return w, e
	}
	return w, nil
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

// shortStart is the first day whose 5m bars are shown: the week that is kept
// ends today.
func (m Market) shortStart(now Instant) Date {
	return dayIn(now, m.zone()).AddDays(1 - shortWindow)
}

// coverageStart is the first day of a coin's own history.
func (in *Instrument) coverageStart() Date {
	if in.Market == Crypto {
		return in.CoverageFrom
	}
	return Date{}
}
