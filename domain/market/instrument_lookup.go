package market

import (
	"cmp"
	"context"
	"slices"

	"piyasa/access"
	"piyasa/value"
)

// Instrument is one catalog record. Any key. Problems: not-found,
// ambiguous-ticker.
func (s *Service) Instrument(ctx context.Context, id string) (*Instrument, error) {
	return s.resolved(ctx, id, AnyForm)
}

// Watchlist is the catalog records of 1 to 100 ids in their order, nil for the
// unknown. Any key. Problems: ambiguous-ticker.
func (s *Service) Watchlist(ctx context.Context, ids []string) ([]*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	if err := CheckIDs(ids, MaxIDs); err != nil {
		return nil, err
	}
	asked, err := s.Live.Snapshot().Catalog.resolveEach(ids, AnyForm, nil)
	if err != nil {
		return nil, err
	}
	found := make([]*Instrument, len(asked))
	for i, a := range asked {
		found[i] = a.Instrument
	}
	access.Charge(ctx, access.Unit)
	return found, nil
}

// ParsedID says which record a client's text denotes.
type ParsedID struct {
	Input        string    `json:"input"`
	InstrumentID ID        `json:"instrument_id"`
	Market       Market    `json:"market"`
	Symbol       string    `json:"symbol"`
	Ticker       *string   `json:"ticker"` // coins only
	AssetType    AssetType `json:"asset_type"`
}

// ParseID resolves text without ETF aliases. Any key. Problems: not-found,
// ambiguous-ticker.
func (s *Service) ParseID(ctx context.Context, text string) (*ParsedID, error) {
	in, err := s.resolved(ctx, text, CanonicalForm)
	if err != nil {
		return nil, err
	}
	return &ParsedID{text, in.InstrumentID, in.Market, in.Symbol, in.Ticker, in.AssetType}, nil
}

func (s *Service) resolved(ctx context.Context, id string, spelling Form) (*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	in, err := s.Live.Snapshot().Catalog.Resolve(id, spelling)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return in, nil
}

// ByID is the catalog record with this canonical id, or nil. It is an edge of
// records that name an instrument: no scope, no cost.
func (s *Service) ByID(id ID) *Instrument { return s.Live.Snapshot().Catalog.byID[id] }

// OfCodes are the first instruments that codes of the disclosure platform
// denote, in the order of the codes, each once: of a code the one of bist, or
// else the fund, or the ETF that a fund lives on as; codes that are none of
// these are left out. It is an edge of records
// that name codes: no scope, no cost. first is within EdgeLimit. Problems:
// invalid-parameter.
func (s *Service) OfCodes(codes []string, first *int) ([]*Instrument, error) {
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	c, found := s.Live.Snapshot().Catalog, []*Instrument{}
	for _, code := range codes {
		in := cmp.Or(c.byID[ID("bist:"+code)], c.byID[FundID(code)], c.byID[c.successors[FundID(code)]])
		if in != nil && len(found) < n && !slices.Contains(found, in) {
			found = append(found, in)
		}
	}
	return found, nil
}
