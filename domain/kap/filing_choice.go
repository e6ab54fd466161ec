package kap

import (
	"cmp"
	"slices"
	"strings"
)

// choose picks the filing of each period, the newest period first: of the
// preferred consolidation, the newest that is not cancelled.
func choose(summaries []*FilingSummary, of Consolidation) []*FilingSummary {
	best := map[[2]string]*FilingSummary{}
	for _, h := range summaries {
		rank := h.Consolidation.rank(of)
		if h.Cancelled || rank == 0 {
			continue
		}
		period := [2]string{h.Year, h.Period}
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

// key orders periods; a correction of a filing has the same key.
func (h *FilingSummary) key() string { return h.EndDate.String() + "\x00" + h.Year + "\x00" + h.Period }
