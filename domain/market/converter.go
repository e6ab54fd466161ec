package market

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
