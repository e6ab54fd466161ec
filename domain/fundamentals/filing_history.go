package fundamentals

import (
	"cmp"
	"slices"
)

// Book is everything that a company filed in one currency. It is immutable.
type FilingHistory struct {
	periods []Period // newest first
	filings map[Period]filings
}

// filings are the filings of one period that count; often they are one.
type filings struct{ first, current *Filed }

// NewBook arranges the filings of one company in one currency.
func NewFilingHistory(all []*Filed) *FilingHistory {
	b := &FilingHistory{filings: make(map[Period]filings, len(all))}
	for _, f := range all {
		p := f.Period()
		known, ok := b.filings[p]
		if !ok {
			b.periods = append(b.periods, p)
			known = filings{f, f}
		}
		if f.FiledAt.Before(known.first.FiledAt) {
			known.first = f
		}
		if f.FiledAt.After(known.current.FiledAt) {
			known.current = f
		}
		b.filings[p] = known
	}
	slices.SortFunc(b.periods, func(p, q Period) int { return -cmp.Or(cmp.Compare(p.Year, q.Year), cmp.Compare(p.Month, q.Month)) })
	return b
}

// size is how many filings the book holds.
func (b *FilingHistory) size() int {
	n := len(b.periods)
	for _, f := range b.filings {
		if f.first != f.current {
			n++
		}
	}
	return n
}

// current is the latest form of a period, or nil.
func (b *FilingHistory) current(p Period) *Filed { return b.filings[p].current }

// newest is the latest form of the newest period, or nil.
func (b *FilingHistory) newest() *Filed {
	if len(b.periods) == 0 {
		return nil
	}
	return b.current(b.periods[0])
}
