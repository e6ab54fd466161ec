package rest

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type moversParams struct {
	Limit *int `query:"limit" description:"Rows per list."`
	currency
	tableParams
}

type calendarOfMarketParams struct {
	Market market.Market `path:"market" description:"A market, such as bist."`
	From   *value.Date   `query:"from" description:"First day. Default: the first of the year of to, or of today."`
	To     *value.Date   `query:"to" description:"Last day, at most 3660 days in all. Default: the last of the year of from, or of today."`
	tableParams
}

func (moversParams) limit() value.Limit { return market.MoverLimit }

// exchangeRoutes returns the routes of the Istanbul exchange.
func exchangeRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(itself[market.MarketStatus], get("/v1/markets/bist/status", "marketStatus",
			"State of the Istanbul exchange: open, closed or holiday", anyKey,
			func(ctx context.Context, _ tableParams) (*market.MarketStatus, error) { return q.MarketStatus(ctx) })),
		costing(func(costs *graph.ComplexityRoot, below int, p calendarOfMarketParams) int {
			return costs.Query.MarketCalendar(below, p.Market, p.From, p.To)
		}, asTable(marketDays, get("/v1/markets/{market}/calendar", "marketCalendar",
			"Sessions, half days and holidays of a market, past and coming", anyKey,
			func(ctx context.Context, p calendarOfMarketParams) (*market.MarketCalendar, error) {
				return q.MarketCalendar(ctx, p.Market, p.From, p.To)
			}).failing(problem.WindowTooLong))),
		costing(func(costs *graph.ComplexityRoot, below int, p moversParams) int {
			return costs.Query.Movers(below, p.Limit, p.Currency)
		}, asTable(moverLines, get("/v1/markets/bist/movers", "movers",
			"Gainers, losers and most traded instruments of the Istanbul exchange", string(access.QuotesBIST),
			func(ctx context.Context, p moversParams) (*market.Movers, error) {
				return q.Movers(ctx, p.Limit, p.Currency)
			}))),
	}
}

func marketDays(c *market.MarketCalendar) []*market.MarketDay { return c.Days }

// moverLine is a mover with the name of its list.
type moverLine struct {
	List     string `json:"list"` // gainers, losers or most_traded
	Currency string `json:"currency"`
	*market.Mover
}

func moverLines(m *market.Movers) []moverLine {
	of := func(list string, movers []*market.Mover) []moverLine {
		return lines(movers, func(mover *market.Mover) moverLine { return moverLine{list, m.Currency, mover} })
	}
	return slices.Concat(of("gainers", m.Gainers), of("losers", m.Losers), of("most_traded", m.MostTraded))
}
