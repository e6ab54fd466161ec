package market

import (
	"slices"
	"time"

	"piyasa/internal/value"
)

// The rates of a currency pair as they were observed are read and kept in memory as bars are:
// the time of such a bar is when the rate was observed, its close is the rate, null where it
// was withdrawn, and its volume says for how many milliseconds the source holds it current.
const (
	// ObservedRates are the newest of every five minutes and those at the slots of coins, with
	// the closes of 5m bars that were loaded.
	ObservedRates Resolution = "rates"

	// HeldRates are those that state until when they are current, and withdrawals.
	HeldRates Resolution = "held"
)

// isOfRates reports whether a series has rates instead of bars.
func (r Resolution) isOfRates() bool { return r == ObservedRates || r == HeldRates }

// shortSlot is how long a 5m bar is. What is at its end is of the next one.
const shortSlot = 5 * time.Minute

// RateChanges returns what notes in the series of a pair that its rate of a moment is another;
// held says whether that rate or the one before states until when it is current, or is
// withdrawn. Nothing of other markets.
func RateChanges(id ID, at value.Instant, held bool) []*Bar {
	if id.Market() != FX {
		return nil
	}
	changes := []*Bar{{InstrumentID: id, Resolution: ObservedRates, T: at}}
	if held {
		changes = append(changes, &Bar{InstrumentID: id, Resolution: HeldRates, T: at})
	}
	return changes
}

// LoadedRate returns when the rate was observed, at the latest, that a loaded bar of a pair
// states; ok is false for a bar that states none at its time.
func (b *Bar) LoadedRate() (at value.Instant, ok bool) {
	return lastOf(FiveMinutes, b.T), b.Resolution == FiveMinutes && b.InstrumentID.Market() == FX
}

// lastOf returns the last moment of what a bar shorter than a day shows: a coin's is the
// snapshot of its slot.
func lastOf(r Resolution, t value.Instant) value.Instant {
	if r == TwoHours {
		return t
	}
	return t.Add(shortSlot - time.Millisecond)
}

// lastOfDay returns the last moment that a daily bar of a day shows: of coins the day's last
// snapshot, else the end of the day.
func (m Market) lastOfDay(day value.Date) value.Instant {
	end := day.AddDays(1).Start(m.zone())
	if m == Crypto {
		return end.Add(-time.Hour)
	}
	return end.Add(-time.Millisecond)
}

// Holds reports whether o is one of HeldRates where it is of a pair.
func (o *Observation) Holds() bool { return !o.CurrentUntil.IsNull() || o.Withdraws() }

// rateSeries is the rates of one pair by the times at which they were observed.
type rateSeries struct {
	times []value.Instant
	rates []value.Decimal // null: withdrawn
	until []value.Instant // until when they are current; null: not stated
}

// newRateSeries reads what is kept as bars.
func newRateSeries(of *shownBars) *rateSeries {
	s := &rateSeries{times: of.times(), rates: of.figure(closeFigure)}
	s.until = make([]value.Instant, len(s.times))
	for i, ms := range of.figure(volumeFigure) {
		if !ms.IsNull() {
			s.until[i] = s.times[i].Add(time.Duration(ms.Number().IntPart()) * time.Millisecond)
		}
	}
	return s
}

// before returns the place of the newest rate observed at a moment or earlier; -1: there is none.
func (s *rateSeries) before(t value.Instant) int {
	i, exact := slices.BinarySearchFunc(s.times, t, value.Instant.Compare)
	if exact {
		return i
	}
	return i - 1
}

// newest returns the place of the newest rate that was observed at a moment or earlier, and on
// a day before another if one is stated, and that is still current then as its source says;
// -1: there is none, or it was withdrawn.
func (s *rateSeries) newest(t value.Instant, before value.Date) int {
	for i := s.before(t); i >= 0 && t.Sub(s.times[i]) <= MostCurrent && !s.rates[i].IsNull(); i-- {
		if t.Before(s.until[i]) && (before.IsNull() || value.TurkeyDay(s.times[i]).Before(before)) {
			return i
		}
	}
	return -1
}
