package market

import (
	"maps"
	"reflect"
	"slices"

	"piyasa/domain/segment"
)

// Boundaries returns where the prices of an instrument, or the levels of an index by its code,
// change their meaning, and the bridges over these boundaries. Figures made of prices of
// several days need them. Bridges over actions with a price come from Adjusting.
func (s *Snapshot) Boundaries(id ID) segment.Boundaries { return s.boundaries[id] }

// arrangeBoundaries collects the boundaries of everything.
func (s *Snapshot) arrangeBoundaries() {
	s.boundaries = make(map[ID]segment.Boundaries, len(s.changes)+len(s.actions.of))
	arrange := func(id ID) {
		all := append([]segment.Boundary(nil), s.changes[id]...)
		for _, one := range (&Adjusting{snapshot: s, adjust: AdjustSplits}).steps(id, nil) {
			all = append(all, one.boundary(true))
		}
		if len(all) > 0 {
			s.boundaries[id] = segment.Arrange(all)
		}
	}
	for id := range s.changes {
		arrange(id)
	}
	for id := range s.actions.of {
		arrange(id)
	}
}

// OtherBoundaries returns the ids of instruments and codes of indices whose boundaries, or the
// actions that bridge them, differ from those in an earlier snapshot.
func (s *Snapshot) OtherBoundaries(before *Snapshot) (changed []string) {
	ids := slices.AppendSeq(slices.Collect(maps.Keys(before.boundaries)), maps.Keys(s.boundaries))
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if !reflect.DeepEqual(s.boundaries[id], before.boundaries[id]) || !reflect.DeepEqual(s.actions.of[id], before.actions.of[id]) {
			changed = append(changed, string(id))
		}
	}
	return changed
}
