package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type financialsParams struct {
	companyID
	Timeframe *fundamentals.Timeframe      `query:"timeframe" description:"Kind of periods. Default: annual. us ids have annual and quarterly only."`
	Currency  *market.Currency             `query:"currency" enum:"TRY,USD" description:"Currency of the statements; dollar statements are filed separately, not converted. Default: TRY (us ids: USD only)."`
	Basis     *fundamentals.StatementBasis `query:"basis" description:"Filing of each period: the latest (current) or the first (as_reported). Default: current. Not for us ids."`
	Limit     *int                         `query:"limit" description:"Maximum number of periods, newest first."`
	knownAt

	Consolidation *kap.Consolidation `query:"consolidation" description:"Statements of each period: the group's, else the company's own (consolidated); the reverse (solo); CS or NC: only these. Default: consolidated."`
	tableParams
}

func (financialsParams) limit() value.Limit { return fundamentals.FinancialsLimit }

// statementRoutes returns the routes of financial statements.
func statementRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p financialsParams) int {
			return costs.Query.Financials(below, p.ID, p.Timeframe, p.Currency, p.Basis, p.Consolidation, p.Limit, p.KnownAt)
		}, asTable(statementLines, get("/v1/stocks/{id}/financials", "financials", "Financial statements of a company, newest period first",
			string(access.History),
			func(ctx context.Context, p financialsParams) (*financials, error) {
				view, err := viewOf(financialsView)(q.Financials(ctx, p.ID, p.Timeframe, p.Currency, p.Basis, p.Consolidation,
					p.Limit, p.KnownAt))
				if err == nil && p.KnownAt != nil {
					view.stateFiledAt()
				}
				return view, err
			}).failing(problem.BasisNotApplicable))),
	}
}

// financials is a series of statements, with the items of a period keyed by code.
type financials struct {
	InstrumentID market.ID                   `json:"instrument_id"`
	Currency     string                      `json:"currency"`
	Timeframe    fundamentals.Timeframe      `json:"timeframe"`
	Basis        fundamentals.StatementBasis `json:"basis"`
	Derived      bool                        `json:"derived"`
	Methodology  *string                     `json:"methodology"`
	Periods      []financialPeriod           `json:"periods"`
	Count        int                         `json:"count"`

	MissingReason *value.MissingReason `json:"-"`
}

type financialPeriod struct {
	FiscalPeriod    string                       `json:"fiscal_period"`
	FiscalYear      int                          `json:"fiscal_year"`
	EndDate         value.Date                   `json:"end_date"`
	Basis           fundamentals.AccountingBasis `json:"basis"`
	Derived         bool                         `json:"derived"`
	Formula         *string                      `json:"formula"`
	SourcePeriods   []string                     `json:"source_periods"`
	NullReason      *string                      `json:"null_reason"`
	Items           map[string]statementItem     `json:"items"`
	IncomeStatement []string                     `json:"income_statement"`
	BalanceSheet    []string                     `json:"balance_sheet"`
	CashFlow        []string                     `json:"cash_flow"`

	FiledAt        value.Instant `json:"filed_at,omitzero"` // stated only to requests for what was known at a moment
	filedAt        value.Instant
	StartDate      value.Date      `json:"start_date,omitzero"`
	Consolidation  *string         `json:"consolidation,omitempty"`
	MeaningChanged *segment.Change `json:"meaning_changed,omitempty"`
}

type statementItem struct {
	Value   value.Decimal `json:"value"`
	LabelTr string        `json:"label_tr"`
}

func financialsView(f *fundamentals.Financials) *financials {
	view := &financials{f.InstrumentID, f.Currency, f.Timeframe, f.Basis, f.Derived, f.Methodology, make([]financialPeriod, len(f.Periods)),
		f.Count, f.MissingReason}
	for i, p := range f.Periods {
		items := make(map[string]statementItem, len(p.Items))
		for _, item := range p.Items {
			items[item.Code] = statementItem{item.Value, item.LabelTr}
		}
		view.Periods[i] = financialPeriod{
			p.FiscalPeriod, p.FiscalYear, p.EndDate, p.Basis, p.Derived, p.Formula, p.SourcePeriods, p.NullReason,
			items, p.IncomeStatement, p.BalanceSheet, p.CashFlow, value.Instant{}, p.FiledAt, p.StartDate, p.Consolidation,
			p.MeaningChanged,
		}
	}
	return view
}

// stateFiledAt makes each period state when it was filed.
func (f *financials) stateFiledAt() {
	for i := range f.Periods {
		f.Periods[i].FiledAt = f.Periods[i].filedAt
	}
}
