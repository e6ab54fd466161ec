package fundamentals

import (
	"cmp"
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// ValuationBatch answers several ids at once.
type ValuationBatch struct {
	Valuations []*Valuation
	NotFound   []value.NotFound
}

// Reasons why an id is missing from a batch, in addition to those of market.
const (
	ETFNotCovered = "etf_not_covered"
	NoCoverage    = "no_coverage" // neither market metrics nor statements
)

// Valuations answers 1 to 100 ids of bist in the order of the request, each
// company once, converted at one rate. Needs history; each distinct id costs
// one unit. If a rate is missing, the whole batch fails; ids without a
// valuation are reported in NotFound.
func (s *Service) Valuations(ctx context.Context, ids []string, currency *market.Currency) (*ValuationBatch, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := market.CheckIDs(ids, market.MaxIDs); err != nil {
		return nil, err
	}
	batch := &ValuationBatch{Valuations: []*Valuation{}, NotFound: []value.NotFound{}}
	listed, err := s.Market.Catalog().Batch(ids, market.CanonicalForm, func(m market.Market) bool { return m == market.BIST })
	if err != nil {
		return nil, err
	}
	instruments := make([]*market.Instrument, len(listed))
	for i, a := range listed {
		if a.Instrument != nil && !hasValuation(a.Instrument) {
			listed[i].Reason = ETFNotCovered
			continue
		}
		instruments[i] = a.Instrument
	}
	found, err := s.values(ctx, instruments, s.Market.Converter(currency))
	if err != nil {
		return nil, err
	}
	for i, a := range listed {
		if found[i] != nil {
			batch.Valuations = append(batch.Valuations, found[i])
			continue
		}
		batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: cmp.Or(a.Reason, NoCoverage)})
	}
	access.Charge(ctx, len(listed)*access.Unit)
	return batch, nil
}
