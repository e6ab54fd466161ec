package market

import (
	"context"

	"piyasa/account/access"
)

// IsNode implements value.Node.
func (*Instrument) IsNode() {}

// GlobalID returns the id of the instrument among all objects, which is its canonical one.
func (in *Instrument) GlobalID() ID { return in.InstrumentID }

// IsNode implements value.Node.
func (*SectorInfo) IsNode() {}

// GlobalID returns the id of the sector among all objects.
func (s *SectorInfo) GlobalID() string { return "sector:" + s.Code }

// IsNode implements value.Node.
func (*IndexInfo) IsNode() {}

// GlobalID returns the id of the index among all objects. Its prefix is not index:, which is
// that of world indices.
func (i *IndexInfo) GlobalID() string { return "bist-index:" + i.Code }

// InstrumentByID returns the instrument with exactly this canonical id, or nil. Any key; costs
// one unit.
func (s *Service) InstrumentByID(ctx context.Context, id string) (*Instrument, error) {
	return charged(ctx, s.ByID(ID(id)))
}

// SectorByCode returns the sector with exactly this code, or nil. Any key; costs one unit.
func (s *Service) SectorByCode(ctx context.Context, code string) (*SectorInfo, error) {
	g := s.Live.Snapshot().sectors.groups[code]
	if g == nil {
		return charged[SectorInfo](ctx, nil)
	}
	return charged(ctx, &g.SectorInfo)
}

// IndexByCode returns the index with exactly this code, or nil. Needs quotes:bist; costs one
// unit.
func (s *Service) IndexByCode(ctx context.Context, code string) (*IndexInfo, error) {
	for _, i := range s.Live.Snapshot().indices.infos {
		if i.Code == code {
			return charged(ctx, i, access.QuotesBIST)
		}
	}
	return charged[IndexInfo](ctx, nil, access.QuotesBIST)
}

// charged enters an operation, and charges one unit if there is an object.
func charged[T any](ctx context.Context, of *T, scopes ...access.Scope) (*T, error) {
	if err := access.Enter(ctx, scopes...); err != nil {
		return nil, err
	}
	if of != nil {
		access.Charge(ctx, access.Unit)
	}
	return of, nil
}
