package fundamentals

import (
	"slices"

	"piyasa/internal/value"
)

// term is a filing that a derived period adds or subtracts.
type term struct {
	period Period
	minus  bool
	label  string // annual or quarterly, in the list of sources
}

// formula is how a derived period follows from filings.
type formula struct {
	text   string
	terms  []term
	newest int
}

// formulaOf returns the formula of the period that ends with p.
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
	return formula{"FY[prior] + YTD - YTD[prior]",
		[]term{{Period{p.Year - 1, fullYear}, false, "annual"}, last, {p.yearBefore(), true, "quarterly"}}, 1}
}

// derivation is a derived period: its inputs, or the reason why it cannot be
// derived.
type derivation struct {
	formula
	inputs  []*Filed // one for each term; nil where nothing was filed
	sources []string // labels of the inputs that were filed
	reason  string
}

// derive finds the inputs of a period and checks whether they can be combined.
// unit returns in which money the statement of a period is stated.
func (h *FilingHistory) derive(t Timeframe, p Period, unit func(Period) string) derivation {
	d := derivation{formula: formulaOf(t, p), sources: []string{}}
	missing := false
	for _, term := range d.terms {
		f := h.current(term.period)
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

// items returns the lines of a derived period, in the order of its newest
// input. Flows are added and subtracted; a flow that an input lacks is null.
// Balance-sheet figures are those of the newest input. Figures per share are
// left out, since the number of shares changes.
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

// flow returns the sum of a line over the inputs; null unless each of them
// states it as a flow.
func (d derivation) flow(code string, figures [][]value.Decimal) value.Decimal {
	var sum value.Decimal
	for i, f := range d.inputs {
		place, ok := f.place[code]
		if !ok || f.Lines[place].Kind != Flow || figures[i][place].IsNull() {
			return value.Decimal{}
		}
		figure := figures[i][place]
		switch {
		case i == 0: // never subtracted
			sum = figure
		case d.terms[i].minus:
			sum = sum.Minus(figure)
		default:
			sum = sum.Plus(figure)
		}
	}
	return sum
}
