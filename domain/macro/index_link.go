package macro

import (
	"fmt"
	"slices"
	"strings"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// IndexLink leads from one base of a price index to another, as a publisher states it: a level
// in the first base, times the factor, over the divisor, is the level in the second.
type IndexLink struct {
	SeriesID Series        `json:"-" record:"series_id,required"`
	FromBase string        `json:"from_base" record:"required"`
	ToBase   string        `json:"to_base" record:"required"`
	Factor   value.Decimal `json:"factor" record:"required"`
	Divisor  value.Decimal `json:"divisor"`           // null: 1
	Month    value.Month   `json:"month" time:"past"` // from which the series is in the second base; null: as its points state
	Source   *string       `json:"source"`
}

// Validate returns the value.Invalid of the link, if any.
func (l *IndexLink) Validate() error {
	switch from := Base(l.FromBase); {
	case from == "":
		return value.Invalidf("from_base", "must be a base such as 2003=100")
	case Base(l.ToBase) == "":
		return value.Invalidf("to_base", "must be a base such as 2025=100")
	case from == Base(l.ToBase):
		return value.Invalidf("to_base", "must be another base than from_base, which is %s too", from)
	case l.Factor.Sign() <= 0:
		return value.Invalidf("factor", "must be above 0; got %s", l.Factor)
	case !l.Divisor.IsNull() && l.Divisor.Sign() <= 0:
		return value.Invalidf("divisor", "must be above 0; got %s", l.Divisor)
	}
	return nil
}

// Plain returns the link with its bases in the form in which they are compared.
func (l *IndexLink) Plain() *IndexLink {
	plain := *l
	plain.FromBase, plain.ToBase = Base(l.FromBase), Base(l.ToBase)
	return &plain
}

// ratio returns the multiplier of a level in the first base.
func (l *IndexLink) ratio() value.Ratio {
	if l.Divisor.IsNull() {
		return value.NewRatio(l.Factor, value.MustDecimal("1"))
	}
	return value.NewRatio(l.Factor, l.Divisor)
}

// step is a link in the direction in which a figure crosses it: from the base of older prices
// to that of newer ones.
type step struct {
	link     *IndexLink
	back     bool // from the link's second base to its first
	from, to string
}

// ratio returns the multiplier of a level that takes the step.
func (s step) ratio() value.Ratio {
	if s.back {
		return s.link.ratio().Inverse()
	}
	return s.link.ratio()
}

// way returns the links from one base to another, or nil. There is at most one way, because a
// link that would form a cycle is rejected.
func way(links []*IndexLink, from, to string) []step {
	for i, l := range links {
		var next step
		switch from {
		case l.FromBase:
			next = step{l, false, from, l.ToBase}
		case l.ToBase:
			next = step{l, true, from, l.FromBase}
		default:
			continue
		}
		if next.to == to {
			return []step{next}
		}
		if rest := way(slices.Concat(links[:i], links[i+1:]), next.to, to); rest != nil {
			return append([]step{next}, rest...)
		}
	}
	return nil
}

// The bounds of a month's prices relative to the month before: a rise by half is where
// hyperinflation begins, and no index of a country's prices has fallen by a tenth.
var mostOfMonth, leastOfMonth = value.MustDecimal("1.5"), value.MustDecimal("0.9")

// mostMonths is the largest distance, in months, of two levels that can check a link.
const mostMonths = 60

// CheckLink returns why a link contradicts other links of its series, or the points on both of
// its sides; nil: it does not. All links must be plain.
func CheckLink(points []*Point, others []*IndexLink, next *IndexLink) *value.Invalid {
	if known := way(others, next.FromBase, next.ToBase); known != nil {
		path := []string{next.FromBase}
		for _, s := range known {
			path = append(path, s.to)
		}
		return value.Invalidf("to_base", "must be a base to which no link leads yet: one leads %s, and links count in both directions; "+
			"withdraw one of them first", strings.Join(path, " to "))
	}
	x := newIndex(points, append(slices.Clone(others), next))
	wrong := x.contradictions(func(_, _ int, crossed segment.Boundaries) bool {
		return slices.ContainsFunc(crossed, func(b segment.Boundary) bool { return next.joins(*b.From, *b.To) })
	})
	if len(wrong) == 0 {
		return nil
	}
	return value.Invalidf("factor", "must agree with the stored points: %s", wrong[0])
}

// CheckPoint returns why a point contradicts the links of its series, given the levels before
// and after it among points, which include it; nil: it does not. All links must be plain.
func CheckPoint(points []*Point, links []*IndexLink, next *Point) *value.Invalid {
	x := newIndex(points, links)
	wrong := x.contradictions(func(before, after int, _ segment.Boundaries) bool {
		return x.points[before] == next || x.points[after] == next
	})
	if len(wrong) == 0 {
		return nil
	}
	return value.Invalidf("value", "must agree with the stored links between bases: %s; withdraw the link if it is wrong", wrong[0])
}

// Contradictions describes the levels of a series that contradict its links, which must be
// plain.
func Contradictions(points []*Point, links []*IndexLink) []string {
	return newIndex(points, links).contradictions(func(int, int, segment.Boundaries) bool { return true })
}

// contradictions describes neighbouring levels before and after links that cannot belong to one
// series, among those for which asked is true.
func (x *index) contradictions(asked func(before, after int, crossed segment.Boundaries) bool) (all []string) {
	last := -1
	for i, p := range x.points {
		if p.Value.IsNull() {
			continue
		}
		if last >= 0 {
			crossed := x.crossed(last, i)
			if len(crossed) > 0 && crossed.Unbridged() == nil && asked(last, i, crossed) {
				if wrong := x.contradiction(last, i, crossed); wrong != "" {
					all = append(all, wrong)
				}
			}
		}
		last = i
	}
	return all
}

// contradiction says why two levels cannot belong to one series, or "".
func (x *index) contradiction(before, after int, crossed segment.Boundaries) string {
	a, b := x.points[before], x.points[after]
	most, least, months := value.MustDecimal("1"), value.MustDecimal("1"), 0
	for m := a.Month; m.Before(b.Month); m = m.Next() {
		if months++; months > mostMonths {
			return ""
		}
		most, least = most.Times(mostOfMonth), least.Times(leastOfMonth)
	}
	linked := a.Value.Times(crossed.Ratio().Factor())
	if b.Value.Cmp(linked.Times(most)) <= 0 && b.Value.Cmp(linked.Times(least)) >= 0 {
		return ""
	}
	path := x.meanings[before].base
	for _, b := range crossed {
		path += fmt.Sprintf(" to %s (times %s)", *b.To, b.Bridge.Factor)
	}
	return fmt.Sprintf("%s of %s (%s) would be about %s in %s, of which %s is stored for %s; the link leads from %s",
		a.Value, a.Month, x.meanings[before].base, linked.Over(value.MustDecimal("1"), 2), x.meanings[after].base, b.Value, b.Month, path)
}

// joins reports whether the link leads between two bases, in either direction.
func (l *IndexLink) joins(from, to string) bool {
	return l.FromBase == from && l.ToBase == to || l.FromBase == to && l.ToBase == from
}
