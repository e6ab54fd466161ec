package resolvers

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/value"
	"piyasa/services"
)

func (q query) DisclosuresConnection(ctx context.Context, symbol *string, symbols []string, companyID *string, of *kap.Type, class *string,
	reason *kap.Reason, text *string, from, to *kap.Bound, order *value.SortOrder, first *int, after *string, last *int,
	before *string) (*kap.Connection, error) {
	filter := kap.Filter{
		Symbol: symbol, Symbols: symbols, CompanyID: companyID,
		Type: of, Class: class, Reason: reason, Q: text, From: from, To: to,
	}
	return q.services.KAP.Connection(ctx, filter, order, access.PageArgs{First: first, After: after, Last: last, Before: before})
}

func (q query) FilingsConnection(ctx context.Context, symbol string, basis *kap.FilingBasis, unit *kap.FilingUnit, asOf *value.Month,
	consolidation *kap.Consolidation, year, period *string, first *int, after *string, last *int,
	before *string, knownAt *value.Instant) (*kap.FilingConnection, error) {
	args := kap.FilingArgs{Basis: basis, Unit: unit, AsOf: asOf, Consolidation: consolidation, Year: year, Period: period}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*kap.FilingConnection, error) {
		return s.KAP.FilingConnection(ctx, symbol, args, access.PageArgs{First: first, After: after, Last: last, Before: before})
	})
}

func (q query) NewsConnection(ctx context.Context, symbol *string, from, to *value.Date, first *int, after *string, last *int,
	before *string) (*news.Connection, error) {
	return q.services.News.Connection(ctx, news.Filter{Symbol: symbol, From: from, To: to},
		access.PageArgs{First: first, After: after, Last: last, Before: before})
}

func (q query) InstrumentsConnection(ctx context.Context, m *market.Market, assetType, search *string, first *int, after *string, last *int,
	before *string, knownAt *value.Instant) (*market.InstrumentConnection, error) {
	filter := market.InstrumentFilter{Market: m, AssetType: assetType, Search: search}
	return catalogThen(ctx, q.services, knownAt, func(s *services.Services) (*market.InstrumentConnection, error) {
		return s.Market.InstrumentConnection(ctx, filter, access.PageArgs{First: first, After: after, Last: last, Before: before})
	})
}

func (q query) DividendsConnection(ctx context.Context, m *market.EquityMarket, from, to *value.Date,
	dateField *fundamentals.DividendDateField, status *fundamentals.DividendStatus, symbols []string, first *int, after *string, last *int,
	before *string, knownAt *value.Instant) (*fundamentals.DividendConnection, error) {
	filter := fundamentals.DividendFilter{Market: m, From: from, To: to, DateField: dateField, Status: status, Symbols: symbols}
	return then(ctx, q.services, knownAt, func(s *services.Services) (*fundamentals.DividendConnection, error) {
		return s.Fundamentals.DividendConnection(ctx, filter, access.PageArgs{First: first, After: after, Last: last, Before: before})
	})
}
