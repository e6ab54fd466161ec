package analytics

import (
	"context"
	"math/big"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// SectorValuation holds the medians of a sector's members in a market.
type SectorValuation struct {
	Code        string              `json:"code"`
	Name        string              `json:"name"`
	Market      market.EquityMarket `json:"market"`
	MemberCount int                 `json:"member_count"`
	PeRatio     *SectorMedian       `json:"pe_ratio"`
	PbRatio     *SectorMedian       `json:"pb_ratio"`
	AsOf        value.Instant       `json:"as_of"` // of the newest member; null if none has figures
}

// SectorValuation returns the median P/E and P/B of a sector's members in a
// market, bist if m is nil. Needs history. Problems: not-found.
func (s *Service) SectorValuation(ctx context.Context, code string, m *market.EquityMarket) (*SectorValuation, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	group, err := s.Market.Live.Snapshot().Sector(code)
	if err != nil {
		return nil, err
	}
	all, err := s.sectorValuations(ctx, []*market.SectorGroup{group}, m.OrBIST())
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// SectorValuationsOf returns the medians of sectors in their order, read
// together. Needs history; each costs one unit.
func (s *Service) SectorValuationsOf(ctx context.Context, sectors []*market.SectorInfo,
	m *market.EquityMarket) ([]*SectorValuation, []error) {
	return ofSectors(ctx, s, sectors, func(groups []*market.SectorGroup) ([]*SectorValuation, error) {
		return s.sectorValuations(ctx, groups, m.OrBIST())
	})
}

func (s *Service) sectorValuations(ctx context.Context, groups []*market.SectorGroup, m market.EquityMarket) ([]*SectorValuation, error) {
	members := membersOf(groups, m)
	values, err := s.Fundamentals.Values(ctx, members)
	if err != nil {
		return nil, err
	}
	all := make([]*SectorValuation, len(groups))
	at := 0
	for i, g := range groups {
		v := &SectorValuation{Code: g.Code, Name: g.Name, Market: m, MemberCount: len(g.Members(m))}
		var pe, pb []*big.Rat
		for range g.Members(m) {
			value := values[at]
			at++
			if value == nil {
				continue
			}
			pe, pb = append(pe, value.PeRatio.Exact()), append(pb, value.PbRatio.Exact())
			if value.AsOf.After(v.AsOf) {
				v.AsOf = value.AsOf
			}
		}
		v.PeRatio, v.PbRatio = Median(pe), Median(pb)
		all[i] = v
	}
	return all, nil
}
