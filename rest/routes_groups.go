package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/value"
)

type periodicParams struct {
	catalogID
	currency
}

type periodicBatchParams struct {
	IDs []string `query:"ids" required:"true" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 instrument ids, separated by commas."`
	currency
}

type indexCode struct {
	Code string `path:"code" description:"Code of a BIST index, such as XU100; letter case does not matter."`
}

type indexPeriodicParams struct {
	indexCode
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"No effect: levels are points."`
}

type sectorCode struct {
	Code string `path:"code" description:"Code of a sector, as in the list of sectors."`
}

type sectorParams struct {
	sectorCode
	Market *market.EquityMarket `query:"market" enum:"bist,us" description:"Market of the members. Default: bist."`
}

type sectorReturnsParams struct {
	sectorParams
	From *value.Date `query:"from" description:"First day. Default: 365 days that end at to."`
	To   *value.Date `query:"to" description:"Last day. Default: today."`
}

type sectorPeriodicParams struct {
	sectorParams
	Currency *market.Currency `query:"currency" enum:"TRY,USD,EUR" description:"No effect: levels are points."`
}

// groupRoutes are the routes of windows, indices and sectors.
func groupRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/periodic/{id}", "periodic", "Periodic windows (1w to 1y) of an instrument", string(access.History),
			func(ctx context.Context, p periodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.Periodic(ctx, p.ID, p.Currency))
			}),
		get("/v1/periodic", "periodicBatch", "Periodic windows of up to 100 instruments", string(access.History),
			func(ctx context.Context, p periodicBatchParams) (*periodicBatch, error) {
				return viewOf(periodicBatchView)(q.PeriodicBatch(ctx, p.IDs, p.Currency))
			}),
		get("/v1/indices", "indices", "The covered BIST indices", string(access.QuotesBIST),
			func(ctx context.Context, _ struct{}) (*market.IndexList, error) { return q.Indices(ctx) }),
		get("/v1/indices/{code}/constituents", "indexConstituents", "Members of an index", string(access.QuotesBIST),
			func(ctx context.Context, p indexCode) (*market.IndexConstituents, error) {
				return q.IndexConstituents(ctx, p.Code)
			}),
		get("/v1/indices/{code}/periodic", "indexPeriodic", "Periodic windows of a BIST index", string(access.History),
			func(ctx context.Context, p indexPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.IndexPeriodic(ctx, p.Code, p.Currency))
			}),
		get("/v1/sectors", "sectors", "The sectors", anyKey,
			func(ctx context.Context, _ struct{}) (*market.SectorList, error) { return q.Sectors(ctx) }),
		get("/v1/sectors/{code}/constituents", "sectorConstituents", "Members of a sector in a market", "the quotes scope of the market",
			func(ctx context.Context, p sectorParams) (*market.SectorConstituents, error) {
				return q.SectorConstituents(ctx, p.Code, p.Market)
			}),
		get("/v1/sectors/{code}/valuation", "sectorValuation", "Median P/E and P/B of a sector's members", string(access.History),
			func(ctx context.Context, p sectorParams) (*analytics.SectorValuation, error) {
				return q.SectorValuation(ctx, p.Code, p.Market)
			}),
		get("/v1/sectors/{code}/returns", "sectorReturns", "Equal-weighted return series of a sector, base 100", string(access.History),
			func(ctx context.Context, p sectorReturnsParams) (*analytics.SectorReturns, error) {
				return q.SectorReturns(ctx, p.Code, p.Market, p.From, p.To)
			}),
		get("/v1/sectors/{code}/periodic", "sectorPeriodic", "Periodic windows of a sector's return series", string(access.History),
			func(ctx context.Context, p sectorPeriodicParams) (*periodic, error) {
				return viewOf(periodicView)(q.SectorPeriodic(ctx, p.Code, p.Market, p.Currency))
			}),
	}
}
