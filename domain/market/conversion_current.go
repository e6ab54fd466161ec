package market

import (
	"time"

	"piyasa/problem"
	"piyasa/value"
)

// spot is the current rate from one currency to the target, or the problem
// fx-rate-unavailable: no path of pairs, or only rates observed more than
// maxAge away from now. (A replay may hold rates of its future.)
func (s *Snapshot) spot(from string, target Currency, now value.Instant, maxAge time.Duration) (Rate, error) {
	usable := pairs(func(pair string) (value.Decimal, value.Instant, bool) {
		o := s.quotes[ID("fx:"+pair)]
		if o == nil || s.Catalog.byID[o.InstrumentID] == nil || o.Last.Sign() <= 0 || now.Sub(o.AsOf).Abs() > maxAge {
			return value.Decimal{}, value.Instant{}, false
		}
		return o.Last, o.AsOf, true
	})
	if r, ok := usable.rate(from, string(target)); ok {
		return r, nil
	}
	return Rate{}, problem.New(problem.FXRateUnavailable, "No rate from %s to %s was observed in the last %s.", from, target, maxAge)
}

// Spots converts what is worth something now into one currency. Each rate is
// looked up once, so that everything one request converts is at the same rate.
// It is not safe for concurrent use.
type Converter struct {
	To       *Currency // nil: nothing is converted
	snapshot *Snapshot
	service  *Service
	known    map[string]spot // by the currency to convert from
}

type spot struct {
	rate *Rate
	err  error
}

// Spots is the way into a currency at the current rates; nil converts nothing.
func (s *Service) Converter(to *Currency) *Converter {
	return &Converter{to, s.Live.Snapshot(), s, map[string]spot{}}
}

// From is the rate from a currency; nil when nothing is to be converted.
// Problems: unsupported-currency, fx-rate-unavailable.
func (s *Converter) From(currency string) (*Rate, error) {
	if s.To == nil || currency == string(*s.To) {
		return nil, nil
	}
	found, known := s.known[currency]
	if !known {
		rate, err := s.snapshot.spot(currency, *s.To, s.service.Now(), s.service.FXMaxAge)
		if found = (spot{&rate, err}); err != nil {
			found.rate = nil
		}
		s.known[currency] = found
	}
	return found.rate, found.err
}

// Check says why the value of an instrument cannot be converted, or nil.
func (s *Converter) Check(in *Instrument) error {
	_, err := s.From(in.Currency)
	return err
}
