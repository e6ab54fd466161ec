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
	ID string `path:"id" description:"A bist id, such as bist:DMOST."`
}

type companyID struct {
	ID string `path:"id" description:"A bist or us id, such as bist:DMOST or us:AAPL; ETF aliases are not accepted."`
}

type indicatorsParams struct {
	stockID
	Indicators []analytics.Indicator `query:"indicators" collectionFormat:"csv" description:"Indicators, separated by commas: rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch (or stochastic). Default: rsi,macd,bbands,sma,ema."`
	Periods    []int                 `query:"periods" collectionFormat:"csv" description:"Number of bars of sma and ema: 1 to 10 numbers from 2 to 400, separated by commas. Default: 20,50,200."`
	Resolution *market.Resolution    `query:"resolution" enum:"5m,1d" description:"Length of a bar. Default: 1d."`
}

type financialsParams struct {
	companyID
	Timeframe *fundamentals.Timeframe      `query:"timeframe" enum:"annual,quarterly,quarterly_standalone,ttm" description:"Kind of periods. Default: annual. us ids have annual and quarterly only."`
	Currency  *market.Currency             `query:"currency" enum:"TRY,USD" description:"Currency of the statements; dollar statements are filed separately, not converted. Default: TRY (us ids: USD only)."`
	Basis     *fundamentals.StatementBasis `query:"basis" enum:"current,as_reported" description:"Filing of each period: the latest (current) or the first (as_reported). Default: current. Not for us ids."`
	Limit     *int                         `query:"limit" description:"Maximum number of periods, newest first."`
}

func (financialsParams) limit() value.Limit { return fundamentals.FinancialsLimit }

type valuationParams struct {
	companyID
	currency
}

type valuationsParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 bist ids, separated by commas; ETF aliases are not accepted."`
	currency
}

type valuationHistoryParams struct {
	companyID
	From     *value.Date      `query:"from" description:"First day. Default: 90 days that end at to. The history starts on 2025-09-20."`
	To       *value.Date      `query:"to" description:"Last day. Default: today."`
	Currency *market.Currency `query:"currency" enum:"TRY" description:"Only TRY."`
}

type dividendsParams struct {
	Market    *market.EquityMarket            `query:"market" enum:"bist,us" description:"Market of the shares. Default: bist."`
	From      *value.Date                     `query:"from" description:"First day, by date_field. Default: 30 days ago. The range has at most 366 days."`
	To        *value.Date                     `query:"to" description:"Last day. Default: 90 days ahead."`
	DateField *fundamentals.DividendDateField `query:"date_field" enum:"ex,pay" description:"Date to filter and sort by. Default: ex."`
	Status    *fundamentals.DividendStatus    `query:"status" enum:"upcoming,paid" description:"Only dividends with this status on the market's local day."`
	Symbols   []string                        `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 symbols or canonical ids of the market, separated by commas."`
	Cursor    *string                         `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit     *int                            `query:"limit" description:"Rows per page."`
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
		get("/v1/stocks/{id}/valuation", "valuation", "Valuation of a company from its market cap and newest statements", string(access.History),
			func(ctx context.Context, p valuationParams) (*valuation, error) {
				return viewOf(valuationView)(q.Valuation(ctx, p.ID, p.Currency))
			}),
		get("/v1/valuation", "valuations", "Valuations of up to 100 companies; costs one request unit per id", string(access.History),
			func(ctx context.Context, p valuationsParams) (*valuationBatch, error) {
				return viewOf(valuationBatchView)(q.Valuations(ctx, p.IDs, p.Currency))
			}),
		get("/v1/stocks/{id}/valuation/history", "valuationHistory", "Market cap and P/E of a stock day by day", string(access.History),
			func(ctx context.Context, p valuationHistoryParams) (*fundamentals.ValuationHistory, error) {
				return q.ValuationHistory(ctx, p.ID, p.From, p.To, p.Currency)
			}),
		get("/v1/stocks/{id}/dividends", "dividendHistory", "All known dividends of a share; not for test keys", string(access.History),
			func(ctx context.Context, p companyID) (*dividendHistory, error) {
				return viewOf(dividendHistoryView)(q.DividendHistory(ctx, p.ID))
			}).failing(problem.TestPlan),
		get("/v1/dividends", "dividends", "Dividends of a market; costs one request unit per 100 rows or part of them; rejects unknown parameters", string(access.History),
			func(ctx context.Context, p dividendsParams) (*fundamentals.DividendPage, error) {
				return q.Dividends(ctx, p.Market, p.From, p.To, p.DateField, p.Status, p.Symbols, p.Cursor, p.Limit)
			}).failing(problem.TestPlan, problem.WindowTooLong),
	}
}
