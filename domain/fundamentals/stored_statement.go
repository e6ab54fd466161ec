package fundamentals

import (
	"strings"
	"sync/atomic"

	"piyasa/value"
)

// Layout is the lines of a statement in their order. Statements by one template
// share one, which is stored once. It is immutable.
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

// Filed is a statement as it is stored: its lines, and its figures in one
// text, so that the hundred figures that nobody asks for cost nothing.
type Filed struct {
	Heading
	*Layout
	Figures string // one word per line, separated by a blank; an empty one is null
}

// Lines are the statement's lines, without figures.
func (s *Statement) Lines() []Line {
	lines := make([]Line, len(s.Items))
	for i, item := range s.Items {
		lines[i] = item.Line
	}
	return lines
}

// Figures are the statement's figures as Filed spells them.
func (s *Statement) Figures() string {
	words := make([]string, len(s.Items))
	for i, item := range s.Items {
		words[i] = item.Value.String()
	}
	return strings.Join(words, " ")
}

// figure is the figure of the line at a place; null when it has none.
func (f *Filed) figure(place int) value.Decimal {
	rest := f.Figures
	for range place {
		_, rest, _ = strings.Cut(rest, " ")
	}
	word, _, _ := strings.Cut(rest, " ")
	return figureOf(word)
}

// figures are the figures of all lines.
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
	d, _ := value.ParseDecimal(word) // an empty word is null, and no other is stored
	return d
}
