package numbers

import (
	"slices"
	"time"

	"piyasa/collect/vyk/listing"
)

const (
	mostGaps  = 300                // then neighbours become one
	firstLook = time.Minute        // after a gap
	watchGap  = 3 * 24 * time.Hour // for a number that is listed late
)

// Gap is a range of numbers that no list has had so far.
type Gap struct {
	From  int64     `json:"from"`
	To    int64     `json:"to"`
	Since time.Time `json:"since"` // when it was first seen
	Asked time.Time `json:"asked"` // when a list was last asked for it
}

// due reports whether to look again: after a minute, then twice as long each time, and at the
// end.
func (g Gap) due(now time.Time) bool {
	old := g.Asked.Sub(g.Since)
	return now.Sub(g.Asked) >= min(max(firstLook, old), watchGap-old)
}

// Gaps are the gaps to look at.
type Gaps []Gap

// Skip notes that a list does not have the numbers from one to another one.
func (g *Gaps) Skip(from, to int64, at time.Time) {
	if from > to {
		return
	}
	all := append(*g, Gap{from, to, at, at})
	for len(all) > mostGaps {
		slices.SortFunc(all, func(a, b Gap) int { return int(a.From - b.From) })
		best := 1
		for i := 2; i < len(all); i++ {
			if all[i].From-all[i-1].To < all[best].From-all[best-1].To {
				best = i
			}
		}
		// What is between them is read twice, which changes nothing.
		a, b := &all[best-1], all[best]
		a.To, a.Since = max(a.To, b.To), later(a.Since, b.Since)
		a.Asked = later(a.Since, earlier(a.Asked, b.Asked))
		all = slices.Delete(all, best, best+1)
	}
	*g = all
}

// Due returns the first number of the gap to look at; 0: none.
func (g Gaps) Due(now time.Time) int64 {
	for _, one := range g {
		if one.due(now) {
			return one.From
		}
	}
	return 0
}

// Begin reports whether a gap begins with a number.
func (g Gaps) Begin(n int64) bool {
	return slices.ContainsFunc(g, func(one Gap) bool { return one.From == n })
}

// Found takes from the gaps what a list has that covers numbers from one to another one, and
// returns what was in a gap.
func (g *Gaps) Found(rows []listing.Row, from, to int64, at time.Time) (all []listing.Row) {
	var left Gaps
	for _, one := range *g {
		if one.To < from || one.From > to {
			left = append(left, one)
			continue
		}
		if one.From < from {
			left = append(left, Gap{one.From, from - 1, one.Since, one.Asked})
		}
		begin, end := max(one.From, from), min(one.To, to)
		for _, row := range rows {
			if row.Number < begin || row.Number > end {
				continue
			}
			all = append(all, row)
			if begin < row.Number {
				left = append(left, Gap{begin, row.Number - 1, one.Since, at})
			}
			begin = row.Number + 1
		}
		if begin <= end {
			left = append(left, Gap{begin, end, one.Since, at})
		}
		if one.To > to {
			left = append(left, Gap{to + 1, one.To, one.Since, one.Asked})
		}
	}
	*g = slices.DeleteFunc(left, func(one Gap) bool { return one.Asked.Sub(one.Since) >= watchGap })
	return all
}

// Cut leaves of the gaps what is not after a number.
func (g *Gaps) Cut(to int64) {
	var left Gaps
	for _, one := range *g {
		if one.To = min(one.To, to); one.From <= one.To {
			left = append(left, one)
		}
	}
	*g = left
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
