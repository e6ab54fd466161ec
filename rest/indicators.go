package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
)

type indicatorsParams struct {
	stockID
	Indicators []analytics.Indicator `query:"indicators" collectionFormat:"csv" description:"Indicators, separated by commas: rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch (or stochastic). Default: rsi,macd,bbands,sma,ema."`
	Periods    []int                 `query:"periods" collectionFormat:"csv" description:"Number of bars of sma and ema: 1 to 10 numbers from 2 to 400, separated by commas. Default: 20,50,200."`
	Resolution *market.Resolution    `query:"resolution" enum:"5m,1d" description:"Length of a bar. Default: 1d."`
}

// indicatorRoutes returns the routes of technical indicators.
func indicatorRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/stocks/{id}/indicators", "indicators", "Technical indicators of a stock or ETF", string(access.History),
			func(ctx context.Context, p indicatorsParams) (*analytics.IndicatorSet, error) {
				return q.Indicators(ctx, p.ID, p.Indicators, p.Periods, p.Resolution)
			}),
	}
}
