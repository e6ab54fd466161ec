package market

import "piyasa/internal/value"

// How many days of observations are kept, today included.
const (
	keptDaysOfCoins  = 92
	keptDaysOfOthers = 7
)

// keptDays returns for how many days, today included, observations are kept and can change
// bars; 0 for a market whose bars are not recorded.
func (m Market) keptDays() int {
	switch m {
	case US, Fund:
		return 0
	case Crypto:
		return keptDaysOfCoins
	}
	return keptDaysOfOthers
}

// Recorded reports whether bars are made of the market's observations.
func (m Market) Recorded() bool { return m.keptDays() > 0 }

// Kept returns, for each recorded market, the moment from which observations and 5m bars are
// kept as of now.
func Kept(now value.Instant) map[Market]value.Instant {
	since := map[Market]value.Instant{}
	for _, row := range marketTable {
		if m := row.market; m.Recorded() {
			since[m] = value.DayIn(now, m.zone()).AddDays(1 - m.keptDays()).Start(m.zone())
		}
	}
	return since
}
