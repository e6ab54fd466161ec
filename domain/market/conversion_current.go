package market

import (
	"fmt"
	"time"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// currentRate returns the current rate from one currency to the target. A rate observed more
// than maxAge before or after now is not used, unless its source is not due to publish before
// now. (In a replay, rates may lie in the future.) Problem: fx-rate-unavailable.
func (s *Snapshot) currentRate(from string, target Currency, now value.Instant, maxAge time.Duration) (Rate, error) {
	usable := pairs(func(pair string) (value.Decimal, value.Instant, bool) {
		o := s.quotes[ID("fx:"+pair)]
		if o == nil || s.Catalog.byID[o.InstrumentID] == nil || o.Last.Sign() <= 0 || !o.isCurrent(now, maxAge) {
			return value.Decimal{}, value.Instant{}, false
		}
		return o.Last, o.AsOf, true
	})
	if r, ok := usable.rate(from, string(target)); ok {
		return r, nil
	}
	return Rate{}, problem.New(problem.FXRateUnavailable, "No rate from %s to %s was observed in the last %s, or is stated to be current.",
		from, target, inWords(maxAge))
}

// inWords writes a duration in words: "1 hour", "90 minutes".
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / unit.of; n > 0 && d%unit.of == 0 {
			if n == 1 {
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

// isCurrent reports whether a rate counts as current at a moment.
func (o *Observation) isCurrent(now value.Instant, maxAge time.Duration) bool {
	return now.Sub(o.AsOf).Abs() <= maxAge || !now.Before(o.AsOf) && now.Before(o.CurrentUntil)
}

// Converter converts current values into one currency, at rates that it looks
// up once. It serves one request and is not safe for concurrent use.
type Converter struct {
	To       *Currency // nil: no conversion
	snapshot *Snapshot
	service  *Service
	known    map[string]cachedRate // by the currency to convert from
}

// cachedRate is the outcome of looking up a rate.
type cachedRate struct {
	rate *Rate
	err  error
}

// Converter returns a converter into a currency; nil converts nothing.
func (s *Service) Converter(to *Currency) *Converter {
	return &Converter{to, s.Live.Snapshot(), s, map[string]cachedRate{}}
}

// From returns the rate from a currency, or nil when nothing is to be
// converted. Problems: fx-rate-unavailable.
func (s *Converter) From(currency string) (*Rate, error) {
	if s.To == nil || currency == string(*s.To) {
		return nil, nil
	}
	found, known := s.known[currency]
	if !known {
		rate, err := s.snapshot.currentRate(currency, *s.To, s.service.Now(), s.service.FXMaxAge)
		if found = (cachedRate{&rate, err}); err != nil {
			found.rate = nil
		}
		s.known[currency] = found
	}
	return found.rate, found.err
}

// Check returns why the values of an instrument cannot be converted, or nil.
func (s *Converter) Check(in *Instrument) error {
	_, err := s.From(in.Currency)
	return err
}
