package fundamentals

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"piyasa/value"
)

// Role is what a line means to the formulas, whatever its code.
type Role string

// The roles.
const (
	Revenue                       Role = "revenue"
	OperatingProfit               Role = "operating_profit"
	DepreciationAndAmortisation   Role = "depreciation_and_amortisation"
	NetProfitParent               Role = "net_profit_parent"
	EquityParent                  Role = "equity_attributable_to_parent"
	TotalEquity                   Role = "total_equity"
	MinorityInterest              Role = "minority_interest"
	ShortTermFinancialDebt        Role = "short_term_financial_debt"
	LongTermFinancialDebt         Role = "long_term_financial_debt"
	CashAndEquivalents            Role = "cash_and_equivalents"
	ShortTermFinancialInvestments Role = "short_term_financial_investments"
	EPS                           Role = "eps"
)

var roles = []Role{
	Revenue, OperatingProfit, DepreciationAndAmortisation, NetProfitParent, EquityParent, TotalEquity, MinorityInterest,
	ShortTermFinancialDebt, LongTermFinancialDebt, CashAndEquivalents, ShortTermFinancialInvestments, EPS,
}

// Lines is how the formulas find their lines in the statements of a
// consolidator. It is data: another consolidator, or another reading of zero,
// is another file.
type Lines struct {
	byTemplate    map[Template]map[string]Role // by line code, for lines that name no role themselves
	byCode        map[string]Role              // the same in every template, where byTemplate says nothing else
	labels        map[Role][]string            // of the equity of banks and insurers, in order of preference
	zeroIsMissing []Role                       // lines whose zero means that nothing was reported
}

//go:embed line_roles.json
var shippedLines []byte

// ShippedLines is the table that comes with piyasa.
func ShippedLines() *Lines {
	l, err := new(Lines).With(shippedLines)
	if err != nil {
		panic(err)
	}
	return l
}

// linesFile is a table of lines as a file spells it.
type linesFile struct {
	Roles              map[string]codeRole `json:"roles"`
	ParentEquityLabels []string            `json:"parent_equity_labels"`
	TotalEquityLabels  []string            `json:"total_equity_labels"`
	MinorityLabels     []string            `json:"minority_labels"`
	ZeroIsMissing      []Role              `json:"zero_is_missing"`
}

// codeRole is the role of a code in every template or, under the name of a
// template, the roles of codes in that one.
type codeRole struct {
	everywhere Role
	within     map[string]Role
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *codeRole) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("{")) {
		return json.Unmarshal(text, &c.within)
	}
	return json.Unmarshal(text, &c.everywhere)
}

// With reads a JSON object and lays it over l: roles one by one, every other
// list as a whole.
func (l *Lines) With(file []byte) (*Lines, error) {
	own := linesFile{ // copies: the decoder writes into what is there
		ParentEquityLabels: slices.Clone(l.labels[EquityParent]), TotalEquityLabels: slices.Clone(l.labels[TotalEquity]),
		MinorityLabels: slices.Clone(l.labels[MinorityInterest]), ZeroIsMissing: slices.Clone(l.zeroIsMissing),
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&own); err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"roles": {"R100": "revenue", "bank": {"3ZA": "net_profit_parent"}}, "zero_is_missing": ["total_equity"]}: %w`, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("must be one JSON object and nothing after it")
	}
	if err := own.check(); err != nil {
		return nil, err
	}
	next := &Lines{
		byTemplate: map[Template]map[string]Role{}, byCode: cloned(l.byCode), zeroIsMissing: own.ZeroIsMissing,
		labels: map[Role][]string{EquityParent: own.ParentEquityLabels, TotalEquity: own.TotalEquityLabels, MinorityInterest: own.MinorityLabels},
	}
	for _, t := range templates {
		next.byTemplate[t] = cloned(l.byTemplate[t])
	}
	for code, c := range own.Roles {
		if c.within == nil {
			next.byCode[code] = c.everywhere
			for _, t := range templates {
				delete(next.byTemplate[t], code)
			}
		}
	}
	for name, c := range own.Roles {
		if c.within != nil {
			maps.Copy(next.byTemplate[Template(name)], c.within)
		}
	}
	return next, nil
}

func cloned(roles map[string]Role) map[string]Role {
	c := map[string]Role{}
	maps.Copy(c, roles)
	return c
}

// check returns everything that is wrong with the file.
func (f *linesFile) check() error {
	var wrong []error
	role := func(member, code string, r Role) {
		if !slices.Contains(roles, r) {
			wrong = append(wrong, fmt.Errorf("%s: the role of %s must be one of %v; got %q", member, code, roles, r))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(f.Roles)) {
		c := f.Roles[code]
		switch {
		case c.within == nil:
			role("roles", code, c.everywhere)
		case !slices.Contains(templates, Template(code)):
			wrong = append(wrong, fmt.Errorf("roles: codes can be grouped only by template, one of %v; got %q", templates, code))
		}
		for _, own := range slices.Sorted(maps.Keys(c.within)) {
			role("roles."+code, own, c.within[own])
		}
	}
	for _, list := range []struct {
		member string
		labels []string
	}{{"parent_equity_labels", f.ParentEquityLabels}, {"total_equity_labels", f.TotalEquityLabels}, {"minority_labels", f.MinorityLabels}} {
		for _, label := range list.labels {
			if plainLabel(label) == "" {
				wrong = append(wrong, fmt.Errorf("%s: a label must contain words, not only numbering and marks; got %q", list.member, label))
			}
		}
	}
	for _, r := range f.ZeroIsMissing {
		if !slices.Contains(roles, r) {
			wrong = append(wrong, fmt.Errorf("zero_is_missing: must be among %v; got %q", roles, r))
		}
	}
	return errors.Join(wrong...)
}

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
