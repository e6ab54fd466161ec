package market

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Instrument returns one catalog record. Any key. Problems: not-found,
// ambiguous-ticker.
func (s *Service) Instrument(ctx context.Context, id string) (*Instrument, error) {
	return s.resolved(ctx, id, AnyForm)
}

// Watchlist returns the catalog records of 1 to 100 ids in their order, nil for unknown ids.
// Any key. Problems: invalid-parameter, too-many-values, ambiguous-ticker.
func (s *Service) Watchlist(ctx context.Context, ids []string) ([]*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	if err := CheckIDs(ids, MaxIDs); err != nil {
		return nil, err
	}
	batch, err := s.Live.Snapshot().Catalog.resolveEach(ids, AnyForm, nil)
	if err != nil {
		return nil, err
	}
	found := make([]*Instrument, len(batch))
	for i, a := range batch {
		found[i] = a.Instrument
	}
	access.Charge(ctx, access.Unit)
	return found, nil
}

// ParsedID is the catalog record that a client's text denotes.
type ParsedID struct {
	Input        string    `json:"input"`
	InstrumentID ID        `json:"instrument_id"`
	Market       Market    `json:"market"`
	Symbol       string    `json:"symbol"`
	Ticker       *string   `json:"ticker"` // coins only
	AssetType    AssetType `json:"asset_type"`
}

// ParseID resolves a canonical id, a coin's ticker or an ISIN, but no ETF alias. Any key.
// Problems: not-found, ambiguous-ticker.
func (s *Service) ParseID(ctx context.Context, text string) (*ParsedID, error) {
	id := text
	if isin := value.UpperASCII(text); isISIN(isin) {
		switch of := s.Live.Snapshot().Catalog.byISIN[isin]; len(of) {
		case 0:
		case 1:
			id = string(of[0].InstrumentID)
		default:
			return nil, cmp.Or(access.Enter(ctx), errOfISIN(isin, of))
		}
	}
	in, err := s.resolved(ctx, id, CanonicalForm)
	if err != nil {
		return nil, err
	}
	return &ParsedID{text, in.InstrumentID, in.Market, in.Symbol, in.Ticker, in.AssetType}, nil
}

// resolved returns the record that a client's text denotes, for any key.
func (s *Service) resolved(ctx context.Context, id string, form Form) (*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	in, err := s.Live.Snapshot().Catalog.Resolve(id, form)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return in, nil
}

// ByID returns the catalog record with this present or former canonical id, or nil. It is for
// records that name an instrument: no scope, no cost.
func (s *Service) ByID(id ID) *Instrument { return s.Live.Snapshot().Catalog.named(id) }

// OfCodes returns the first instruments that codes of the disclosure platform
// denote, in the order of the codes, each once. A code denotes the instrument
// of bist, or else the fund, or else the ETF that replaced the fund; other
// codes are left out. first is within RelationLimit. It is for records that
// name codes: no scope, no cost. Problems: invalid-parameter.
func (s *Service) OfCodes(codes []string, first *int) ([]*Instrument, error) {
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	c, found := s.Live.Snapshot().Catalog, []*Instrument{}
	for _, code := range codes {
		in := cmp.Or(c.named(BistID(code)), c.named(FundID(code)), c.byID[c.successors[FundID(code)]])
		if in != nil && len(found) < n && !slices.Contains(found, in) {
			found = append(found, in)
		}
	}
	return found, nil
}
