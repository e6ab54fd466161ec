package kap

import (
	"cmp"
	"slices"
	"strings"
)

// choose picks a filing of each period, the newest period first: of the preferred
// consolidation, the newest of those that stand. named reports whether a filing states what the
// caller calls a period by: one that stands or was replaced, under any of its labels.
func choose(summaries []*FilingSummary, of Consolidation, named func(*FilingSummary) bool) []*FilingSummary {
	asked := map[string]bool{}
	for _, h := range summaries {
		if !h.Cancelled && named(h) {
			asked[h.key()] = true
		}
	}
	best := map[string]*FilingSummary{}
	for _, h := range standing(summaries) {
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

// standing returns the newest of each filing and its corrections that is not cancelled,
// whatever the corrections say of period and consolidation.
func standing(summaries []*FilingSummary) map[int]*FilingSummary {
	replaces := map[int]int{} // a filing, and another one of which both are versions
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
	newest := map[int]*FilingSummary{}
	for _, h := range summaries {
		of := original(h.DisclosureIndex)
		if known := newest[of]; !h.Cancelled && (known == nil || known.DisclosureIndex < h.DisclosureIndex) {
			newest[of] = h
		}
	}
	return newest
}

// rank returns how well a filing's own consolidation fits the one asked for; 0:
// not at all.
func (c Consolidation) rank(of Consolidation) int {
	switch {
	case c == of, c == CS && of == Consolidated, c == NC && of == Solo:
		return 2
	case of == Consolidated, of == Solo:
		return 1
	}
	return 0
}
