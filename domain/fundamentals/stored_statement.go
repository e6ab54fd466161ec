package fundamentals

import (
	"cmp"
	"strings"
	"sync/atomic"

	"piyasa/internal/value"
)

// Layout is the lines of a statement in their order. Statements with the same lines share one
// layout, which is stored once. It is immutable.
type Layout struct {
	Lines  []Line
	place  map[string]int // by code
	places atomic.Pointer[places]
}

// NewLayout arranges lines, which have distinct codes.
func NewLayout(lines []Line) *Layout {
	l := &Layout{Lines: lines, place: make(map[string]int, len(lines))}
	for i, line := range lines {
		l.place[line.Code] = i
	}
	return l
}

// Filed is a stored statement. Its figures are kept as one text and parsed on demand.
type Filed struct {
	Heading
	*Layout
	Figures string // one word per line, separated by blanks; an empty word is null
	// Published is the consolidation of what the disclosure platform had published for the
	// period by FiledAt, the group's if both; empty: nothing. It counts if the statement states
	// none.
	Published string
}

// of returns the consolidation of the filing, stated or published; empty: not known.
func (f *Filed) of() string { return cmp.Or(f.Consolidation, f.Published) }

// Lines returns the statement's lines, without figures.
func (s *Statement) Lines() []Line {
	lines := make([]Line, len(s.Items))
	for i, item := range s.Items {
		lines[i] = item.Line
	}
	return lines
}

// Figures returns the statement's figures in the encoding of Filed.
func (s *Statement) Figures() string {
	words := make([]string, len(s.Items))
	for i, item := range s.Items {
		words[i] = item.Value.String()
	}
	return strings.Join(words, " ")
}

// figure returns the figure of the line at a place, or null.
func (f *Filed) figure(place int) value.Decimal {
	rest := f.Figures
	for range place {
		_, rest, _ = strings.Cut(rest, " ")
	}
	word, _, _ := strings.Cut(rest, " ")
	return figureOf(word)
}

// Statement returns the statement as it was filed.
func (f *Filed) Statement() *Statement {
	s := &Statement{Heading: f.Heading, Items: make([]Item, len(f.Lines))}
	for i, figure := range f.figures() {
		s.Items[i] = Item{f.Lines[i], figure}
	}
	return s
}

// figures returns the figures of all lines.
func (f *Filed) figures() []value.Decimal {
	all := make([]value.Decimal, len(f.Lines))
	rest := f.Figures
	for i := range all {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		all[i] = figureOf(word)
	}
	return all
}

func figureOf(word string) value.Decimal {
	d, _ := value.ParseDecimal(word) // an empty word is null; stored words are valid
	return d
}
