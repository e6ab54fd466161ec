package fundamentals

import (
	"context"
	"math"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// DividendHistory holds every known dividend of an instrument, past and
// announced.
type DividendHistory struct {
	InstrumentID market.ID   `json:"instrument_id"`
	Currency     string      `json:"currency"`  // of the instrument's price
	Dividends    []*Dividend `json:"dividends"` // by ex date, then installment
	Count        int         `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// DividendHistory returns every known dividend of a stock of bist or of an
// instrument of us; an ETF of bist has none. An ETF is found by its own id
// only. Needs history, and a key that is not of the test plan. Problems:
// test-plan, not-found.
func (s *Service) DividendHistory(ctx context.Context, id string) (*DividendHistory, error) {
	if err := enterDividends(ctx); err != nil {
		return nil, err
	}
	if m := market.ID(id).Market(); m != market.BIST && m != market.US { // before the problem of a coin ticker that several coins share
		return nil, problem.New(problem.NotFound, "Only bist: and us: ids have dividends; got %s.", problem.Shown(id))
	}
	in, err := s.resolveCompany(id)
	if err != nil {
		return nil, err
	}
	all, err := s.newest(ctx, []*market.Instrument{in}, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all[0])
	access.Charge(ctx, access.Unit)
	return &DividendHistory{in.InstrumentID, in.Currency, all[0], len(all[0]), missingDividends(in, len(all[0]))}, nil
}

// missingDividends returns why an instrument has no dividends; nil if count is above 0.
func missingDividends(in *market.Instrument, count int) *value.MissingReason {
	if !paysDividends(in) {
		return value.Missing(value.NotCovered)
	}
	return value.MissingFrom(count, false)
}

// DividendsOf returns the first dividends of each instrument, the newest ex date first, in the
// order of instruments and read together. ETFs of bist and markets other than bist and us have
// none. first is within value.RelationLimit. Needs history, and a key that is not of the test
// plan. Each instrument of bist or us costs one unit.
func (s *Service) DividendsOf(ctx context.Context, instruments []*market.Instrument, first *int) ([][]*Dividend, []error) {
	return access.Relation[*market.Instrument, []*Dividend]{
		Enter: enterDividends,
		Read: func(instruments []*market.Instrument) ([][]*Dividend, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			return s.newest(ctx, instruments, n)
		},
		Charged: func(in *market.Instrument, _ []*Dividend) bool { return isCompany(in) },
	}.Answer(ctx, instruments)
}

// newest returns the first dividends of each instrument, the newest ex date
// first.
func (s *Service) newest(ctx context.Context, instruments []*market.Instrument, first int) ([][]*Dividend, error) {
	ids := []market.ID{}
	for _, in := range instruments {
		if paysDividends(in) {
			ids = append(ids, in.InstrumentID)
		}
	}
	found, err := s.Store.Dividends(ctx, ids, first)
	if err != nil {
		return nil, err
	}
	now, all := s.Market.Now(), make([][]*Dividend, len(instruments))
	for i, in := range instruments {
		all[i] = shownDividends(found[in.InstrumentID], dividendDay(in.Market, now))
	}
	return all, nil
}
