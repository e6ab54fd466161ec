package fundamentals

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
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
	FiscalPeriod    string // FY of annual series, else Q1 to Q4
	FiscalYear      int
	EndDate         value.Date
	Basis           AccountingBasis
	Derived         bool
	Formula         *string  // of derived periods
	SourcePeriods   []string // filings that the formula names and that there are
	NullReason      *string  // why a derived period has no items
	Items           []StatementItem
	IncomeStatement []string // codes of items, in the order of the statement
	BalanceSheet    []string
	CashFlow        []string
}

// StatementItem is a line with its figure. A null figure could not be derived,
// or was filed without a value.
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
}

func (a FinancialsArgs) timeframe() Timeframe { return value.Or(a.Timeframe, Annual) }

func (a FinancialsArgs) basis() StatementBasis { return value.Or(a.Basis, Current) }

// check refuses arguments that the market does not support, single values (422)
// before combinations (400), and returns the currency and the number of
// periods.
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

// FinancialsOf returns the statements of instruments in their order, read
// together: nil for markets without statements, and for companies of us without
// stored ones. Needs history; each series costs one unit.
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

// financials reads and presents the statements of instruments of bist and us;
// nil for one of us without statements.
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

// The methods by which series differ from what companies file.
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
		switch {
		case t == Annual && p.Month != fullYear:
		case t.Derived() && a.basis() == AsReported: // derived periods need restated filings
		case t.Derived():
			series.Periods = append(series.Periods, history.derivedPeriod(t, p, measuringUnitOf(in.Market)))
		case a.basis() == AsReported:
			series.Periods = append(series.Periods, history.filings[p].first.period(t))
		default:
			series.Periods = append(series.Periods, history.current(p).period(t))
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

// hasStatements reports whether an instrument is one of a company, which files.
func hasStatements(in *market.Instrument) bool { return isCompany(in) && in.AssetType != market.ETF }

// measuringUnitOf returns how to find the measuring unit of a period in a
// market: statements of us companies are always in nominal money.
func measuringUnitOf(m market.Market) func(Period) string {
	if m == market.US {
		return func(Period) string { return string(Nominal) }
	}
	return Period.measuringUnit
}

// period presents a statement as it was filed.
func (f *Filed) period(t Timeframe) *FinancialPeriod {
	p := f.heading(t)
	items := make([]Item, len(f.Lines))
	for i, figure := range f.figures() {
		items[i] = Item{f.Lines[i], figure}
	}
	p.setItems(items)
	return p
}

// heading presents a period without its items.
func (f *Filed) heading(t Timeframe) *FinancialPeriod {
	p := &FinancialPeriod{
		FiscalPeriod: f.Period().quarter(), FiscalYear: f.FiscalYear, EndDate: f.EndDate, Basis: f.Basis, SourcePeriods: []string{},
	}
	if t == Annual {
		p.FiscalPeriod = "FY"
	}
	p.setItems(nil)
	return p
}

// derivedPeriod presents the derived period that ends with p, which was filed.
func (h *FilingHistory) derivedPeriod(t Timeframe, p Period, unit func(Period) string) *FinancialPeriod {
	d := h.derive(t, p, unit)
	period := h.current(p).heading(t)
	period.Derived, period.Formula, period.SourcePeriods = true, &d.text, d.sources
	if d.reason != "" {
		period.NullReason = &d.reason
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
