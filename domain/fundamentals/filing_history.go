package fundamentals

import (
	"cmp"
	"slices"
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
