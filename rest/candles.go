package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type candlesParams struct {
	instrumentID
	Resolution *market.Resolution `query:"resolution" description:"Length of a bar. Default: 1d."`
	days
	currency
	adjustSeries
	tableParams
}

type candlesBatchParams struct {
	IDs        []string           `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	Resolution *market.Resolution `query:"resolution" description:"Length of a bar. Default: 1d."`
	days
	currency
	adjustSeries
	tableParams
}

type eodParams struct {
	instrumentID
	days
	currency
	adjustSeries
	tableParams
}

// candleRoutes returns the routes of bars and daily records.
func candleRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p candlesParams) int {
			return costs.Query.Candles(below, p.ID, p.Resolution, p.From, p.To, p.Currency, p.Adjust)
		}, get("/v1/candles/{instrument_id}", "candles", "Bars of one instrument, each converted at the rate of its own time",
			string(access.History),
			func(ctx context.Context, p candlesParams) (*candleSeries, error) {
				return viewOf(candleSeriesView)(q.Candles(ctx, p.ID, p.Resolution, p.From, p.To, p.Currency, p.Adjust))
			}).failing(problem.AmbiguousTicker, problem.WindowTooLong).tabled("t")),
		costing(func(costs *graph.ComplexityRoot, below int, p candlesBatchParams) int {
			return costs.Query.CandlesBatch(below, p.IDs, p.Resolution, p.From, p.To, p.Currency, p.Adjust)
		}, get("/v1/candles", "candlesBatch", "Bars of up to 100 instruments; an addition to the compatible API", string(access.History),
			func(ctx context.Context, p candlesBatchParams) (*candlesBatch, error) {
				return viewOf(candlesBatchView)(q.CandlesBatch(ctx, p.IDs, p.Resolution, p.From, p.To, p.Currency, p.Adjust))
			}).charging("instrument found", byID).failing(problem.AmbiguousTicker, problem.WindowTooLong).tabled("t")),
		costing(func(costs *graph.ComplexityRoot, below int, p eodParams) int {
			return costs.Query.Eod(below, p.ID, p.From, p.To, p.Currency, p.Adjust)
		}, get("/v1/eod/{instrument_id}", "eod", "Daily records of one instrument", string(access.History),
			func(ctx context.Context, p eodParams) (*eodSeries, error) {
				return viewOf(eodSeriesView)(q.Eod(ctx, p.ID, p.From, p.To, p.Currency, p.Adjust))
			}).failing(problem.AmbiguousTicker).tabled("date")),
	}
}

// bar is a bar that states its rate only in converted answers, null if unknown, and its day if
// market.CandleSeries.Dated says so.
type bar struct {
	*market.Bar
	FxRate   *value.Decimal `json:"fx_rate,omitempty"`
	Date     *value.Date    `json:"date,omitempty"`
	Complete *bool          `json:"complete,omitempty"`
}

// adjusted has the members that only a series has which is adjusted, or has adjusted weeks or
// months.
type adjusted struct {
	Adjust     *market.Adjust         `json:"adjust,omitempty"`
	Factors    *[]*market.PriceFactor `json:"factors,omitempty"`
	AdjustNote *string                `json:"adjust_note,omitempty"`
}

func adjustedBy(adjust market.Adjust, factors []*market.PriceFactor, note *string) adjusted {
	if adjust == market.AdjustNone && len(factors) == 0 {
		return adjusted{}
	}
	return adjusted{&adjust, &factors, note}
}

type candleSeries struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Resolution   market.Resolution `json:"resolution"`
	Currency     string            `json:"currency"`
	Bars         []bar             `json:"bars"` // for the description only: of has the bars
	Count        int               `json:"count"`

	adjusted

	Unit           *string              `json:"unit,omitempty"`
	MeaningChanged *segment.Change      `json:"meaning_changed,omitempty"`
	AvailableFrom  value.Date           `json:"available_from,omitzero"`
	MissingReason  *value.MissingReason `json:"-"`
	of             *market.CandleSeries
}

func candleSeriesView(s *market.CandleSeries) *candleSeries {
	return &candleSeries{InstrumentID: s.InstrumentID, Resolution: s.Resolution, Currency: s.Currency, Count: s.Count,
		adjusted: adjustedBy(s.Adjust, s.Factors, s.AdjustNote), Unit: s.Unit, MeaningChanged: s.MeaningChanged,
		AvailableFrom: s.AvailableFrom, MissingReason: s.MissingReason, of: s}
}

// candlesBatch is the batch of series, with the missing ids keyed by id.
type candlesBatch struct {
	Series          []*candleSeries   `json:"series"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func candlesBatchView(b *market.CandlesBatch) *candlesBatch {
	view := &candlesBatch{make([]*candleSeries, len(b.Series)), b.Count, misses(b.NotFound), reasons(b.NotFound)}
	for i, s := range b.Series {
		view.Series[i] = candleSeriesView(s)
	}
	return view
}

// eodRecord is a daily record that states its rate as a bar does.
type eodRecord struct {
	*market.EodRecord
	FxRate   *value.Decimal `json:"fx_rate,omitempty"`
	Complete *bool          `json:"complete,omitempty"`
}

type eodSeries struct {
	InstrumentID market.ID   `json:"instrument_id"`
	Currency     string      `json:"currency"`
	Records      []eodRecord `json:"records"` // for the description only: of has the records
	Count        int         `json:"count"`

	adjusted

	Unit           *string              `json:"unit,omitempty"`
	MeaningChanged *segment.Change      `json:"meaning_changed,omitempty"`
	AvailableFrom  value.Date           `json:"available_from,omitzero"`
	MissingReason  *value.MissingReason `json:"-"`
	of             *market.EodSeries
}

func eodSeriesView(s *market.EodSeries) *eodSeries {
	return &eodSeries{InstrumentID: s.InstrumentID, Currency: s.Currency, Count: s.Count,
		adjusted: adjustedBy(s.Adjust, s.Factors, s.AdjustNote), Unit: s.Unit, MeaningChanged: s.MeaningChanged,
		AvailableFrom: s.AvailableFrom, MissingReason: s.MissingReason, of: s}
}
