package analytics

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
)

// membersOf returns the members of sectors, one sector after the other.
func membersOf(groups []*market.SectorGroup, m market.EquityMarket) []*market.Instrument {
	var all []*market.Instrument
	for _, g := range groups {
		all = append(all, g.Members(m)...)
	}
	return all
}

// ofSectors answers a relation of sectors: nil for a sector that has just been retired. Needs
// history; each answer costs one unit.
func ofSectors[T any](ctx context.Context, s *Service, sectors []*market.SectorInfo,
	read func([]*market.SectorGroup) ([]*T, error)) ([]*T, []error) {
	groups, snapshot := make([]*market.SectorGroup, len(sectors)), s.Market.Live.Snapshot()
	for i, info := range sectors {
		groups[i], _ = snapshot.Sector(info.Code)
	}
	return access.Relation[*market.SectorGroup, *T]{
		Enter:  access.Needs(access.History),
		Covers: func(g *market.SectorGroup) bool { return g != nil },
		Read:   read,
	}.Answer(ctx, groups)
}
