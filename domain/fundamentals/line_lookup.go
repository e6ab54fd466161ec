package fundamentals

import (
	_ "embed"
	"slices"

	"piyasa/internal/value"
)

// places are the positions of lines in a layout, found for one template with one table.
type places struct {
	by       *Lines
	template Template
	role     map[Role]int   // the first found by: the line itself, the table for the template, the table for every template
	equity   map[Role][]int // of banks and insurers, in order of preference
}

// equityRoles are the roles for which lines of banks and insurers are also
// found by label.
var equityRoles = []Role{EquityParent, TotalEquity, MinorityInterest}

// placesOf returns the positions of lines in a statement. It stores them in the statement's
// layout.
func (l *Lines) placesOf(f *Filed) *places {
	known := f.places.Load()
	if known == nil || known.by != l || known.template != f.Template {
		known = l.find(f.Layout, f.Template)
		f.places.Store(known)
	}
	return known
}

// find locates each role: by the lines' own roles, else by the table for the template, else by
// the table for every template. Equity of banks and insurers is found by label instead of the
// last. If several lines have a role, the first counts.
func (l *Lines) find(layout *Layout, t Template) *places {
	p := &places{by: l, template: t, role: map[Role]int{}, equity: map[Role][]int{}}
	first := func(roleOf func(*Line) (Role, bool)) {
		found := map[Role]int{}
		for i := range layout.Lines {
			if r, ok := roleOf(&layout.Lines[i]); ok {
				if _, taken := found[r]; !taken {
					found[r] = i
				}
			}
		}
		for r, i := range found {
			if _, taken := p.role[r]; !taken {
				p.role[r] = i
			}
		}
	}
	first(func(line *Line) (Role, bool) {
		if line.Role == nil {
			return "", false
		}
		return *line.Role, true
	})
	first(func(line *Line) (r Role, ok bool) {
		if line.Role == nil {
			r, ok = l.byTemplate[t][line.Code]
		}
		return r, ok
	})
	labelled := layout.byLabel()
	for _, r := range equityRoles {
		if i, ok := p.role[r]; ok {
			p.equity[r] = []int{i}
			continue
		}
		for _, label := range l.labels[r] {
			p.equity[r] = append(p.equity[r], labelled[plainLabel(label)]...)
		}
	}
	first(func(line *Line) (r Role, ok bool) {
		if _, own := l.byTemplate[t][line.Code]; line.Role == nil && !own {
			r, ok = l.byCode[line.Code]
		}
		return r, ok
	})
	return p
}

// byLabel returns the balance-sheet lines that state no role, by plain label.
func (l *Layout) byLabel() map[string][]int {
	found := map[string][]int{}
	for i, line := range l.Lines {
		if line.Group == BalanceSheet && line.Kind == Stock && line.Role == nil {
			label := plainLabel(line.LabelTr)
			found[label] = append(found[label], i)
		}
	}
	return found
}

// figure returns the figure of a role. stated is false if it is absent, null, or a zero that
// stands for missing.
func (l *Lines) figure(f *Filed, role Role) (figure value.Decimal, stated bool) {
	place, ok := l.placesOf(f).role[role]
	if !ok {
		return value.Decimal{}, false
	}
	figure = f.figure(place)
	return figure, l.states(role, figure)
}

// states reports whether a figure of a role counts as stated.
func (l *Lines) states(role Role, figure value.Decimal) bool {
	return !figure.IsNull() && (figure.Sign() != 0 || !slices.Contains(l.zeroIsMissing, role))
}

// equityLine is a line of the equity of a bank or an insurer.
type equityLine struct {
	label  string // as in the statement; empty if there is no line
	figure value.Decimal
	stated bool
}

// equity returns the line of one of equityRoles: the line with the role, else the first
// labelled line with a stated figure, since a heading may have the same label as its total.
func (l *Lines) equity(f *Filed, role Role) equityLine {
	var found equityLine
	for _, place := range l.placesOf(f).equity[role] {
		figure := f.figure(place)
		line := equityLine{f.Lines[place].LabelTr, figure, l.states(role, figure)}
		if found.label == "" || line.stated {
			found = line
		}
		if line.stated {
			break
		}
	}
	return found
}
