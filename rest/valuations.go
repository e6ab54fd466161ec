package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/graph"
	"piyasa/internal/value"
)

type valuationParams struct {
	companyID
	currency
	knownAt
	tableParams
}

type valuationsParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 bist ids, separated by commas; ETF aliases are not accepted."`
	currency
	knownAt
	tableParams
}

type valuationHistoryParams struct {
	companyID
	From     *value.Date      `query:"from" description:"First day. Default: 90 days that end at to. The history starts on 2025-09-20."`
	To       *value.Date      `query:"to" description:"Last day. Default: today."`
	Currency *market.Currency `query:"currency" enum:"TRY" description:"Only TRY."`
	knownAt
	tableParams
}

// valuationRoutes returns the routes of valuations.
func valuationRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p valuationParams) int {
			return costs.Query.Valuation(below, p.ID, p.Currency, p.KnownAt)
		}, asTable(itself[valuation], get("/v1/stocks/{id}/valuation", "valuation",
			"Valuation of a company from its market cap and newest statements", string(access.History),
			func(ctx context.Context, p valuationParams) (*valuation, error) {
				return viewOf(valuationView)(q.Valuation(ctx, p.ID, p.Currency, p.KnownAt))
			}))),
		costing(func(costs *graph.ComplexityRoot, below int, p valuationsParams) int {
			return costs.Query.Valuations(below, p.IDs, p.Currency, p.KnownAt)
		}, asTable(func(b *valuationBatch) []*valuation { return b.Valuations },
			get("/v1/valuation", "valuations", "Valuations of up to 100 companies", string(access.History),
				func(ctx context.Context, p valuationsParams) (*valuationBatch, error) {
					return viewOf(valuationBatchView)(q.Valuations(ctx, p.IDs, p.Currency, p.KnownAt))
				}).charging("distinct id", byID))),
		costing(func(costs *graph.ComplexityRoot, below int, p valuationHistoryParams) int {
			return costs.Query.ValuationHistory(below, p.ID, p.From, p.To, p.Currency, p.KnownAt)
		}, asTable(valuationLines, get("/v1/stocks/{id}/valuation/history", "valuationHistory", "Market cap and P/E of a stock day by day",
			string(access.History),
			func(ctx context.Context, p valuationHistoryParams) (*fundamentals.ValuationHistory, error) {
				return q.ValuationHistory(ctx, p.ID, p.From, p.To, p.Currency, p.KnownAt)
			}))),
	}
}

// valuationLine is a day of a valuation history with its instrument.
type valuationLine struct {
	InstrumentID market.ID `json:"instrument_id"`
	Currency     string    `json:"currency"`
	*fundamentals.ValuationPoint
}

func valuationLines(h *fundamentals.ValuationHistory) []valuationLine {
	return lines(h.Points, func(p *fundamentals.ValuationPoint) valuationLine {
		return valuationLine{h.InstrumentID, h.Currency, p}
	})
}

// valuation is a valuation, with the inputs of a metric keyed by name.
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

	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" csv:"any"`
}

func metricView(m *fundamentals.Metric) metric {
	inputs := make(map[string]value.Decimal, len(m.Inputs))
	for _, in := range m.Inputs {
		inputs[in.Name] = in.Value
	}
	return metric{m.Value, m.NullReason, m.SourcePeriod, m.PeriodEnd, inputs, m.Note, m.MeaningChanged}
}

func valuationView(v *fundamentals.Valuation) *valuation {
	return &valuation{
		v.InstrumentID, v.Market, v.Currency, v.Source, v.AsOf, v.DataDate, v.MarketCap,
		metricView(v.PeRatio), metricView(v.PbRatio), metricView(v.EBITDA), metricView(v.NetDebt), metricView(v.EV),
		metricView(v.EBITDATTM), metricView(v.EVEBITDA), metricView(v.EPSGrowthPct), metricView(v.PEG),
		v.CoverageFrom, v.Disclaimer, v.FxRate, v.FxAsOf,
	}
}

// valuationBatch is the batch of valuations, with the missing ids keyed by id.
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
