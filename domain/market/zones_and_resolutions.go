package market

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/internal/value"
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
func (m Market) DayOf(b *Bar) value.Date { return m.DayAt(b.T) }

// hasResolution reports whether the market has bars of a resolution.
func (m Market) hasResolution(r Resolution) bool {
	switch m {
	case Crypto:
		return r != FiveMinutes
	case US, Fund:
		return r.stored() == Day
	}
	return r != TwoHours
}

// Offered returns a resolution for the text of a problem, with the markets that have it unless
// all do.
func (r Resolution) Offered() string {
	var have []string
	all := []Market{BIST, Crypto, FX, Index, Cmdty, US, Fund}
	for _, m := range all {
		if m.hasResolution(r) {
			have = append(have, string(m))
		}
	}
	if len(have) == len(all) {
		return string(r)
	}
	return fmt.Sprintf("%s (%s)", r, strings.Join(have, ", "))
}

// storedResolutions are the resolutions that records can have.
var storedResolutions = slices.DeleteFunc(slices.Clone(resolutions), func(r Resolution) bool { return r.stored() != r })

// resolutions lists, for the text of a problem, those of some resolutions that the market has.
func (m Market) resolutions(of []Resolution) string {
	var has []string
	for _, r := range of {
		if m.hasResolution(r) {
			has = append(has, string(r))
		}
	}
	last := len(has) - 1
	if last == 0 {
		return has[0]
	}
	return strings.Join(has[:last], ", ") + " or " + has[last]
}
