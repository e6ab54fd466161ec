package market

import (
	"slices"
	"time"

	"piyasa/internal/value"
)

// Observed rates of a currency pair are read and kept in memory as bars: the time of such a bar
// is the time of observation, the close is the rate (null if withdrawn), and the volume is for
// how many milliseconds the source holds the rate current.
const (
	// ObservedRates are the newest rate of every five minutes, the rates at the slots of coins,
	// and the closes of loaded 5m bars.
	ObservedRates Resolution = "rates"

	// HeldRates are withdrawals, and the rates whose record states until when they are current.
	HeldRates Resolution = "held"
)

// isOfRates reports whether a series has rates instead of bars.
func (r Resolution) isOfRates() bool { return r == ObservedRates || r == HeldRates }

// shortSlot is the length of a 5m bar. A price at its end belongs to the next bar.
const shortSlot = 5 * time.Minute

// RateChanges returns the changed bars of a pair's rate series when its rate at a moment
// changes. held says whether the new or the old rate states until when it is current, or is
// withdrawn. Other markets have none.
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

// LoadedRate returns the latest time at which the rate in a loaded 5m bar of a pair was
// observed; ok is false for other bars.
func (b *Bar) LoadedRate() (at value.Instant, ok bool) {
	return lastOf(FiveMinutes, b.T), b.Resolution == FiveMinutes && b.InstrumentID.Market() == FX
}

// lastOf returns the last moment that a bar shorter than a day covers. A coin's bar is the
// snapshot of its slot.
func lastOf(r Resolution, t value.Instant) value.Instant {
	if r == TwoHours {
		return t
	}
	return t.Add(shortSlot - time.Millisecond)
}

// lastOfDay returns the last moment that a daily bar covers: for coins the day's last snapshot,
// else the end of the day.
func (m Market) lastOfDay(day value.Date) value.Instant {
	end := day.AddDays(1).Start(m.zone())
	if m == Crypto {
		return end.Add(-time.Hour)
	}
	return end.Add(-time.Millisecond)
}

// Holds reports whether o, if it is of a pair, is one of HeldRates.
func (o *Observation) Holds() bool { return !o.CurrentUntil.IsNull() || o.Withdraws() }

// rateSeries is the rates of one pair by the times at which they were observed.
type rateSeries struct {
	times []value.Instant
	rates []value.Decimal // null: withdrawn
	until []value.Instant // until when they are current; null: not stated
}

// newRateSeries reads rates from their form as bars.
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

// before returns the place of the newest rate observed at or before t; -1: there is none.
func (s *rateSeries) before(t value.Instant) int {
	i, exact := slices.BinarySearchFunc(s.times, t, value.Instant.Compare)
	if exact {
		return i
	}
	return i - 1
}

// newest returns the place of the newest rate observed at or before t (and, unless before is
// null, on an earlier day than before) that its source still calls current at t; -1: there is
// none, or it was withdrawn.
func (s *rateSeries) newest(t value.Instant, before value.Date) int {
	for i := s.before(t); i >= 0 && t.Sub(s.times[i]) <= MostCurrent && !s.rates[i].IsNull(); i-- {
		if t.Before(s.until[i]) && (before.IsNull() || value.TurkeyDay(s.times[i]).Before(before)) {
			return i
		}
	}
	return -1
}
