package fundamentals

import (
	"slices"

	"piyasa/value"
)

// term is a filing that a derived period adds, or takes off.
type term struct {
	period Period
	minus  bool
	label  string // annual or quarterly, in the list of sources
}

// formula is how a derived period comes from filings. The newest filing is
// named by newest, an index into terms.
type formula struct {
	text   string
	terms  []term
	newest int
}

// formulaOf is the formula of the period that ends with p.
func formulaOf(t Timeframe, p Period) formula {
	last := term{period: p, label: "quarterly"}
	if t == QuarterlyStandalone {
		if p.Month == 3 {
			return formula{"3M", []term{last}, 0}
		}
		text := map[int]string{6: "6M - 3M", 9: "9M - 6M", fullYear: "FY - 9M"}[p.Month]
		return formula{text, []term{last, {Period{p.Year, p.Month - 3}, true, "quarterly"}}, 0}
	}
	if p.Month == fullYear {
		return formula{"FY", []term{{period: p, label: "annual"}}, 0}
	}
	return formula{"FY[prior] + YTD - YTD[prior]", []term{{Period{p.Year - 1, fullYear}, false, "annual"}, last, {p.yearBefore(), true, "quarterly"}}, 1}
}

// derivation is a derived period: what it is made of, and why it is not made
// when reason is set.
type derivation struct {
	formula
	inputs  []*Filed // one for each term; nil where nothing was filed
	sources []string // labels of the inputs that were filed
	reason  string
}

// derive finds the inputs of a period and whether they may be mixed. unit says
// in which money the statement of a period counts.
func (b *FilingHistory) derive(t Timeframe, p Period, unit func(Period) string) derivation {
	d := derivation{formula: formulaOf(t, p), sources: []string{}}
	missing := false
	for _, term := range d.terms {
		f := b.current(term.period)
		d.inputs = append(d.inputs, f)
		if f == nil {
			missing = true
			continue
		}
		d.sources = append(d.sources, term.label+"#"+term.period.String())
	}
	differ := func(property func(*Filed) string) bool {
		return slices.ContainsFunc(d.inputs, func(f *Filed) bool { return property(f) != property(d.inputs[0]) })
	}
	switch { // the first reason that applies
	case missing:
		d.reason = MissingInputPeriod
	case differ(func(f *Filed) string { return unit(f.Period()) }):
		d.reason = MeasuringUnitMismatch
	case differ(func(f *Filed) string { return string(f.Basis) }):
		d.reason = AccountingBasisMismatch
	case differ(func(f *Filed) string { return string(f.Template) }):
		d.reason = TemplateMismatch
	}
	return d
}

// items are the lines of a derived period, in the order of its newest input.
// Flows are added and taken off; one that an input lacks is null. Balance-sheet
// figures are the newest input's; figures per share are left out, since shares
// change.
func (d derivation) items() []Item {
	newest := d.inputs[d.newest]
	figures := make([][]value.Decimal, len(d.inputs))
	for i, f := range d.inputs {
		figures[i] = f.figures()
	}
	var items []Item
	for i, line := range newest.Lines {
		switch line.Kind {
		case Flow:
			items = append(items, Item{line, d.flow(line.Code, figures)})
		case Stock:
			items = append(items, Item{line, figures[d.newest][i]})
		}
	}
	for _, f := range d.inputs { // flows that only older inputs have: present, and null
		for _, line := range f.Lines {
			_, known := newest.place[line.Code]
			if line.Kind == Flow && !known && !slices.ContainsFunc(items, func(i Item) bool { return i.Code == line.Code }) {
				items = append(items, Item{Line: line})
			}
		}
	}
	return items
}

// flow is the sum of a line over the inputs; null unless each of them states
// it as a flow.
func (d derivation) flow(code string, figures [][]value.Decimal) value.Decimal {
	var sum value.Decimal
	for i, f := range d.inputs {
		place, ok := f.place[code]
		if !ok || f.Lines[place].Kind != Flow || figures[i][place].IsNull() {
			return value.Decimal{}
		}
		figure := figures[i][place]
		switch {
		case i == 0: // never taken off
			sum = figure
		case d.terms[i].minus:
			sum = sum.Minus(figure)
		default:
			sum = sum.Plus(figure)
		}
	}
	return sum
}
