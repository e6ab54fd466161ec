package fundamentals

import (
	"cmp"
	"context"
	"strconv"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// StatementBasis says which filing of a period is shown.
type StatementBasis string

// The bases of statements.
const (
	Current    StatementBasis = "current"     // the latest restated form
	AsReported StatementBasis = "as_reported" // the first filing
)

var _ = value.Enum(Current, AsReported)

// FinancialsLimit is the range of the number of periods.
var FinancialsLimit = value.Limit{Min: 1, Max: 100, Default: 8}

// Financials is a series of a company's statements.
type Financials struct {
	InstrumentID market.ID
	Currency     string
	Timeframe    Timeframe
	Basis        StatementBasis
	Derived      bool
	Methodology  *string // of derived timeframes and of as_reported
	Periods      []*FinancialPeriod
	Count        int

	MissingReason *value.MissingReason // nil unless it is empty or cut
}

// FinancialPeriod is one period of a series.
type FinancialPeriod struct {
	FiscalPeriod    string // FY of annual series, else Q1 to Q4; 5M where the fiscal year has other months
	FiscalYear      int
	StartDate       value.Date // as stated, or of a fiscal year with other months; else null
	EndDate         value.Date
	Basis           AccountingBasis
	Consolidation   *string       // as stated
	FiledAt         value.Instant // of a derived period: of its newest filing
	Derived         bool
	Formula         *string         // of derived periods
	SourcePeriods   []string        // the existing filings that the formula names
	NullReason      *string         // why a derived period has no items
	MeaningChanged  *segment.Change // the change, if the reason is value.MeaningChanged
	Items           []StatementItem
	IncomeStatement []string // codes of items, in the order of the statement
	BalanceSheet    []string
	CashFlow        []string
}

// StatementItem is a line with its figure. A figure is null if it could not be derived, or was
// filed without a value.
type StatementItem struct {
	Code    string
	Value   value.Decimal
	LabelTr string
}

// FinancialsArgs select the statements of a company. A nil member has a
// default.
type FinancialsArgs struct {
	Timeframe *Timeframe       // annual
	Currency  *market.Currency // default for bist: TRY; statements in dollars are a separate series
	Basis     *StatementBasis  // current; not for us
	Limit     *int             // within FinancialsLimit

	// Consolidation is consolidated (the group's, else the company's own; the default), solo
	// (the reverse), CS or NC, as for filings.
	Consolidation *string
}

func (a FinancialsArgs) timeframe() Timeframe { return value.Or(a.Timeframe, Annual) }

func (a FinancialsArgs) basis() StatementBasis { return value.Or(a.Basis, Current) }

func (a FinancialsArgs) consolidation() string { return value.Or(a.Consolidation, groupFirst) }

// check rejects arguments that the market does not support, single values (422) before
// combinations (400). It returns the currency and the number of periods.
func (a FinancialsArgs) check(m market.Market) (currency string, limit int, err error) {
	if limit, err = FinancialsLimit.Of(a.Limit); err != nil {
		return "", 0, err
	}
	if m == market.US && a.Basis != nil {
		return "", 0, problem.New(problem.BasisNotApplicable, "basis applies to bist ids only: us statements have a single form.")
	}
	currency = string(market.TRY)
	if m == market.US {
		currency = string(market.USD)
		if t := a.timeframe(); t.Derived() {
			return "", 0, problem.Parameter("timeframe", string(t), "annual or quarterly for us ids")
		}
	}
	if a.Currency == nil {
		return currency, limit, nil
	}
	allowed := m == market.US && *a.Currency == market.USD || m != market.US && *a.Currency != market.EUR
	if !allowed {
		offered := "TRY and USD"
		if m == market.US {
			offered = "USD"
		}
		e := problem.New(problem.UnsupportedCurrency, "Statements are available in %s; got %s.", offered, *a.Currency)
		return "", 0, e.About("currency", string(*a.Currency))
	}
	return string(*a.Currency), limit, nil
}

// Financials returns the statements of a company, the newest period first. An
// ETF has none. Needs history. Problems: basis-not-applicable,
// unsupported-currency, invalid-parameter, not-found.
func (s *Service) Financials(ctx context.Context, id string, args FinancialsArgs) (*Financials, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	m := market.MarketOf(id)
	if _, _, err := args.check(m); err != nil {
		return nil, err
	}
	in, err := s.resolveCompany(id)
	if err != nil {
		return nil, err
	}
	all, err := s.financials(ctx, []*market.Instrument{in}, args)
	if err != nil {
		return nil, err
	}
	if all[0] == nil {
		return nil, problem.New(problem.NotFound, "There are no statements of %s.", in.InstrumentID)
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// FinancialsOf returns the statements of instruments in their order, read together: nil for
// markets without statements, and for companies of us without stored statements. Needs history;
// each series costs one unit.
func (s *Service) FinancialsOf(ctx context.Context, instruments []*market.Instrument, args FinancialsArgs) ([]*Financials, []error) {
	return access.Relation[*market.Instrument, *Financials]{
		Enter:  access.Needs(access.History),
		Covers: isCompany,
		Check: func(in *market.Instrument) error {
			_, _, err := args.check(in.Market)
			return err
		},
		Read: func(some []*market.Instrument) ([]*Financials, error) { return s.financials(ctx, some, args) },
	}.Answer(ctx, instruments)
}

// financials reads and presents the statements of instruments of bist and us; nil for an
// instrument of us without statements.
func (s *Service) financials(ctx context.Context, instruments []*market.Instrument, args FinancialsArgs) ([]*Financials, error) {
	currencies := make([]string, len(instruments))
	limit := 0
	for i, in := range instruments {
		var err error
		if currencies[i], limit, err = args.check(in.Market); err != nil {
			return nil, err
		}
	}
	histories, err := s.histories(ctx, instruments, currencies)
	if err != nil {
		return nil, err
	}
	all := make([]*Financials, len(instruments))
	for i, in := range instruments {
		if series := args.present(in, currencies[i], histories[i], limit); in.Market == market.BIST || series.Count > 0 {
			all[i] = series
		}
	}
	return all, nil
}

// The methodologies of series that differ from what companies file.
const (
	standaloneMethod = "Quarter figures are differences of cumulative filings in their latest form; balance-sheet " +
		"figures are those of the " +
		"newest filing, figures per share are left out. See formula and source_periods. A period whose inputs are missing, or count in " +
		"different money, by different accounting or by different lines, is empty."
	ttmMethod = "Figures of the last twelve months are the last full year, plus the year to date, less the same part of the year " +
		"before, from filings in their latest form; balance-sheet figures are those of the newest filing, figures per " +
		"share are left out. " +
		"See formula and source_periods. A period whose inputs are missing, or count in different money, by different accounting or by " +
		"different lines, is empty."
	reportedMethod = "Each period as it was first filed, from the filings that were recorded when they appeared; later " +
		"restatements do not " +
		"change it. A period whose first filing was not recorded is absent. Derived timeframes have no periods."
)

func (a FinancialsArgs) methodology() *string {
	switch {
	case a.basis() == AsReported:
		return new(reportedMethod)
	case a.timeframe() == QuarterlyStandalone:
		return new(standaloneMethod)
	case a.timeframe() == TTM:
		return new(ttmMethod)
	}
	return nil
}

// present makes the series of a filing history.
func (a FinancialsArgs) present(in *market.Instrument, currency string, history *FilingHistory, limit int) *Financials {
	t := a.timeframe()
	series := &Financials{
		InstrumentID: in.InstrumentID, Currency: currency, Timeframe: t, Basis: a.basis(),
		Derived: t.Derived(), Methodology: a.methodology(), Periods: []*FinancialPeriod{},
	}
	for _, p := range history.periods {
		if len(series.Periods) == limit {
			break
		}
		filed := p.current(a.consolidation())
		if a.basis() == AsReported {
			filed = p.firstFiled(a.consolidation())
		}
		switch {
		case filed == nil:
		case t == Annual && !filed.closes():
		case t.Derived() && a.basis() == AsReported: // derived periods need restated filings
		case t.Derived():
			series.Periods = append(series.Periods, history.derivedPeriod(t, p, filed, adjusts(in.Market)))
		default:
			series.Periods = append(series.Periods, p.shown(t, filed))
		}
	}
	if series.Count = len(series.Periods); series.Count == 0 {
		series.MissingReason = value.Missing(value.NoneStored)
		if !hasStatements(in) || t.Derived() && a.basis() == AsReported {
			series.MissingReason = value.Missing(value.NotCovered)
		}
	}
	return series
}

// hasStatements reports whether an instrument is the share of a company, which files
// statements.
func hasStatements(in *market.Instrument) bool { return isCompany(in) && in.AssetType != market.ETF }

// adjusts reports whether statements of a market are adjusted for inflation. Statements of us
// are in nominal money.
func adjusts(m market.Market) bool { return m == market.BIST }

// shown presents a statement of the period as it was filed.
func (p *covered) shown(t Timeframe, f *Filed) *FinancialPeriod {
	period := p.heading(t, f)
	items := make([]Item, len(f.Lines))
	for i, figure := range f.figures() {
		items[i] = Item{f.Lines[i], figure}
	}
	period.setItems(items)
	return period
}

// heading presents the period of a statement without its items.
func (p *covered) heading(t Timeframe, f *Filed) *FinancialPeriod {
	period := &FinancialPeriod{
		FiscalPeriod: p.name(t, f), FiscalYear: f.FiscalYear, StartDate: f.StartDate, EndDate: f.EndDate, Basis: f.Basis,
		FiledAt: f.FiledAt, SourcePeriods: []string{},
	}
	if f.Consolidation != "" {
		period.Consolidation = &f.Consolidation
	}
	if p.odd(f) {
		period.StartDate = p.first
	}
	period.setItems(nil)
	return period
}

// odd reports whether the period is known to have another number of months than the label of
// its filing states.
func (p *covered) odd(f *Filed) bool {
	return p.months > 0 && (p.months != f.FiscalMonth || !f.standard())
}

// name returns the name of the period in a series: its number of months if that of the label is
// wrong.
func (p *covered) name(t Timeframe, f *Filed) string {
	switch quarter := "Q" + strconv.Itoa(cmp.Or(p.months, f.FiscalMonth)/3); {
	case t.Derived() && p.months > 0 && p.months <= fullYear && p.months%3 == 0:
		return quarter
	case p.odd(f):
		return strconv.Itoa(p.months) + "M"
	case t == Annual:
		return "FY"
	default:
		return quarter
	}
}

// derivedPeriod presents the derived period that ends with p, whose filing is f.
func (h *FilingHistory) derivedPeriod(t Timeframe, p *covered, f *Filed, adjusts bool) *FinancialPeriod {
	d := h.derive(t, p, f, adjusts)
	period := p.heading(t, f)
	period.Derived, period.Formula, period.SourcePeriods = true, &d.text, d.sources
	for i, input := range d.inputs {
		if input == nil {
			continue
		}
		if period.FiledAt.Before(input.FiledAt) {
			period.FiledAt = input.FiledAt
		}
		if d.terms[i].minus && !period.StartDate.IsNull() { // the derived period begins after what is subtracted
			period.StartDate = input.EndDate.AddDays(1)
		}
	}
	if d.reason != "" {
		period.NullReason, period.MeaningChanged, period.StartDate = &d.reason, d.change, value.Date{}
		return period
	}
	period.setItems(d.items())
	return period
}

// setItems sets the items and, by statement, their codes.
func (p *FinancialPeriod) setItems(items []Item) {
	p.Items = make([]StatementItem, len(items))
	codes := map[Group][]string{}
	for i, item := range items {
		p.Items[i] = StatementItem{item.Code, item.Value, item.LabelTr}
		codes[item.Group] = append(codes[item.Group], item.Code)
	}
	p.IncomeStatement, p.BalanceSheet, p.CashFlow = value.List(codes[IncomeStatement]), value.List(codes[BalanceSheet]),
		value.List(codes[CashFlow])
}
