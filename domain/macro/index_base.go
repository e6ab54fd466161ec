package macro

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"piyasa/internal/value"
)

// plainBase matches a base note that only says when the index was at a level: with or without
// parentheses and the name of the money.
var plainBase = regexp.MustCompile(`^\(?\s*(\d{4}(?:-\d{2})?)\s*=\s*(\d+)(?:[.,]0+)?\s*(?i:TL|TRY)?\s*\)?$`)

// Base returns a base note in the form in which notes are compared: "2003 = 100 TL" becomes
// "2003=100". In a note that says more, only the blanks change: nothing is guessed.
func Base(note string) string {
	text := strings.Join(strings.Fields(note), " ")
	if parts := plainBase.FindStringSubmatch(text); parts != nil {
		return parts[1] + "=" + parts[2]
	}
	return text
}

// meaning is the base of a point, stated by its source or taken from its neighbours. A series
// without any stated base has one meaning, without words.
type meaning struct {
	base    string
	unknown bool // its neighbours have different bases
}

// words returns the base, or nil if it is not stated.
func (m meaning) words() *string {
	if m.base == "" {
		return nil
	}
	return &m.base
}

// mark is a base stated for a month. Marks of a month are ordered: the base before a link, the
// base from the link's month on, the base of a point.
type mark struct {
	month value.Month
	place int
	base  string
}

func (m mark) compare(n mark) int {
	return cmp.Or(cmp.Compare(m.month.String(), n.month.String()), cmp.Compare(m.place, n.place))
}

const (
	beforeLink = iota
	fromLink
	ofPoint
	behindAll
)

// meanings returns the base of each point, ascending by month. A point that states none has the
// base of its neighbours, unless these differ: it is not known where between them the base
// changed.
func meanings(points []*Point, links []*IndexLink) []meaning {
	var marks []mark
	for _, l := range links {
		if !l.Month.IsNull() {
			marks = append(marks, mark{l.Month, beforeLink, l.FromBase}, mark{l.Month, fromLink, l.ToBase})
		}
	}
	for _, p := range points {
		if base := p.base(); base != "" {
			marks = append(marks, mark{p.Month, ofPoint, base})
		}
	}
	slices.SortStableFunc(marks, mark.compare)
	all := make([]meaning, len(points))
	for i, p := range points {
		if all[i].base = p.base(); all[i].base != "" {
			continue
		}
		next, _ := slices.BinarySearchFunc(marks, mark{p.Month, behindAll, ""}, mark.compare)
		switch before, after := next > 0, next < len(marks); {
		case before && after && marks[next-1].base != marks[next].base:
			all[i].unknown = true
		case before:
			all[i].base = marks[next-1].base
		case after:
			all[i].base = marks[next].base
		}
	}
	return all
}

// base returns the base that a point states; empty: none.
func (p *Point) base() string {
	if p.Unit == nil {
		return ""
	}
	return Base(*p.Unit)
}
