package fundamentals

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// FilingHistory holds everything that a company filed in one currency. It is
// immutable.
type FilingHistory struct {
	periods []Period // newest first
	filings map[Period]filings
	valued  atomic.Pointer[valued] // the last valuation computed from it
}

// valued is a valuation with the metrics that it was computed from.
type valued struct {
	metrics   *Metrics // may be nil
	valuation *Valuation
}

// filings are the first and the current filing of a period; often they are the
// same.
type filings struct{ first, current *Filed }

// NewFilingHistory arranges the filings of one company in one currency.
func NewFilingHistory(all []*Filed) *FilingHistory {
	h := &FilingHistory{filings: make(map[Period]filings, len(all))}
	for _, f := range all {
		p := f.Period()
		known, ok := h.filings[p]
		if !ok {
			h.periods = append(h.periods, p)
			known = filings{f, f}
		}
		if f.FiledAt.Before(known.first.FiledAt) {
			known.first = f
		}
		if f.FiledAt.After(known.current.FiledAt) {
			known.current = f
		}
		h.filings[p] = known
	}
	slices.SortFunc(h.periods, func(p, q Period) int { return -cmp.Or(cmp.Compare(p.Year, q.Year), cmp.Compare(p.Month, q.Month)) })
	return h
}

// size returns the number of filings.
func (h *FilingHistory) size() int {
	n := len(h.periods)
	for _, f := range h.filings {
		if f.first != f.current {
			n++
		}
	}
	return n
}

// current returns the latest filing of a period, or nil.
func (h *FilingHistory) current(p Period) *Filed { return h.filings[p].current }

// newest returns the latest filing of the newest period, or nil.
func (h *FilingHistory) newest() *Filed {
	if len(h.periods) == 0 {
		return nil
	}
	return h.current(h.periods[0])
}
