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
	"strings"

	"piyasa/domain/market"
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
	Roles              map[string]Role `json:"roles"`                // by line code, for lines that name no role themselves
	ParentEquityLabels []string        `json:"parent_equity_labels"` // of banks and insurers, in order of preference
	TotalEquityLabels  []string        `json:"total_equity_labels"`
	MinorityLabels     []string        `json:"minority_labels"`
	ZeroIsMissing      []Role          `json:"zero_is_missing"` // lines whose zero means that nothing was reported
}

//go:embed lines.json
var shippedLines []byte

// ShippedLines is the table that comes with piyasa.
func ShippedLines() *Lines {
	l, err := new(Lines).With(shippedLines)
	if err != nil {
		panic(err)
	}
	return l
}

// With reads a JSON object and lays it over l: roles one by one, every other
// list as a whole.
func (l *Lines) With(file []byte) (*Lines, error) {
	own := Lines{ // copies: the decoder writes into what is there
		Roles: maps.Clone(l.Roles), ParentEquityLabels: slices.Clone(l.ParentEquityLabels), TotalEquityLabels: slices.Clone(l.TotalEquityLabels),
		MinorityLabels: slices.Clone(l.MinorityLabels), ZeroIsMissing: slices.Clone(l.ZeroIsMissing),
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&own); err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"roles": {"3C": "revenue"}, "zero_is_missing": ["total_equity"]}: %w`, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("must be one JSON object and nothing after it")
	}
	var wrong []error
	for _, code := range slices.Sorted(maps.Keys(own.Roles)) {
		if role := own.Roles[code]; !slices.Contains(roles, role) {
			wrong = append(wrong, fmt.Errorf("roles: the role of %s must be one of %v; got %q", code, roles, role))
		}
	}
	for _, role := range own.ZeroIsMissing {
		if !slices.Contains(roles, role) {
			wrong = append(wrong, fmt.Errorf("zero_is_missing: must be among %v; got %q", roles, role))
		}
	}
	return &Lines{
		Roles: own.Roles, ParentEquityLabels: own.ParentEquityLabels, TotalEquityLabels: own.TotalEquityLabels,
		MinorityLabels: own.MinorityLabels, ZeroIsMissing: own.ZeroIsMissing,
	}, errors.Join(wrong...)
}

// place is where a layout has a role. A line that names its role itself comes
// before one that the table names.
func (l *Lines) place(layout *Layout, role Role) (place int, ok bool) {
	known := layout.roles.Load()
	if known == nil || known.by != l {
		places := map[Role]int{}
		for i, line := range layout.Lines {
			if r, ok := l.Roles[line.Code]; ok && line.Role == nil {
				if _, taken := places[r]; !taken {
					places[r] = i
				}
			}
		}
		for i, line := range slices.Backward(layout.Lines) {
			if line.Role != nil {
				places[*line.Role] = i
			}
		}
		known = &rolePlaces{l, places}
		layout.roles.Store(known)
	}
	place, ok = known.places[role]
	return place, ok
}

// figure is what a statement says under a role, null when it says nothing;
// stated is false when that is nothing, or a zero that means nothing.
func (l *Lines) figure(f *Filed, role Role) (figure market.Decimal, stated bool) {
	place, ok := l.place(f.Layout, role)
	if !ok {
		return market.Decimal{}, false
	}
	figure = f.figure(place)
	return figure, l.says(role, figure)
}

// says reports whether a figure under a role states something.
func (l *Lines) says(role Role, figure market.Decimal) bool {
	return !figure.IsNull() && (figure.Sign() != 0 || !slices.Contains(l.ZeroIsMissing, role))
}

// labelled is the balance-sheet line with the first of labels that a statement
// has, ignoring letter case; nil when it has none.
func labelled(f *Filed, labels []string) (line *Line, figure market.Decimal) {
	for _, label := range labels {
		for i := range f.Lines {
			if l := &f.Lines[i]; l.Group == BalanceSheet && l.Kind == Stock && market.Fold(strings.TrimSpace(l.LabelTr)) == market.Fold(label) {
				return l, f.figure(i)
			}
		}
	}
	return nil, market.Decimal{}
}
