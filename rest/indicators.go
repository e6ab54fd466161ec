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
	Last       *int                  `query:"last" description:"Adds series: the values at so many of the newest bars, instead of the newest alone. In CSV each has a line."`
	adjustFigures
	tableParams
}

func (indicatorsParams) limit() value.Limit { return analytics.SeriesLimit }

// indicatorRoutes returns the routes of technical indicators.
func indicatorRoutes(q graph.QueryResolver, sets graph.IndicatorSetRelations) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p indicatorsParams) int {
			if p.Last != nil {
				below += costs.IndicatorSet.Series(seriesColumns, p.Last)
			}
			return costs.Query.Indicators(below, p.ID, p.Indicators, p.Periods, p.Resolution, p.Adjust)
		}, asTable(indicatorLines, get("/v1/stocks/{id}/indicators", "indicators", "Technical indicators of a stock or ETF",
			string(access.History),
			func(ctx context.Context, p indicatorsParams) (*analytics.IndicatorSet, error) {
				set, err := q.Indicators(ctx, p.ID, p.Indicators, p.Periods, p.Resolution, p.Adjust)
				if err != nil || p.Last == nil {
					return set, err
				}
				series, errs := sets.Series(ctx, []*analytics.IndicatorSet{set}, p.Last)
				set.Lines = series[0]
				return set, errs[0]
			}))),
	}
}

// seriesColumns is how many members of a series are lists of its length.
const seriesColumns = 4

// indicatorLine is a value of an indicator with its instrument; in a series, with its bar. An
// unavailable indicator has a line without a value.
type indicatorLine struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Resolution   market.Resolution `json:"resolution"`
	AsOf         value.Instant     `json:"as_of"`
	*analytics.IndicatorValue
	Adjust     *market.Adjust    `json:"adjust" csv:"any"`
	Adjustment *string           `json:"adjustment" csv:"any"`
	Bridges    []*segment.Bridge `json:"bridges" csv:"any"`
	T          value.Instant     `json:"t" csv:"any"`
	Date       value.Date        `json:"date" csv:"any"`
}

func indicatorLines(s *analytics.IndicatorSet) []indicatorLine {
	of := func(v *analytics.IndicatorValue) indicatorLine {
		return indicatorLine{InstrumentID: s.InstrumentID, Resolution: s.Resolution, AsOf: s.AsOf, IndicatorValue: v,
			Adjust: s.Adjust, Adjustment: s.Adjustment, Bridges: s.Bridges}
	}
	all := lines(s.Values, of)
	if s.Lines != nil {
		all = nil
	}
	for _, one := range s.Lines {
		for i, t := range one.T {
			l := of(&analytics.IndicatorValue{Indicator: one.Indicator, Component: one.Component, Period: one.Period,
				Value: one.Value[i], NullReason: one.NullReason[i]})
			l.T, l.Date = t, one.Date[i]
			all = append(all, l)
		}
	}
	return append(all, lines(s.Unavailable, func(u analytics.UnavailableIndicator) indicatorLine {
		return of(&analytics.IndicatorValue{Indicator: u.Indicator, NullReason: &u.Reason})
	})...)
}
