package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/problem"
	"piyasa/value"
)

type stockID struct {
	ID string `path:"id" description:"An id of bist, such as bist:DMOST."`
}

type companyID struct {
	ID string `path:"id" description:"An id of bist or us, such as bist:DMOST or us:AAPL; ETF aliases do not resolve here."`
}

type indicatorsParams struct {
	stockID
	Indicators []analytics.Indicator `query:"indicators" collectionFormat:"csv" description:"Which, separated by commas, of rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch (or stochastic); without it rsi,macd,bbands,sma,ema."`
	Periods    []int                 `query:"periods" collectionFormat:"csv" description:"Bars of sma and ema: 1 to 10 numbers from 2 to 400, separated by commas; without it 20,50,200."`
	Resolution *market.Resolution    `query:"resolution" enum:"5m,1d" description:"Length of the bars; 1d without it."`
}

type financialsParams struct {
	companyID
	Timeframe *fundamentals.Timeframe      `query:"timeframe" enum:"annual,quarterly,quarterly_standalone,ttm" description:"Which periods; annual without it. us ids have annual and quarterly."`
	Currency  *market.Currency             `query:"currency" enum:"TRY,USD" description:"TRY without it; statements in dollars are a series of their own. us ids have USD."`
	Basis     *fundamentals.StatementBasis `query:"basis" enum:"current,as_reported" description:"Which filing of a period: the latest restated form without it, or the first. Not for us ids."`
	Limit     *int                         `query:"limit" description:"Periods, newest first."`
}

func (financialsParams) limit() value.Limit { return fundamentals.FinancialsLimit }

type valuationParams struct {
	companyID
	currency
}

type valuationsParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 ids of bist, separated by commas; ETF aliases do not resolve here."`
	currency
}

type valuationHistoryParams struct {
	companyID
	From     *value.Date      `query:"from" description:"First day; without it the window has 90 days. The history begins on 2025-09-20."`
	To       *value.Date      `query:"to" description:"Last day; without it today."`
	Currency *market.Currency `query:"currency" enum:"TRY" description:"TRY only."`
}

type dividendsParams struct {
	Market    *market.EquityMarket            `query:"market" enum:"bist,us" description:"Market of the shares; bist without it."`
	From      *value.Date                     `query:"from" description:"First day of the chosen date; without it 30 days ago. A window has at most 366 days."`
	To        *value.Date                     `query:"to" description:"Last day; without it 90 days ahead."`
	DateField *fundamentals.DividendDateField `query:"date_field" enum:"ex,pay" description:"The date that is windowed and sorted; ex without it."`
	Status    *fundamentals.DividendStatus    `query:"status" enum:"upcoming,paid" description:"Only these, judged on the market's local day."`
	Symbols   []string                        `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 symbols or canonical ids of the market, separated by commas."`
	Cursor    *string                         `query:"cursor" description:"next_cursor of the page before, with the same other parameters."`
	Limit     *int                            `query:"limit" description:"Rows of a page."`
}

func (dividendsParams) limit() value.Limit { return fundamentals.DividendLimit }
func (dividendsParams) strict()            {}

// companyRoutes are the routes of what companies report and pay, and of indicators.
func companyRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/stocks/{id}/indicators", "indicators", "Technical indicators of a stock or ETF", string(access.History),
			func(ctx context.Context, p indicatorsParams) (*analytics.IndicatorSet, error) {
				return q.Indicators(ctx, p.ID, p.Indicators, p.Periods, p.Resolution)
			}),
		get("/v1/stocks/{id}/financials", "financials", "Financial statements of a company, newest period first", string(access.History),
			func(ctx context.Context, p financialsParams) (*financials, error) {
				return viewOf(financialsView)(q.Financials(ctx, p.ID, p.Timeframe, p.Currency, p.Basis, p.Limit))
			}).failing(problem.BasisNotApplicable),
		get("/v1/stocks/{id}/valuation", "valuation", "What a company is worth by its market cap and newest statements", string(access.History),
			func(ctx context.Context, p valuationParams) (*valuation, error) {
				return viewOf(valuationView)(q.Valuation(ctx, p.ID, p.Currency))
			}),
		get("/v1/valuation", "valuations", "Valuations of up to 100 companies, one unit for each id", string(access.History),
			func(ctx context.Context, p valuationsParams) (*valuationBatch, error) {
				return viewOf(valuationBatchView)(q.Valuations(ctx, p.IDs, p.Currency))
			}),
		get("/v1/stocks/{id}/valuation/history", "valuationHistory", "Market cap and P/E of a stock day by day", string(access.History),
			func(ctx context.Context, p valuationHistoryParams) (*fundamentals.ValuationHistory, error) {
				return q.ValuationHistory(ctx, p.ID, p.From, p.To, p.Currency)
			}),
		get("/v1/stocks/{id}/dividends", "dividendHistory", "Every known dividend of a share; not for test keys", string(access.History),
			func(ctx context.Context, p companyID) (*dividendHistory, error) {
				return viewOf(dividendHistoryView)(q.DividendHistory(ctx, p.ID))
			}).failing(problem.TestPlan),
		get("/v1/dividends", "dividends", "Dividends of a market, one unit for each started 100 rows; knows no other parameters", string(access.History),
			func(ctx context.Context, p dividendsParams) (*fundamentals.DividendPage, error) {
				return q.Dividends(ctx, p.Market, p.From, p.To, p.DateField, p.Status, p.Symbols, p.Cursor, p.Limit)
			}).failing(problem.TestPlan, problem.WindowTooLong),
	}
}
