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

	"piyasa/internal/value"
)

// Role is the meaning of a line to the formulas, independent of its code.
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

var roles = value.Enum(
	Revenue, OperatingProfit, DepreciationAndAmortisation, NetProfitParent, EquityParent, TotalEquity, MinorityInterest,
	ShortTermFinancialDebt, LongTermFinancialDebt, CashAndEquivalents, ShortTermFinancialInvestments, EPS,
)

// Lines maps the lines of a consolidator's statements to roles. It is data: another
// consolidator, or another meaning of zero, needs only another file. ShippedLines returns the
// built-in table; With overrides it.
type Lines struct {
	byTemplate    map[Template]map[string]Role // by line code, for lines that state no role themselves
	byCode        map[string]Role              // in every template, unless byTemplate overrides it
	labels        map[Role][]string            // of the equity of banks and insurers, in order of preference
	zeroIsMissing []Role                       // lines whose zero means that nothing was reported
}

//go:embed line_roles.json
var shippedLines []byte

// ShippedLines returns the built-in table.
func ShippedLines() *Lines {
	l, err := new(Lines).With(shippedLines)
	if err != nil {
		panic(err)
	}
	return l
}

// linesFile is the JSON form of a table.
type linesFile struct {
	Roles              map[string]codeRole `json:"roles"`
	ParentEquityLabels []string            `json:"parent_equity_labels"`
	TotalEquityLabels  []string            `json:"total_equity_labels"`
	MinorityLabels     []string            `json:"minority_labels"`
	ZeroIsMissing      []Role              `json:"zero_is_missing"`
}

// codeRole is the role of a code in every template or, under the name of a
// template, the roles of codes in that template.
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

// With returns a copy of l with the overrides of a JSON object: each role by itself, every
// other list as a whole. The error lists all faults of the file.
func (l *Lines) With(file []byte) (*Lines, error) {
	own := linesFile{ // copies, since the decoder overwrites them
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
		labels: map[Role][]string{EquityParent: own.ParentEquityLabels, TotalEquity: own.TotalEquityLabels,
			MinorityInterest: own.MinorityLabels},
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

// check returns all errors in the file.
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
				wrong = append(wrong, fmt.Errorf("%s: a label must contain words, not only numbering and marks; got %q",
					list.member, label))
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
