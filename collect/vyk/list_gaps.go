package vyk

import (
	"slices"
	"time"
)

const (
	mostGaps  = 300                // more gaps are merged with their neighbours
	firstLook = time.Minute        // after a gap
	watchGap  = 3 * 24 * time.Hour // how long a number may still be listed late
)

// gap is a range of numbers that no list has had yet.
type gap struct {
	From  int64     `json:"from"`
	To    int64     `json:"to"`
	Since time.Time `json:"since"` // when it was first seen
	Asked time.Time `json:"asked"` // when a list was last asked for it
}

// due reports whether to look again: after a minute, then after twice as long each time, and at
// the end.
func (g gap) due(now time.Time) bool {
	old := g.Asked.Sub(g.Since)
	return now.Sub(g.Asked) >= min(max(firstLook, old), watchGap-old)
}

// gaps are the gaps to look at again.
type gaps []gap

// skip records that a list lacks the numbers between from and to.
func (g *gaps) skip(from, to int64, at time.Time) {
	if from > to {
		return
	}
	all := append(*g, gap{from, to, at, at})
	for len(all) > mostGaps {
		slices.SortFunc(all, func(a, b gap) int { return int(a.From - b.From) })
		best := 1
		for i := 2; i < len(all); i++ {
			if all[i].From-all[i-1].To < all[best].From-all[best-1].To {
				best = i
			}
		}
		// The numbers between them are read twice, which changes nothing.
		a, b := &all[best-1], all[best]
		a.To = max(a.To, b.To)
		a.Since = latest(b.Since, a.Since)
		a.Asked = latest(slices.MinFunc([]time.Time{b.Asked, a.Asked}, time.Time.Compare), a.Since)
		all = slices.Delete(all, best, best+1)
	}
	*g = all
}

// due returns the first number of the next gap to look at; 0: none.
func (g gaps) due(now time.Time) int64 {
	for _, one := range g {
		if one.due(now) {
			return one.From
		}
	}
	return 0
}

// begin reports whether a gap begins at n.
func (g gaps) begin(n int64) bool {
	return slices.ContainsFunc(g, func(one gap) bool { return one.From == n })
}

// found removes the disclosures of a list that covers the numbers between from and to from the
// gaps, and returns those that were in a gap.
func (g *gaps) found(listed []entry, from, to int64, at time.Time) (all []entry) {
	var left gaps
	for _, one := range *g {
		if one.To < from || one.From > to {
			left = append(left, one)
			continue
		}
		if one.From < from {
			left = append(left, gap{one.From, from - 1, one.Since, one.Asked})
		}
		begin, end := max(one.From, from), min(one.To, to)
		for _, e := range listed {
			if e.N < begin || e.N > end {
				continue
			}
			all = append(all, e)
			if begin < e.N {
				left = append(left, gap{begin, e.N - 1, one.Since, at})
			}
			begin = e.N + 1
		}
		if begin <= end {
			left = append(left, gap{begin, end, one.Since, at})
		}
		if one.To > to {
			left = append(left, gap{to + 1, one.To, one.Since, one.Asked})
		}
	}
	*g = slices.DeleteFunc(left, func(one gap) bool { return one.Asked.Sub(one.Since) >= watchGap })
	return all
}

// cut removes the numbers after to from the gaps.
func (g *gaps) cut(to int64) {
	var left gaps
	for _, one := range *g {
		if one.To = min(one.To, to); one.From <= one.To {
			left = append(left, one)
		}
	}
	*g = left
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
