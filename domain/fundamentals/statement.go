package fundamentals

import (
	"cmp"
	"fmt"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// AccountingBasis says whether a statement is adjusted for inflation.
type AccountingBasis string

// The accounting bases.
const (
	Nominal           AccountingBasis = "nominal"
	InflationAdjusted AccountingBasis = "inflation_adjusted" // restated to the purchasing power of its closing date
)

var _ = value.Enum(Nominal, InflationAdjusted)

// Template is the set of lines that a company reports.
type Template string

// The templates.
const (
	Industrial Template = "industrial"
	Bank       Template = "bank"
	Insurer    Template = "insurer"
)

var _ = value.Enum(Industrial, Bank, Insurer)

var templates = []Template{Industrial, Bank, Insurer}

// Group is the statement that a line belongs to.
type Group string

// The groups.
const (
	IncomeStatement Group = "income_statement"
	BalanceSheet    Group = "balance_sheet"
	CashFlow        Group = "cash_flow"
)

var _ = value.Enum(IncomeStatement, BalanceSheet, CashFlow)

// LineKind says how figures of a line combine over periods.
type LineKind string

// The kinds of lines.
const (
	Flow     LineKind = "flow"      // accrues over the period: periods can be added and subtracted
	Stock    LineKind = "stock"     // state at the end of the period
	PerShare LineKind = "per_share" // neither: shares change
)

var _ = value.Enum(Flow, Stock, PerShare)

// Line is a line of a statement, without its figure.
type Line struct {
	Code    string   `json:"code" record:"required"` // the consolidator's code; identifies the line
	LabelTr string   `json:"label_tr" record:"required"`
	Group   Group    `json:"group" record:"required"`
	Kind    LineKind `json:"kind" record:"required"`
	// null: the table of Lines decides
	Role *Role `json:"role"`
}

// Item is a line and its figure, which is null if the line has none.
type Item struct {
	Line
	Value value.Decimal `json:"value"`
}

// Heading is a statement without its items.
type Heading struct {
	InstrumentID market.ID       `json:"instrument_id" record:"required"`
	FiscalYear   int             `json:"fiscal_year" record:"required" range:"1900 2200"`
	FiscalMonth  int             `json:"fiscal_month" record:"required" range:"1 23"` // of the fiscal year: the source's label
	Currency     string          `json:"currency" record:"required"`
	EndDate      value.Date      `json:"end_date" record:"required" time:"past"`
	Basis        AccountingBasis `json:"basis" record:"required"`
	Template     Template        `json:"template" record:"required"`
	FiledAt      value.Instant   `json:"filed_at" record:"required" time:"past"`
	// first day that the flows cover; null: not stated
	StartDate value.Date `json:"start_date,omitzero" time:"past"`
	// CS: of the group, NC: of the company alone; empty: not stated
	Consolidation string `json:"consolidation,omitempty" one:"CS NC"`
}

// Statement is one filing of a company's statements, cumulative from the start
// of the fiscal year. A later filing of the same period and consolidation restates
// it.
type Statement struct {
	Heading
	Items []Item `json:"items" record:"required"` // in the order of the statements; each code once
}

// maxLineCode bounds a line's code.
const maxLineCode = 100

// Validate returns the value.Invalid of the record, if any.
func (s *Statement) Validate() error {
	if err := cmp.Or(market.CheckCurrencyCode(s.Currency), checkCompany(s.InstrumentID), value.CheckDay("end_date", s.EndDate),
		value.CheckMoment("filed_at", s.FiledAt)); err != nil {
		return err
	}
	if day := value.TurkeyDay(s.FiledAt); day.Before(s.EndDate) {
		return value.Invalidf("end_date", "must not be after the day of filed_at, %s; got %s", day, s.EndDate)
	}
	if err := s.checkDays(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(s.Items))
	for i, item := range s.Items {
		field := fmt.Sprintf("items[%d].code", i)
		if len(item.Code) > maxLineCode {
			return value.Invalidf(field, "must have at most %d bytes", maxLineCode)
		}
		if seen[item.Code] {
			return value.Invalidf(field, "must be stated once: %s is already in the statement", item.Code)
		}
		seen[item.Code] = true
	}
	return nil
}

// longest is the most months that a statement may cover: a fiscal year that moves has fewer
// than 24.
const longest = 23

// checkDays returns the value.Invalid of the days that the statement covers, if any.
func (s *Statement) checkDays() error {
	standard := s.standard()
	switch {
	case s.StartDate.IsNull() && standard:
		return nil
	case s.StartDate.IsNull():
		return value.Invalidf("fiscal_month",
			"must be 3, 6, 9 or 12, or with start_date the number of months that the statement covers; got %d", s.FiscalMonth)
	case s.EndDate.Before(s.StartDate):
		return value.Invalidf("start_date", "must not be after end_date, %s; got %s", s.EndDate, s.StartDate)
	}
	if err := value.CheckDay("start_date", s.StartDate); err != nil {
		return err
	}
	covers := months(s.StartDate, s.EndDate)
	switch {
	case covers > longest:
		return value.Invalidf("start_date", "must be at most %d months before end_date, %s; got %s", longest, s.EndDate, s.StartDate)
	case !standard && covers != s.FiscalMonth:
		return value.Invalidf("fiscal_month", "must be 3, 6, 9 or 12, or the number of months from start_date to end_date, %d; got %d",
			covers, s.FiscalMonth)
	}
	return nil
}

// checkCompany rejects an id of an instrument that cannot report or pay.
func checkCompany(id market.ID) error {
	if m := id.Market(); m != market.BIST && m != market.US {
		return value.Invalidf("instrument_id", "must be an id of bist or us; got %s", id)
	}
	return nil
}

// Period is the part of a fiscal year that a statement covers, by the source's label.
type Period struct {
	Year, Month int // the month is 3, 6, 9 or 12 of the fiscal year, or the length in months of an irregular year
}

// Period returns the period that the statement covers.
func (h *Heading) Period() Period { return Period{h.FiscalYear, h.FiscalMonth} }

// fullYear is the month of an annual statement.
const fullYear = 12

// String returns YYYY-MM.
func (p Period) String() string { return fmt.Sprintf("%04d-%02d", p.Year, p.Month) }

// standard reports whether the label is that of a quarter of a year of twelve months.
func (h *Heading) standard() bool { return h.FiscalMonth <= fullYear && h.FiscalMonth%3 == 0 }

// closes reports whether the fiscal year ends with the statement.
func (h *Heading) closes() bool { return h.FiscalMonth == fullYear || !h.standard() }

// adjusted reports whether the statement is restated to the purchasing power of a date.
func (h *Heading) adjusted() bool { return h.Basis != Nominal }

// money returns the measuring unit of the statement. Nominal statements are in nominal money.
// Of adjusted ones, the consolidator restates the interim statements of a year to one date, and
// year-end statements to another.
func (h *Heading) money() string {
	switch {
	case !h.adjusted():
		return string(Nominal)
	case h.closes():
		return fmt.Sprintf("yearend:%d", h.FiscalYear)
	}
	return fmt.Sprintf("interim:%d", h.FiscalYear)
}

// moneyOfYear returns the measuring unit of adjusted statements of the fiscal year. Before the
// hyperinflation standard it is nominal money.
func (h *Heading) moneyOfYear() string {
	if h.FiscalYear < firstAdjustedYear {
		return string(Nominal)
	}
	adjusted := *h
	adjusted.Basis = InflationAdjusted
	return adjusted.money()
}

// firstAdjustedYear is the first fiscal year under the hyperinflation standard.
const firstAdjustedYear = 2024
