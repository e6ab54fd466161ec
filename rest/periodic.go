package rest

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
)

type periodicParams struct {
	catalogID
	currency
	adjustFigures
	tableParams
}

type periodicBatchParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
	adjustFigures
	tableParams
}

// periodicRoutes returns the routes of periodic windows of instruments.
func periodicRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p periodicParams) int {
			return costs.Query.Periodic(below, p.ID, p.Currency, p.Adjust)
		}, asTable(windowLines, get("/v1/periodic/{id}", "periodic", "Periodic windows (1w to 1y) of an instrument", string(access.History),
			func(ctx context.Context, p periodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.Periodic(ctx, p.ID, p.Currency, p.Adjust))
			}))),
		costing(func(costs *graph.ComplexityRoot, below int, p periodicBatchParams) int {
			return costs.Query.PeriodicBatch(below, p.IDs, p.Currency, p.Adjust)
		}, asTable(windowLinesOfBatch, get("/v1/periodic", "periodicBatch", "Periodic windows of up to 100 instruments",
			string(access.History),
			func(ctx context.Context, p periodicBatchParams) (*periodicBatch, error) {
				return viewOf(periodicBatchView)(q.PeriodicBatch(ctx, p.IDs, p.Currency, p.Adjust))
			}))),
	}
}

// windowLine is a window with its instrument.
type windowLine struct {
	InstrumentID *market.ID        `json:"instrument_id"`
	Code         *string           `json:"code"`
	AssetType    *market.AssetType `json:"asset_type"`
	Name         string            `json:"name"`
	Currency     string            `json:"currency"`
	AsOf         value.Instant     `json:"as_of"`
	*analytics.PeriodicWindow
	FxRate     value.Decimal `json:"fx_rate"`
	FxAsOf     value.Instant `json:"fx_as_of"`
	Adjust     string        `json:"adjust" csv:"any"`
	Adjustment *string       `json:"adjustment" csv:"any"`
}

func windowLines(p *periodic) []windowLine {
	return lines(p.Windows, func(w *analytics.PeriodicWindow) windowLine {
		return windowLine{p.InstrumentID, p.Code, p.AssetType, p.Name, p.Currency, p.AsOf, w, p.FxRate, p.FxAsOf, p.Adjust, p.Adjustment}
	})
}

func windowLinesOfBatch(b *periodicBatch) []windowLine {
	return slices.Concat(lines(b.Periodic, windowLines)...)
}

// periodic states the subject of the windows, and the rate if they are converted.
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
	Adjust       string                      `json:"adjust,omitempty"`     // unless splits; a string: ogen names enums as the parameter's
	Adjustment   *string                     `json:"adjustment,omitempty"` // unadjusted, if the series says so
}

func periodicView(p *analytics.Periodic) *periodic {
	view := &periodic{p.InstrumentID, p.Code, p.AssetType, p.Name, p.Currency, p.AsOf, p.Windows, p.Count, p.FxRate, p.FxAsOf,
		string(p.Adjust), p.Adjustment}
	if p.Adjust == market.AdjustSplits {
		view.Adjust = ""
	}
	return view
}

// periodicBatch is the batch of windows, with the missing ids keyed by id.
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
