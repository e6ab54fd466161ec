package fundamentals

import (
	"slices"
	"strings"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// valuer computes the valuation of one company as of one moment. It gathers market cap,
// statements and rate, and gives each ratio its inputs, its source period and, if it is null,
// the reason.
type valuer struct {
	lines   *Lines
	metrics *Metrics // may be nil
	history *FilingHistory
	period  *covered // the newest; nil if nothing was filed
	newest  *Filed   // its statement
	adjusts bool     // whether statements of the market are adjusted for inflation

	currency string          // of the statements
	changed  *segment.Change // of the currency since the metrics
}

// source is where a metric reads its figures: the newest statement, or the twelve months that
// end with it. If it has a reason, it cannot be read.
type source struct {
	label   string // of the metric's source period
	reason  string
	change  *segment.Change // the change, if the reason is value.MeaningChanged
	inputs  []*Filed        // of twelve months; nil for a missing filing
	figures func(Role) (figure value.Decimal, stated bool)
}

// cumulative returns the newest statement as a source.
func (v *valuer) cumulative() source {
	if v.newest == nil {
		return source{reason: MissingInputPeriod}
	}
	return source{label: "quarterly#" + v.newest.Period().String(), figures: func(r Role) (value.Decimal, bool) {
		return v.lines.figure(v.newest, r)
	}}
}

// ttm returns the twelve months that end with the newest statement.
func (v *valuer) ttm() source {
	if v.newest == nil {
		return source{reason: MissingInputPeriod}
	}
	return v.ttmOf(v.period)
}

// ttmBefore returns the twelve months that end a year before the newest statement does.
func (v *valuer) ttmBefore() source {
	if v.newest == nil {
		return source{reason: MissingInputPeriod}
	}
	year := v.period.yearBefore()
	if before := v.history.ending(year.last); len(before) > 0 {
		return v.ttmOf(before[0])
	}
	if v.apart(v.period, v.newest, v.newest.FiscalYear-1) {
		return source{reason: MeasuringUnitMismatch}
	}
	if moved := v.history.moved.Between(year.last.AddMonths(-fullYear), v.period.last).Unbridged(); moved != nil {
		return source{reason: value.MeaningChanged, change: moved}
	}
	return source{reason: MissingInputPeriod}
}

// apart reports whether a period of a fiscal year and the full year before it are always in
// different money: interim statements of an adjusted year never add up with a year-end
// statement.
func (v *valuer) apart(p *covered, f *Filed, year int) bool {
	return v.adjusts && f.adjusted() && year >= firstAdjustedYear && p.months > 0 && p.months < fullYear
}

// ttmOf returns the twelve months that end with a period.
func (v *valuer) ttmOf(p *covered) source {
	newest := p.current(v.history.alike(v.newest))
	d := v.history.derive(TTM, p, newest, v.adjusts)
	if v.apart(p, newest, newest.FiscalYear) {
		d.reason, d.change = MeasuringUnitMismatch, nil
	}
	return source{"ttm#" + newest.Period().String(), d.reason, d.change, d.inputs, func(r Role) (sum value.Decimal, stated bool) {
		for i, f := range d.inputs {
			figure, ok := v.lines.figure(f, r)
			switch {
			case !ok:
				return figure, false
			case i == 0:
				sum = figure
			case d.terms[i].minus:
				sum = sum.Minus(figure)
			default:
				sum = sum.Plus(figure)
			}
		}
		return sum, true
	}}
}

// input is a figure of a formula.
type input struct {
	NamedValue
	stated bool
}

func named(name string, money value.Decimal) input {
	return input{NamedValue{name, money, true}, !money.IsNull()}
}

func (s source) input(r Role) input {
	figure, stated := s.figures(r)
	return input{NamedValue{string(r), figure, true}, stated}
}

// null returns a metric without a value, with the reason.
func (v *valuer) null(s source, reason string) *Metric {
	m := &Metric{NullReason: &reason, Inputs: []NamedValue{}}
	if reason == value.MeaningChanged {
		m.MeaningChanged = s.change
	}
	if v.newest == nil {
		m.Note = new("there are no statements in " + v.currency)
	} else {
		m.SourcePeriod, m.PeriodEnd = new(s.label), v.newest.EndDate
	}
	return m
}

// computed computes a metric from inputs. If an input is not stated, the metric has no value
// and its note names the input.
func (v *valuer) computed(s source, inputs []input, formula func() (value value.Decimal, reason string)) *Metric {
	m := v.null(s, "")
	var missing []string
	for _, in := range inputs {
		m.Inputs = append(m.Inputs, in.NamedValue)
		if !in.stated {
			missing = append(missing, in.Name)
		}
	}
	if v.changed != nil && (slices.Contains(missing, "market_cap") || slices.Contains(missing, "ev")) {
		m.NullReason, m.MeaningChanged, m.Note = new(value.MeaningChanged), v.changed, nil
		return m
	}
	if missing != nil {
		m.NullReason, m.Note = new(value.MissingInput), new("missing or zero: "+strings.Join(missing, ", "))
		return m
	}
	value, reason := formula()
	if reason != "" {
		m.NullReason = &reason
		return m
	}
	m.Value, m.NullReason, m.Note = value, nil, nil
	return m
}

// ratio computes a metric that is a quotient. The metric keeps the exact quotient, so that
// figures computed from it are rounded only once.
func (v *valuer) ratio(s source, inputs []input, formula func() (exact quotient, reason string)) *Metric {
	var exact quotient
	m := v.computed(s, inputs, func() (value value.Decimal, reason string) {
		if exact, reason = formula(); reason == "" {
			value = exact.num.Over(exact.den, ratioDecimals)
		}
		return value, reason
	})
	m.exact = exact
	return m
}

// industrial computes a metric that is not defined for banks and insurers; it is null for
// these.
func (v *valuer) industrial(from func() source, formula func(source) *Metric) *Metric {
	s := from()
	switch {
	case v.financial():
		return v.null(s, BankOrInsurerTemplate)
	case s.reason != "":
		return v.null(s, s.reason)
	}
	m := formula(s)
	m.money = true
	return m
}

// financial reports whether the company is a bank or an insurer.
func (v *valuer) financial() bool { return v.newest != nil && v.newest.Template != Industrial }
