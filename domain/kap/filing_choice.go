package kap

import (
	"cmp"
	"slices"
	"strings"
)

// choose picks one filing of each period, the newest period first: the newest filing that is
// neither replaced nor cancelled, of the preferred consolidation. named reports whether a
// filing states the requested period; a replaced filing counts, under any of its labels.
func choose(summaries []*FilingSummary, of Consolidation, named func(*FilingSummary) bool) []*FilingSummary {
	asked := map[string]bool{}
	chains := correctionChains(summaries)
	for _, versions := range chains {
		stands := versions[len(versions)-1]
		for _, h := range versions {
			if named(h) {
				asked[h.key()] = true
				asked[stands.key()] = asked[stands.key()] || h.EndDate == stands.EndDate
			}
		}
	}
	best := map[string]*FilingSummary{}
	for _, versions := range chains {
		h := versions[len(versions)-1]
		rank, period := h.Consolidation.rank(of), h.key()
		if rank == 0 || !asked[period] {
			continue
		}
		if b := best[period]; b == nil || cmp.Or(cmp.Compare(rank, b.Consolidation.rank(of)),
			cmp.Compare(h.DisclosureIndex, b.DisclosureIndex)) > 0 {
			best[period] = h
		}
	}
	chosen := make([]*FilingSummary, 0, len(best))
	for _, h := range best {
		chosen = append(chosen, h)
	}
	slices.SortFunc(chosen, func(a, b *FilingSummary) int { return strings.Compare(b.key(), a.key()) })
	return chosen
}

// correctionChains returns, for each filing, the filing and its corrections that are not
// cancelled, even if these state another period or consolidation. The last one is valid.
func correctionChains(summaries []*FilingSummary) map[int][]*FilingSummary {
	replaces := map[int]int{} // a filing, and another version of the same one
	original := func(index int) int {
		for {
			earlier, ok := replaces[index]
			if !ok {
				return index
			}
			index = earlier
		}
	}
	for _, h := range summaries {
		if h.Corrects == nil {
			continue
		}
		if a, b := original(h.DisclosureIndex), original(*h.Corrects); a != b {
			replaces[a] = b
		}
	}
	found := map[int][]*FilingSummary{}
	for _, h := range summaries {
		if of := original(h.DisclosureIndex); !h.Cancelled {
			found[of] = append(found[of], h)
		}
	}
	for _, versions := range found {
		slices.SortFunc(versions, func(a, b *FilingSummary) int { return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex) })
	}
	return found
}

// rank returns how well a filing's own consolidation fits the requested one; 0: not at all.
func (c Consolidation) rank(of Consolidation) int {
	switch {
	case c == of, c == CS && of == Consolidated, c == NC && of == Solo:
		return 2
	case of == Consolidated, of == Solo:
		return 1
	}
	return 0
}
