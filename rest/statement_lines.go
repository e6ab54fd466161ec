package rest

import (
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// The statements that a line of a table can belong to.
const (
	incomeStatement = "income_statement"
	balanceSheet    = "balance_sheet"
	cashFlow        = "cash_flow"
)

// statementLine is a line of a statement with its period. A period without lines has one line with
// the reason.
type statementLine struct {
	InstrumentID market.ID                    `json:"instrument_id"`
	Currency     string                       `json:"currency"`
	Timeframe    fundamentals.Timeframe       `json:"timeframe"`
	FiscalPeriod string                       `json:"fiscal_period"`
	FiscalYear   int                          `json:"fiscal_year"`
	EndDate      value.Date                   `json:"end_date"`
	Basis        fundamentals.AccountingBasis `json:"basis"`
	Derived      bool                         `json:"derived"`
	Formula      *string                      `json:"formula"`
	NullReason   *string                      `json:"null_reason"`
	Statement    string                       `json:"statement"`
	Code         string                       `json:"code"`
	statementItem
	FiledAt        value.Instant   `json:"filed_at"`
	StartDate      value.Date      `json:"start_date"`
	Consolidation  *string         `json:"consolidation"`
	MeaningChanged *segment.Change `json:"meaning_changed" csv:"any"`
}

func statementLines(f *financials) []statementLine {
	var all []statementLine
	for _, p := range f.Periods {
		line := statementLine{
			InstrumentID: f.InstrumentID, Currency: f.Currency, Timeframe: f.Timeframe, FiscalPeriod: p.FiscalPeriod,
			FiscalYear: p.FiscalYear,
			EndDate:    p.EndDate, Basis: p.Basis, Derived: p.Derived, Formula: p.Formula, NullReason: p.NullReason,
			FiledAt: p.filedAt, StartDate: p.StartDate, Consolidation: p.Consolidation, MeaningChanged: p.MeaningChanged,
		}
		of := func(statement string, codes []string) {
			all = append(all, lines(codes, func(code string) statementLine {
				line.Statement, line.Code, line.statementItem = statement, code, p.Items[code]
				return line
			})...)
		}
		if len(p.Items) == 0 {
			all = append(all, line)
		}
		of(incomeStatement, p.IncomeStatement)
		of(balanceSheet, p.BalanceSheet)
		of(cashFlow, p.CashFlow)
	}
	return all
}

// filingLine is a line of a statement with its filing.
type filingLine struct {
	Symbol          string          `json:"symbol"`
	DisclosureIndex int             `json:"disclosure_index"`
	PublishedAt     value.Instant   `json:"published_at"`
	Year            string          `json:"year"`
	Period          string          `json:"period"`
	EndDate         value.Date      `json:"end_date"`
	Consolidation   string          `json:"consolidation"`
	Currency        string          `json:"currency"`
	Template        string          `json:"template"`
	Basis           kap.FilingBasis `json:"basis"`
	Unit            kap.FilingUnit  `json:"unit"`
	MeasuringMonth  value.Month     `json:"measuring_month"`

	Restatement *kap.Restatement `json:"restatement"`
	Statement   string           `json:"statement"`
	*kap.FilingLine
}

func filingLines(p *kap.FilingPage) []filingLine {
	var all []filingLine
	for _, f := range p.Items {
		of := func(statement string, items []*kap.FilingLine) {
			all = append(all, lines(items, func(item *kap.FilingLine) filingLine {
				return filingLine{
					p.Symbol, f.DisclosureIndex, f.PublishedAt, f.Year, f.Period, f.EndDate, f.Consolidation, f.Currency, f.Template,
					p.Basis, p.Unit, f.MeasuringMonth, f.Restatement, statement, item,
				}
			})...)
		}
		of(balanceSheet, f.BalanceSheet)
		of(incomeStatement, f.IncomeStatement)
		of(cashFlow, f.CashFlow)
	}
	return all
}
