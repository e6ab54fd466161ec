package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type fundCode struct {
	Code string `path:"code" description:"A fund code, optionally after fund:."`
}

type fundParams struct {
	fundCode
	tableParams
}

type rankingParams struct {
	Period   *funds.Period    `query:"period" description:"Period of the return. Default: 1m."`
	Order    *value.SortOrder `query:"order" description:"Order by return. Default: desc (best first)."`
	Category *string          `query:"category" description:"Only this category (exact match)."`
	Limit    *int             `query:"limit" description:"Maximum number of funds."`
	tableParams
}

func (rankingParams) limit() value.Limit { return funds.RankingLimit }

type flowsParams struct {
	fundCode
	Window *funds.Window `query:"window" description:"Window of the flows; all but range end at the fund's newest day. Default: 1m."`
	From   *value.Date   `query:"from" description:"First day; only with window=range."`
	To     *value.Date   `query:"to" description:"Last day; only with window=range."`
	tableParams
}

type holdersParams struct {
	ID string `path:"id" description:"A canonical id; ETF aliases are not accepted."`
	tableParams
}

type holdingsParams struct {
	fundCode
	Limit *int `query:"limit" description:"Maximum number of positions."`
	tableParams
}

func (holdingsParams) limit() value.Limit { return funds.HoldingsLimit }

// fundRoutes returns the routes of Turkish funds.
func fundRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(itself[funds.Profile], get("/v1/funds/{code}/profile", "fundProfile", "Profile of a fund", string(access.QuotesFund),
			func(ctx context.Context, p fundParams) (*funds.Profile, error) {
				f, err := q.FundProfile(ctx, p.Code)
				if err != nil {
					return nil, err
				}
				return &f.Profile, nil
			})),
		costing(func(costs *graph.ComplexityRoot, below int, p rankingParams) int {
			return costs.Query.FundRanking(below, p.Period, p.Order, p.Category, p.Limit)
		}, asTable(func(r *funds.Ranking) []*funds.Ranked { return r.Items },
			get("/v1/funds/ranking", "fundRanking", "Funds ranked by their return over a period", string(access.QuotesFund),
				func(ctx context.Context, p rankingParams) (*funds.Ranking, error) {
					return q.FundRanking(ctx, p.Period, p.Order, p.Category, p.Limit)
				}))),
		asTable(flowLines, get("/v1/funds/{code}/investor-flows", "fundInvestorFlows", "Money that investors moved into and out of a fund",
			string(access.History),
			func(ctx context.Context, p flowsParams) (*funds.Flows, error) {
				return q.FundInvestorFlows(ctx, p.Code, p.Window, p.From, p.To)
			}).failing(problem.ConflictingParameters)),
		asTable(holderLines, get("/v1/funds/holders-of/{id}", "fundHolders", "Funds that hold an instrument", string(access.QuotesFund),
			func(ctx context.Context, p holdersParams) (*funds.Holders, error) { return q.FundHolders(ctx, p.ID) }).literal()),
		costing(func(costs *graph.ComplexityRoot, below int, p holdingsParams) int {
			return costs.Query.FundHoldings(below, p.Code, p.Limit)
		}, asTable(positionLines, get("/v1/funds/{code}/holdings", "fundHoldings", "What a fund held according to its newest report",
			string(access.QuotesFund),
			func(ctx context.Context, p holdingsParams) (*funds.Portfolio, error) {
				return q.FundHoldings(ctx, p.Code, p.Limit)
			}))),
	}
}

// flowLine is a day of flows with its fund.
type flowLine struct {
	InstrumentID market.ID `json:"instrument_id"`
	Code         string    `json:"code"`
	Currency     string    `json:"currency"`
	*funds.FlowPoint
}

func flowLines(f *funds.Flows) []flowLine {
	return lines(f.Points, func(p *funds.FlowPoint) flowLine { return flowLine{f.InstrumentID, f.Code, f.Currency, p} })
}

// holderLine is a fund with the instrument that it holds.
type holderLine struct {
	InstrumentID market.ID `json:"instrument_id"`
	*funds.Holder
}

func holderLines(h *funds.Holders) []holderLine {
	return lines(h.Holders, func(f *funds.Holder) holderLine { return holderLine{h.InstrumentID, f} })
}

// positionLine is a position with its fund.
type positionLine struct {
	FundID   market.ID `json:"fund_id"`
	FundCode string    `json:"fund_code"`
	*funds.Position
}

func positionLines(h *funds.Portfolio) []positionLine {
	return lines(h.Holdings, func(p *funds.Position) positionLine { return positionLine{h.FundID, h.FundCode, p} })
}
