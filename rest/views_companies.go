package rest

import (
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/value"
)

// financials is a series of statements with the items of a period keyed by
// code.
type financials struct {
	InstrumentID market.ID                   `json:"instrument_id"`
	Currency     string                      `json:"currency"`
	Timeframe    fundamentals.Timeframe      `json:"timeframe"`
	Basis        fundamentals.StatementBasis `json:"basis"`
	Derived      bool                        `json:"derived"`
	Methodology  *string                     `json:"methodology"`
	Periods      []financialPeriod           `json:"periods"`
	Count        int                         `json:"count"`
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
}

type statementItem struct {
	Value   value.Decimal `json:"value"`
	LabelTr string        `json:"label_tr"`
}

func financialsView(f *fundamentals.Financials) *financials {
	view := &financials{f.InstrumentID, f.Currency, f.Timeframe, f.Basis, f.Derived, f.Methodology, make([]financialPeriod, len(f.Periods)), f.Count}
	for i, p := range f.Periods {
		items := make(map[string]statementItem, len(p.Items))
		for _, item := range p.Items {
			items[item.Code] = statementItem{item.Value, item.LabelTr}
		}
		view.Periods[i] = financialPeriod{
			p.FiscalPeriod, p.FiscalYear, p.EndDate, p.Basis, p.Derived, p.Formula, p.SourcePeriods, p.NullReason,
			items, p.IncomeStatement, p.BalanceSheet, p.CashFlow,
		}
	}
	return view
}

// valuation is a valuation with the inputs of a metric keyed by name.
type valuation struct {
	InstrumentID market.ID               `json:"instrument_id"`
	Market       market.EquityMarket     `json:"market"`
	Currency     string                  `json:"currency"`
	Source       *string                 `json:"source"`
	AsOf         value.Instant           `json:"as_of"`
	DataDate     value.Date              `json:"data_date"`
	MarketCap    *fundamentals.MarketCap `json:"market_cap"`
	PeRatio      metric                  `json:"pe_ratio"`
	PbRatio      metric                  `json:"pb_ratio"`
	EBITDA       metric                  `json:"ebitda"`
	NetDebt      metric                  `json:"net_debt"`
	EV           metric                  `json:"ev"`
	EBITDATTM    metric                  `json:"ebitda_ttm"`
	EVEBITDA     metric                  `json:"ev_ebitda"`
	EPSGrowthPct metric                  `json:"eps_growth_pct"`
	PEG          metric                  `json:"peg"`
	CoverageFrom value.Date              `json:"coverage_from"`
	Disclaimer   string                  `json:"disclaimer"`
	FxRate       value.Decimal           `json:"fx_rate"`
	FxAsOf       value.Instant           `json:"fx_as_of"`
}

type metric struct {
	Value        value.Decimal            `json:"value"`
	NullReason   *string                  `json:"null_reason"`
	SourcePeriod *string                  `json:"source_period"`
	PeriodEnd    value.Date               `json:"period_end"`
	Inputs       map[string]value.Decimal `json:"inputs"`
	Note         *string                  `json:"note"`
}

func metricView(m *fundamentals.Metric) metric {
	inputs := make(map[string]value.Decimal, len(m.Inputs))
	for _, in := range m.Inputs {
		inputs[in.Name] = in.Value
	}
	return metric{m.Value, m.NullReason, m.SourcePeriod, m.PeriodEnd, inputs, m.Note}
}

func valuationView(v *fundamentals.Valuation) *valuation {
	return &valuation{
		v.InstrumentID, v.Market, v.Currency, v.Source, v.AsOf, v.DataDate, v.MarketCap,
		metricView(v.PeRatio), metricView(v.PbRatio), metricView(v.EBITDA), metricView(v.NetDebt), metricView(v.EV),
		metricView(v.EBITDATTM), metricView(v.EVEBITDA), metricView(v.EPSGrowthPct), metricView(v.PEG),
		v.CoverageFrom, v.Disclaimer, v.FxRate, v.FxAsOf,
	}
}

// valuationBatch is the batch of valuations with its misses keyed by id.
type valuationBatch struct {
	Valuations      []*valuation      `json:"valuations"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func valuationBatchView(b *fundamentals.ValuationBatch) *valuationBatch {
	view := &valuationBatch{make([]*valuation, len(b.Valuations)), misses(b.NotFound), reasons(b.NotFound)}
	for i, v := range b.Valuations {
		view.Valuations[i] = valuationView(v)
	}
	return view
}

// dividendHistory names the instrument once, not in every row.
type dividendHistory struct {
	InstrumentID market.ID     `json:"instrument_id"`
	Currency     string        `json:"currency"`
	Dividends    []dividendRow `json:"dividends"`
	Count        int           `json:"count"`
}

type dividendRow struct {
	Symbol        string                      `json:"symbol"`
	ExDate        value.Date                  `json:"ex_date"`
	PaymentDate   value.Date                  `json:"payment_date"`
	GrossPerShare value.Decimal               `json:"gross_per_share"`
	NetPerShare   value.Decimal               `json:"net_per_share"`
	Currency      string                      `json:"currency"`
	Installment   *int                        `json:"installment"`
	Status        fundamentals.DividendStatus `json:"status"`
}

func dividendHistoryView(h *fundamentals.DividendHistory) *dividendHistory {
	view := &dividendHistory{h.InstrumentID, h.Currency, make([]dividendRow, len(h.Dividends)), h.Count}
	for i, d := range h.Dividends {
		view.Dividends[i] = dividendRow{d.Symbol, d.ExDate, d.PaymentDate, d.GrossPerShare, d.NetPerShare, d.Currency, d.Installment, d.Status}
	}
	return view
}

// periodic names what the windows are of, and the rate where they are
// converted.
type periodic struct {
	InstrumentID *market.ID                  `json:"instrument_id,omitempty"`
	Code         *string                     `json:"code,omitempty"`
	AssetType    *market.AssetType           `json:"asset_type,omitempty"`
	Name         string                      `json:"name"`
	Currency     string                      `json:"currency"`
	AsOf         value.Instant               `json:"as_of"`
	Windows      []*analytics.PeriodicWindow `json:"windows"`
	Count        int                         `json:"count"`
	FxRate       value.Decimal               `json:"fx_rate,omitzero"`
	FxAsOf       value.Instant               `json:"fx_as_of,omitzero"`
}

func periodicView(p *analytics.Periodic) *periodic {
	return &periodic{p.InstrumentID, p.Code, p.AssetType, p.Name, p.Currency, p.AsOf, p.Windows, p.Count, p.FxRate, p.FxAsOf}
}

// periodicBatch is the batch of windows with its misses keyed by id.
type periodicBatch struct {
	Periodic        []*periodic       `json:"periodic"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func periodicBatchView(b *analytics.PeriodicBatch) *periodicBatch {
	view := &periodicBatch{make([]*periodic, len(b.Periodic)), b.Count, misses(b.NotFound), reasons(b.NotFound)}
	for i, p := range b.Periodic {
		view.Periodic[i] = periodicView(p)
	}
	return view
}
