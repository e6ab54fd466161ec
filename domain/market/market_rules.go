package market

import (
	"time"
	_ "time/tzdata"

	"piyasa/value"
)

// Lengths of ranges, in days with both ends.
const (
	dailyDays    = 365
	shortDays    = 7
	maxTwoHourly = 92
)

// zone returns the zone of the market's calendar.
func (m Market) zone() *time.Location {
	if m == BIST || m == FX {
		return value.Turkey
	}
	return time.UTC
}

// dayStart returns midnight of the day of t in the market's zone, which is the
// time of a daily bar.
func (m Market) dayStart(t value.Instant) value.Instant {
	return value.DayIn(t, m.zone()).Start(m.zone())
}

// DayOf returns the day of a daily bar in the calendar of the market.
func (m Market) DayOf(b *Bar) value.Date { return value.DayIn(b.T, m.zone()) }

// slot returns the start of the market's short bar that t belongs to: the
// five-minute mark, or for coins the odd hour, at or before t.
func (m Market) slot(t value.Instant) value.Instant {
	if m == Crypto {
		return value.At(t.Time().Add(-time.Hour).Truncate(2 * time.Hour).Add(time.Hour))
	}
	return value.At(t.Time().Truncate(5 * time.Minute))
}

// hasResolution reports whether the market has bars of a resolution.
func (m Market) hasResolution(r Resolution) bool {
	switch m {
	case Crypto:
		return r != FiveMinutes
	case US, Fund:
		return r == Day
	}
	return r != TwoHours
}

// resolutions lists the resolutions of the market, for problems.
func (m Market) resolutions() string {
	switch m {
	case Crypto:
		return "2h or 1d"
	case US, Fund:
		return "1d"
	}
	return "5m or 1d"
}

// The documented starts of history; older bars are stored and not shown.
var (
	historyStart = value.NewDate(2020, time.January, 1) // fx, index, cmdty
	cryptoStart  = value.NewDate(2025, time.April, 5)
	bistEodStart = value.NewDate(2024, time.January, 1)
)

// historyStart returns the first day shown as candles; null where none is
// documented.
func (m Market) historyStart() value.Date {
	switch m {
	case FX, Index, Cmdty:
		return historyStart
	case Crypto:
		return cryptoStart
	}
	return value.Date{}
}

// eodStart returns the first day shown as end of day; null where none is
// documented.
func (m Market) eodStart() value.Date {
	if m == BIST {
		return bistEodStart
	}
	return m.historyStart()
}

// shownFrom returns the first day of which the instrument's history is shown,
// where a start is documented. A coin has its own start; start is that of the
// market.
func (in *Instrument) shownFrom(start value.Date) value.Date {
	if in.Market == Crypto {
		return latest(start, in.CoverageFrom)
	}
	return start
}

// shortStart returns the first day whose 5m bars are shown: the kept week ends
// today.
func (m Market) shortStart(now value.Instant) value.Date {
	return value.DayIn(now, m.zone()).AddDays(1 - shortDays)
}

// keptDays returns how many days, today included, observations are kept and can
// change bars; 0 for a market whose bars are not recorded.
func (m Market) keptDays() int {
	switch m {
	case US, Fund:
		return 0
	case Crypto:
		return maxTwoHourly
	}
	return shortDays
}

// Recorded reports whether bars are made of the market's observations.
func (m Market) Recorded() bool { return m.keptDays() > 0 }

// Kept returns, for each recorded market, the moment from which observations
// and 5m bars are kept at the moment now.
func Kept(now value.Instant) map[Market]value.Instant {
	since := map[Market]value.Instant{}
	for _, row := range marketTable {
		if m := row.market; m.Recorded() {
			since[m] = value.DayIn(now, m.zone()).AddDays(1 - m.keptDays()).Start(m.zone())
		}
	}
	return since
}
