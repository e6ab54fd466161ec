package fundamentals

import (
	_ "embed"
	"slices"

	"piyasa/value"
)

// places are where a layout has the lines of a template, by a table that says
// so.
type places struct {
	by       *Lines
	template Template
	role     map[Role]int   // by the line itself, by the table for the template, by the table for every template: the first that there is
	equity   map[Role][]int // of banks and insurers, in order of preference
}

// equityRoles are the roles that lines of banks and insurers have by their
// labels, too.
var equityRoles = []Role{EquityParent, TotalEquity, MinorityInterest}

// placesOf is where a statement has its lines.
func (l *Lines) placesOf(f *Filed) *places {
	known := f.places.Load()
	if known == nil || known.by != l || known.template != f.Template {
		known = l.find(f.Layout, f.Template)
		f.places.Store(known)
	}
	return known
}

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
	labelled := layout.labelled()
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

// labelled are the balance-sheet lines that name no role, by plain label.
func (l *Layout) labelled() map[string][]int {
	found := map[string][]int{}
	for i, line := range l.Lines {
		if line.Group == BalanceSheet && line.Kind == Stock && line.Role == nil {
			label := plainLabel(line.LabelTr)
			found[label] = append(found[label], i)
		}
	}
	return found
}

// figure is what a statement says under a role, null when it says nothing;
// stated is false when that is nothing, or a zero that means nothing.
func (l *Lines) figure(f *Filed, role Role) (figure value.Decimal, stated bool) {
	place, ok := l.placesOf(f).role[role]
	if !ok {
		return value.Decimal{}, false
	}
	figure = f.figure(place)
	return figure, l.says(role, figure)
}

// says reports whether a figure under a role states something.
func (l *Lines) says(role Role, figure value.Decimal) bool {
	return !figure.IsNull() && (figure.Sign() != 0 || !slices.Contains(l.zeroIsMissing, role))
}

// equityLine is a line of the equity of a bank or an insurer.
type equityLine struct {
	label  string // as the statement spells it; empty when there is no line
	figure value.Decimal
	stated bool
}

// equity is the line under one of equityRoles: the one that has the role, else
// the first of the labelled ones that states something, since a heading may
// have the label of its sum.
func (l *Lines) equity(f *Filed, role Role) equityLine {
	var found equityLine
	for _, place := range l.placesOf(f).equity[role] {
		figure := f.figure(place)
		line := equityLine{f.Lines[place].LabelTr, figure, l.says(role, figure)}
		if found.label == "" || line.stated {
			found = line
		}
		if line.stated {
			break
		}
	}
	return found
}
