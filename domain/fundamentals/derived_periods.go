package fundamentals

import (
	"cmp"
	"fmt"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// term is a period whose filing a derived period adds or subtracts.
type term struct {
	span
	minus bool
	label string // annual or quarterly, in the list of sources
}

// formula says how filings add up to a derived period. Each of its spans begins or ends where
// another does, so that the remaining days are those of the derived period.
type formula struct {
	text   string
	terms  []term
	newest int
	parts  bool // false: no periods of this fiscal calendar add up to the derived one
}

// formulaOf returns the formula of the derived period that ends with p. label is the number of
// months in p's label.
func formulaOf(t Timeframe, p *covered, label int) formula {
	last := term{span: p.span, label: "quarterly"}
	if t == QuarterlyStandalone {
		switch months := cmp.Or(p.months, label); {
		case p.months == 3:
			return formula{"3M", []term{last}, 0, true}
		case p.months < 3 || p.months%3 != 0:
			return formula{quarterFormula(months), []term{last}, 0, false}
		default:
			return formula{quarterFormula(months), []term{last, {span{p.first, p.last.AddMonths(-3)}, true, "quarterly"}}, 0, true}
		}
	}
	const rolling = "FY[prior] + YTD - YTD[prior]"
	switch {
	case p.months == fullYear:
		last.label = "annual"
		return formula{"FY", []term{last}, 0, true}
	case p.months == 0 || p.months > fullYear:
		return formula{rolling, []term{last}, 0, false}
	}
	before := p.yearBefore()
	return formula{rolling, []term{{span{before.first, p.first.AddDays(-1)}, false, "annual"}, last, {before, true, "quarterly"}}, 1, true}
}

// quarterFormula writes the formula of the last quarter of a period of some months.
func quarterFormula(months int) string {
	switch {
	case months <= 3:
		return "3M"
	case months == fullYear:
		return "FY - 9M"
	}
	return fmt.Sprintf("%dM - %dM", months, months-3)
}

// derivation is a derived period: its inputs, or the reason why it cannot be
// derived.
type derivation struct {
	formula
	inputs  []*Filed // one for each term; nil for a missing filing
	sources []string // labels of the inputs that were filed
	reason  string
	change  *segment.Change // the change, if the reason is value.MeaningChanged
}

// derive finds the inputs of the period that ends with p, whose filing is newest, and checks
// whether they can be combined. adjusts says whether statements of the market are adjusted for
// inflation, so that their figures count in the money of a date.
func (h *FilingHistory) derive(t Timeframe, p *covered, newest *Filed, adjusts bool) derivation {
	d := derivation{formula: formulaOf(t, p, newest.FiscalMonth), sources: []string{}}
	missing := !d.parts
	for i, term := range d.terms {
		f := newest
		if i != d.newest {
			f = nil
			if covered := h.covering(term.span); covered != nil {
				f = covered.current(h.alike(newest))
			}
		}
		d.inputs = append(d.inputs, f)
		if f == nil {
			missing = true
			continue
		}
		d.sources = append(d.sources, term.label+"#"+f.Period().String())
	}
	switch { // the first reason that applies
	case missing:
		d.reason, d.change = MissingInputPeriod, h.movedWithin(t, p)
	case adjusts && slices.ContainsFunc(d.inputs, (*Filed).adjusted) && d.differ((*Filed).moneyOfYear):
		d.reason = MeasuringUnitMismatch
	case d.differ(func(f *Filed) string { return string(f.Basis) }):
		d.reason = AccountingBasisMismatch
	case adjusts && d.differ((*Filed).money):
		d.reason = MeasuringUnitMismatch
	case d.differ(func(f *Filed) string { return string(f.Template) }):
		d.reason = TemplateMismatch
	default:
		d.change = h.consolidated(d.inputs)
	}
	if d.change != nil {
		d.reason = value.MeaningChanged
	}
	return d
}

// differ reports whether the inputs differ in a property.
func (d derivation) differ(property func(*Filed) string) bool {
	return slices.ContainsFunc(d.inputs, func(f *Filed) bool { return property(f) != property(d.inputs[0]) })
}

// movedWithin returns the move of the fiscal year because of which the inputs of the period
// that ends with p cannot exist; nil if they could.
func (h *FilingHistory) movedWithin(t Timeframe, p *covered) *segment.Change {
	whole := p.months > 0 && p.months <= fullYear && p.months%3 == 0
	if whole && t == QuarterlyStandalone {
		return nil
	}
	if whole { // unless the year before was irregular
		return h.moved.Between(p.yearBefore().first.AddDays(daysApart), p.first.AddDays(-daysApart)).Unbridged()
	}
	return h.moved.Between(value.Date{}, p.last.AddDays(1+daysApart)).Unbridged()
}

// items returns the lines of a derived period, in the order of its newest input. It adds and
// subtracts flows; a flow that any input lacks is null. Balance-sheet figures are those of the
// newest input. It leaves out figures per share, since the number of shares changes.
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
	for _, f := range d.inputs { // flows that only older inputs have are listed, and null
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
