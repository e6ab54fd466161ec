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

type sectorCode struct {
	Code string `path:"code" description:"Code of a sector, as in the list of sectors."`
}

type sectorParams struct {
	sectorCode
	Market *market.EquityMarket `query:"market" description:"Market of the members. Default: bist."`
	tableParams
}

type sectorsParams struct {
	knownAt
	tableParams
}

type sectorThenParams struct {
	sectorParams
	knownAt
}

type sectorReturnsParams struct {
	sectorParams
	From *value.Date `query:"from" description:"First day. Default: 365 days that end at to."`
	To   *value.Date `query:"to" description:"Last day. Default: today."`
	adjustFigures
}

type sectorPeriodicParams struct {
	sectorParams
	Currency *market.Currency `query:"currency" description:"No effect: levels are points."`
	adjustFigures
}

// sectorMemberLine is a member with its sector.
type sectorMemberLine struct {
	Code string `json:"code"`
	*market.SectorMember
}

func sectorMemberLines(s *market.SectorConstituents) []sectorMemberLine {
	return lines(s.Constituents, func(m *market.SectorMember) sectorMemberLine { return sectorMemberLine{s.Code, m} })
}

// returnLine is a day of a sector's return series.
type returnLine struct {
	Code   string              `json:"code"`
	Market market.EquityMarket `json:"market"`
	*analytics.SectorReturnPoint
	Adjust     *market.Adjust    `json:"adjust" csv:"any"`
	Adjustment *string           `json:"adjustment" csv:"any"`
	Bridges    []*segment.Bridge `json:"bridges" csv:"any"`
}

func returnLines(s *analytics.SectorReturns) []returnLine {
	return lines(s.Points, func(p analytics.SectorReturnPoint) returnLine {
		return returnLine{s.Code, s.Market, &p, s.Adjust, s.Adjustment, s.Bridges}
	})
}

// sectorRoutes returns the routes of sectors.
func sectorRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(l *market.SectorList) []*market.SectorInfo { return l.Sectors }, get("/v1/sectors", "sectors", "The sectors", anyKey,
			func(ctx context.Context, p sectorsParams) (*market.SectorList, error) {
				return q.Sectors(ctx, p.KnownAt)
			})),
		costing(func(costs *graph.ComplexityRoot, below int, p sectorThenParams) int {
			return costs.Query.SectorConstituents(below, p.Code, p.Market, p.KnownAt)
		}, asTable(sectorMemberLines, get("/v1/sectors/{code}/constituents", "sectorConstituents", "Members of a sector in a market",
			"the quotes scope of the market",
			func(ctx context.Context, p sectorThenParams) (*market.SectorConstituents, error) {
				return q.SectorConstituents(ctx, p.Code, p.Market, p.KnownAt)
			}))),
		costing(func(costs *graph.ComplexityRoot, below int, p sectorThenParams) int {
			return costs.Query.SectorValuation(below, p.Code, p.Market, p.KnownAt)
		}, asTable(itself[analytics.SectorValuation], get("/v1/sectors/{code}/valuation", "sectorValuation",
			"Median P/E and P/B of a sector's members", string(access.History),
			func(ctx context.Context, p sectorThenParams) (*analytics.SectorValuation, error) {
				return q.SectorValuation(ctx, p.Code, p.Market, p.KnownAt)
			}))),
		costing(func(costs *graph.ComplexityRoot, below int, p sectorReturnsParams) int {
			return costs.Query.SectorReturns(below, p.Code, p.Market, p.From, p.To, p.Adjust)
		}, asTable(returnLines, get("/v1/sectors/{code}/returns", "sectorReturns", "Equal-weighted return series of a sector, base 100",
			string(access.History),
			func(ctx context.Context, p sectorReturnsParams) (*analytics.SectorReturns, error) {
				return q.SectorReturns(ctx, p.Code, p.Market, p.From, p.To, p.Adjust)
			}))),
		costing(func(costs *graph.ComplexityRoot, below int, p sectorPeriodicParams) int {
			return costs.Query.SectorPeriodic(below, p.Code, p.Market, p.Currency, p.Adjust)
		}, asTable(windowLines, get("/v1/sectors/{code}/periodic", "sectorPeriodic", "Periodic windows of a sector's return series",
			string(access.History),
			func(ctx context.Context, p sectorPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.SectorPeriodic(ctx, p.Code, p.Market, p.Currency, p.Adjust))
			}))),
	}
}
