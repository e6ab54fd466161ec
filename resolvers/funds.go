package resolvers

import (
	"context"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

func (q query) FundProfile(ctx context.Context, code string) (*funds.Fund, error) {
	return q.services.Funds.Profile(ctx, code)
}

func (q query) FundRanking(ctx context.Context, period *funds.Period, order *value.SortOrder, category *string,
	limit *int) (*funds.Ranking, error) {
	return q.services.Funds.Ranking(ctx, funds.RankingArgs{Period: period, Order: order, Category: category, Limit: limit})
}

func (q query) FundInvestorFlows(ctx context.Context, code string, window *funds.Window, from, to *value.Date) (*funds.Flows, error) {
	return q.services.Funds.Flows(ctx, code, funds.FlowsArgs{Window: window, From: from, To: to})
}

func (q query) FundHolders(ctx context.Context, id string) (*funds.Holders, error) {
	return q.services.Funds.Holders(ctx, id)
}

func (q query) FundHoldings(ctx context.Context, code string, limit *int) (*funds.Portfolio, error) {
	return q.services.Funds.Holdings(ctx, code, limit)
}

func (i instrument) Holdings(ctx context.Context, of []*market.Instrument, first *int) ([][]*funds.Position, []error) {
	return nowEach(ctx, "holdings", of, func() ([][]*funds.Position, []error) {
		return i.services.Funds.HoldingsOf(ctx, of, first)
	})
}

func (i instrument) Holders(ctx context.Context, of []*market.Instrument, first *int) ([][]*funds.Holder, []error) {
	return nowEach(ctx, "holders", of, func() ([][]*funds.Holder, []error) {
		return i.services.Funds.HoldersOf(ctx, of, first)
	})
}
