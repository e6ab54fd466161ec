package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/graph"
	"piyasa/internal/value"
)

type indicatorsParams struct {
	stockID
	Indicators []analytics.Indicator `query:"indicators" collectionFormat:"csv" description:"Indicators, separated by commas: rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch (or stochastic). Default: rsi,macd,bbands,sma,ema."`
	Periods    []int                 `query:"periods" collectionFormat:"csv" description:"Number of bars of sma and ema: 1 to 10 numbers from 2 to 400, separated by commas. Default: 20,50,200."`
	Resolution *market.Resolution    `query:"resolution" enum:"5m,1d" description:"Length of a bar. Default: 1d."`
	adjustFigures
	tableParams
}

// indicatorRoutes returns the routes of technical indicators.
func indicatorRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p indicatorsParams) int {
			return costs.Query.Indicators(below, p.ID, p.Indicators, p.Periods, p.Resolution, p.Adjust)
		}, asTable(indicatorLines, get("/v1/stocks/{id}/indicators", "indicators", "Technical indicators of a stock or ETF",
			string(access.History),
			func(ctx context.Context, p indicatorsParams) (*analytics.IndicatorSet, error) {
				return q.Indicators(ctx, p.ID, p.Indicators, p.Periods, p.Resolution, p.Adjust)
			}))),
	}
}

// indicatorLine is a value with what it is of. An indicator that is unavailable has a line
// without a value.
type indicatorLine struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Resolution   market.Resolution `json:"resolution"`
	AsOf         value.Instant     `json:"as_of"`
	*analytics.IndicatorValue
	Adjust     *market.Adjust    `json:"adjust" csv:"any"`
	Adjustment *string           `json:"adjustment" csv:"any"`
	Bridges    []*segment.Bridge `json:"bridges" csv:"any"`
}

func indicatorLines(s *analytics.IndicatorSet) []indicatorLine {
	of := func(v *analytics.IndicatorValue) indicatorLine {
		return indicatorLine{s.InstrumentID, s.Resolution, s.AsOf, v, s.Adjust, s.Adjustment, s.Bridges}
	}
	return append(lines(s.Values, of), lines(s.Unavailable, func(u analytics.UnavailableIndicator) indicatorLine {
		return of(&analytics.IndicatorValue{Indicator: u.Indicator, NullReason: &u.Reason})
	})...)
}
