package fundamentals

import (
	"cmp"
	"context"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// ValuationBatch answers several ids at once.
type ValuationBatch struct {
	Valuations []*Valuation
	NotFound   []value.NotFound
}

// Reasons for an id to be missing from a batch, beside those of market.
const (
	ETFNotCovered = "etf_not_covered"
	NoCoverage    = "no_coverage" // neither market metrics nor statements
)

// Valuation is the valuation of one company of bist or us, in currency if one
// is given. Needs history. Problems: not-found (unknown, an ETF, or nothing is
// known about it), unsupported-currency, fx-rate-unavailable.
func (s *Service) Valuation(ctx context.Context, id string, currency *market.Currency) (*Valuation, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	in, err := s.company(id)
	if err != nil {
		return nil, err
	}
	if !valued(in) {
		return nil, problem.New(problem.NotFound, "%s is an ETF; ETFs have no valuation.", in.InstrumentID)
	}
	found, err := s.values(ctx, []*market.Instrument{in}, s.Market.Converter(currency))
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, problem.New(problem.NotFound, "There are neither market metrics nor statements of %s.", in.InstrumentID)
	}
	access.Charge(ctx, access.Unit)
	return found[0], nil
}

// Valuations answers 1 to 100 ids of bist in the order of the request, each
// company once, all at one rate. Needs history; each distinct id costs one
// unit. A missing rate refuses the whole batch; ids without a valuation are
// reported.
func (s *Service) Valuations(ctx context.Context, ids []string, currency *market.Currency) (*ValuationBatch, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := market.CheckIDs(ids, market.MaxIDs); err != nil {
		return nil, err
	}
	batch := &ValuationBatch{Valuations: []*Valuation{}, NotFound: []value.NotFound{}}
	asked, err := s.Market.Catalog().Batch(ids, market.CanonicalForm, func(m market.Market) bool { return m == market.BIST })
	if err != nil {
		return nil, err
	}
	instruments := make([]*market.Instrument, len(asked))
	for i, a := range asked {
		if a.Instrument != nil && !valued(a.Instrument) {
			asked[i].Reason = ETFNotCovered
			continue
		}
		instruments[i] = a.Instrument
	}
	found, err := s.values(ctx, instruments, s.Market.Converter(currency))
	if err != nil {
		return nil, err
	}
	for i, a := range asked {
		if found[i] != nil {
			batch.Valuations = append(batch.Valuations, found[i])
			continue
		}
		batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: cmp.Or(a.Reason, NoCoverage)})
	}
	access.Charge(ctx, len(asked)*access.Unit)
	return batch, nil
}

// valued reports whether an instrument may have a valuation.
func valued(in *market.Instrument) bool { return isCompany(in) && in.AssetType == market.Stock }

// ValuationsOf returns the valuations of instruments in their order, read together
// and at one rate: nil where there is none. Needs history; each costs one unit.
func (s *Service) ValuationsOf(ctx context.Context, instruments []*market.Instrument, currency *market.Currency) ([]*Valuation, []error) {
	rates := s.Market.Converter(currency)
	return access.Relation[*market.Instrument, *Valuation]{
		Enter:  access.Needs(access.History),
		Covers: valued,
		Check:  rates.Check,
		Read:   func(some []*market.Instrument) ([]*Valuation, error) { return s.values(ctx, some, rates) },
	}.Answer(ctx, instruments)
}

// Values are the valuations of companies in their order, unconverted; nil for
// a nil company, and where nothing is known. For services that have checked
// the scope.
func (s *Service) Values(ctx context.Context, companies []*market.Instrument) ([]*Valuation, error) {
	return s.values(ctx, companies, s.Market.Converter(nil))
}

func (s *Service) values(ctx context.Context, companies []*market.Instrument, rates *market.Converter) ([]*Valuation, error) {
	var some []*market.Instrument
	var currencies []string
	for _, in := range companies {
		if in != nil {
			some, currencies = append(some, in), append(currencies, in.Currency)
		}
	}
	books, err := s.histories(ctx, some, currencies)
	if err != nil {
		return nil, err
	}
	values := make([]*Valuation, len(companies))
	for i, in := range companies {
		if in == nil {
			continue
		}
		book := books[0]
		books = books[1:]
		v := valuer{s.Lines, s.Live.metrics(in.InstrumentID), book, book.newest(), unitOf(in.Market), in.Currency}
		switch {
		case v.metrics == nil && v.newest == nil:
			continue
		case in.Market == market.US:
			values[i] = v.valueUS(in)
		default:
			values[i] = v.value(in)
		}
		rate, err := rates.From(in.Currency)
		if err != nil {
			return nil, err
		}
		if rate != nil {
			values[i].convert(*rates.To, *rate)
		}
	}
	return values, nil
}
