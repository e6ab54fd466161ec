package db_test

import (
	"math/big"
	"slices"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// heard is a rate that was observed.
type heard struct {
	at, until value.Instant
	rate      string // empty: withdrawn
}

// story is what the reference knows.
type story struct {
	heard  map[string][]heard               // ascending
	closes map[string]map[value.Date]string // loaded
}

// observed is the rate of a pair that a bar with a last moment takes; nil: none.
func (s *story) observed(pair string, last value.Instant) *big.Rat {
	for _, o := range slices.Backward(s.heard[pair]) {
		switch {
		case o.at.After(last):
		case o.rate == "":
			return nil
		case last.Sub(o.at) <= time.Hour || last.Before(o.until):
			return valuetest.Rational(o.rate)
		}
	}
	return nil
}

// close is that of a day: as loaded, else the last that was observed.
func (s *story) close(pair string, day value.Date) *big.Rat {
	if c := s.closes[pair][day]; c != "" {
		return valuetest.Rational(c)
	}
	for _, o := range slices.Backward(s.heard[pair]) {
		if o.rate != "" && value.TurkeyDay(o.at) == day {
			return valuetest.Rational(o.rate)
		}
	}
	return nil
}

// ofDay is what a daily bar takes that ends at a moment.
func (s *story) ofDay(pair string, day value.Date, end value.Instant) *big.Rat {
	if c := s.close(pair, day); c != nil {
		return c
	}
	for _, o := range slices.Backward(s.heard[pair]) {
		switch {
		case o.at.After(end):
		case o.rate == "":
			return nil
		case value.TurkeyDay(o.at).Before(day) && end.Before(o.until):
			return s.close(pair, value.TurkeyDay(o.at))
		}
	}
	return nil
}

// path follows the pairs from one currency to another.
func path(from, to string, rate func(pair string) *big.Rat) *big.Rat {
	leg := func(from, to string) *big.Rat {
		if r := rate(from + to); r != nil {
			return r
		}
		if r := rate(to + from); r != nil {
			return new(big.Rat).Inv(r)
		}
		return nil
	}
	if r := leg(from, to); r != nil {
		return r
	}
	for _, via := range []string{"USD", "TRY"} {
		if a, b := leg(from, via), leg(via, to); via != from && via != to && a != nil && b != nil {
			return new(big.Rat).Mul(a, b)
		}
	}
	return nil
}

// zoneOf is the zone of the days of a market that is converted.
func zoneOf(m market.Market) *time.Location {
	if m == market.BIST {
		return value.Turkey
	}
	return time.UTC
}

// rate is what converts a bar that is closed; empty: nothing.
func (s *story) rate(b *market.Bar, from, to string, now value.Instant) string {
	m := b.InstrumentID.Market()
	zone := zoneOf(m)
	day := value.DayIn(b.T, zone)
	var r *big.Rat
	if b.Resolution == market.Day {
		end := day.AddDays(1).Start(zone).Add(-time.Millisecond)
		if m == market.Crypto {
			end = day.At(23, 0, zone)
		}
		r = path(from, to, func(pair string) *big.Rat { return s.ofDay(pair, day, end) })
	} else {
		last := b.T
		if b.Resolution == market.FiveMinutes {
			last = b.T.Add(5*time.Minute - time.Millisecond)
		}
		r = path(from, to, func(pair string) *big.Rat { return s.observed(pair, last) })
		if r == nil && !now.Before(day.AddDays(1).Start(value.Turkey)) {
			r = path(from, to, func(pair string) *big.Rat {
				if r := s.observed(pair, last); r != nil {
					return r
				}
				return s.close(pair, day)
			})
		}
	}
	if r == nil {
		return ""
	}
	return valuetest.Significant(r, 12)
}
