package macro

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"piyasa/internal/value"
)

// plainBase is a base note that says nothing but when the index was at a level: in
// parentheses or not, with or without the name of the money.
var plainBase = regexp.MustCompile(`^\(?\s*(\d{4}(?:-\d{2})?)\s*=\s*(\d+)(?:[.,]0+)?\s*(?i:TL|TRY)?\s*\)?$`)

// Base returns a base note in the wording by which notes are compared: "2003 = 100 TL" is
// "2003=100". Of a note that says more, only the blanks change: nothing is guessed.
func Base(note string) string {
	text := strings.Join(strings.Fields(note), " ")
	if parts := plainBase.FindStringSubmatch(text); parts != nil {
		return parts[1] + "=" + parts[2]
	}
	return text
}

// meaning is the base of a point: as its source states it, or as its neighbours have it. A
// series that states no base has one meaning, without words.
type meaning struct {
	base    string
	unknown bool // the neighbours have different bases
}

// words returns the base, or nil if nobody states it.
func (m meaning) words() *string {
	if m.base == "" {
		return nil
	}
	return &m.base
}

// mark is a base that is stated of a month. In a month, marks are ordered: what a link says of
// the time before, what it says from the month on, what a point says.
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

// meanings returns the base of each point, ascending by month. One that states none has that
// of its neighbours, unless these differ: nobody knows where between them the base changed.
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
