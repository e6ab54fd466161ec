package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
)

// naming resolves the instrument that a record names.
type naming[T any] struct {
	services *services.Services
	id       func(*T) market.ID
}

// Instrument returns the instrument, or nil if the catalog lacks it.
func (n naming[T]) Instrument(ctx context.Context, of *T) (*market.Instrument, error) {
	return then(ctx, n.services, nil, func(s *services.Services) (*market.Instrument, error) { return s.Market.ByID(n.id(of)), nil })
}

// Quote answers the relations of a quote.
func (r *Root) Quote() graph.QuoteResolver {
	return naming[market.Quote]{r.services, func(q *market.Quote) market.ID { return q.InstrumentID }}
}

// Mover answers the relations of a row of the movers.
func (r *Root) Mover() graph.MoverResolver {
	return naming[market.Mover]{r.services, func(m *market.Mover) market.ID { return m.InstrumentID }}
}

// CandleSeries answers the relations of a candle series.
func (r *Root) CandleSeries() graph.CandleSeriesResolver {
	return naming[market.CandleSeries]{r.services, func(c *market.CandleSeries) market.ID { return c.InstrumentID }}
}

// EodSeries answers the relations of a series of daily records.
func (r *Root) EodSeries() graph.EodSeriesResolver {
	return naming[market.EodSeries]{r.services, func(e *market.EodSeries) market.ID { return e.InstrumentID }}
}

// ParsedInstrument answers the relations of a parsed id.
func (r *Root) ParsedInstrument() graph.ParsedInstrumentResolver {
	return naming[market.ParsedID]{r.services, func(p *market.ParsedID) market.ID { return p.InstrumentID }}
}

// Logo answers the relations of a logo.
func (r *Root) Logo() graph.LogoResolver {
	return naming[market.Logo]{r.services, func(l *market.Logo) market.ID { return l.InstrumentID }}
}

// SectorMember answers the relations of a member of a sector.
func (r *Root) SectorMember() graph.SectorMemberResolver {
	return naming[market.SectorMember]{r.services, func(m *market.SectorMember) market.ID { return m.InstrumentID }}
}

// Constituent answers the relations of a member of an index.
func (r *Root) Constituent() graph.ConstituentResolver {
	return naming[market.Constituent]{r.services, func(c *market.Constituent) market.ID { return c.InstrumentID }}
}

// Financials answers the relations of a series of statements.
func (r *Root) Financials() graph.FinancialsResolver {
	return naming[fundamentals.Financials]{r.services, func(f *fundamentals.Financials) market.ID { return f.InstrumentID }}
}

// Valuation answers the relations of a valuation.
func (r *Root) Valuation() graph.ValuationResolver {
	return naming[fundamentals.Valuation]{r.services, func(v *fundamentals.Valuation) market.ID { return v.InstrumentID }}
}

// ValuationHistory answers the relations of a valuation history.
func (r *Root) ValuationHistory() graph.ValuationHistoryResolver {
	return naming[fundamentals.ValuationHistory]{r.services,
		func(h *fundamentals.ValuationHistory) market.ID { return h.InstrumentID }}
}

// Dividend answers the relations of a dividend.
func (r *Root) Dividend() graph.DividendResolver {
	return naming[fundamentals.Dividend]{r.services, func(d *fundamentals.Dividend) market.ID { return d.InstrumentID }}
}

// DividendHistory answers the relations of a dividend history.
func (r *Root) DividendHistory() graph.DividendHistoryResolver {
	return naming[fundamentals.DividendHistory]{r.services,
		func(h *fundamentals.DividendHistory) market.ID { return h.InstrumentID }}
}

// Periodic answers the relations of the windows of an instrument.
func (r *Root) Periodic() graph.PeriodicResolver {
	return naming[analytics.Periodic]{r.services, func(p *analytics.Periodic) market.ID { return value.Or(p.InstrumentID, "") }}
}

// FundProfile answers the relations of a fund.
func (r *Root) FundProfile() graph.FundProfileResolver {
	return naming[funds.Fund]{r.services, func(f *funds.Fund) market.ID { return f.InstrumentID }}
}

// RankedFund answers the relations of a fund in a ranking.
func (r *Root) RankedFund() graph.RankedFundResolver {
	return naming[funds.Ranked]{r.services, func(f *funds.Ranked) market.ID { return f.InstrumentID }}
}

// InvestorFlows answers the relations of the flows of a fund.
func (r *Root) InvestorFlows() graph.InvestorFlowsResolver {
	return naming[funds.Flows]{r.services, func(f *funds.Flows) market.ID { return f.InstrumentID }}
}

// FundHolding answers the relations of a fund's holding of an instrument.
func (r *Root) FundHolding() graph.FundHoldingResolver {
	return naming[funds.Holder]{r.services, func(h *funds.Holder) market.ID { return h.FundID }}
}

// FundHolders answers the relations of the holders of an instrument.
func (r *Root) FundHolders() graph.FundHoldersResolver {
	return naming[funds.Holders]{r.services, func(h *funds.Holders) market.ID { return h.InstrumentID }}
}

// FundPosition answers the relations of a position of a fund.
func (r *Root) FundPosition() graph.FundPositionResolver {
	return naming[funds.Position]{r.services, func(p *funds.Position) market.ID { return value.Or(p.InstrumentID, "") }}
}

// FundHoldings answers the relations of the portfolio report of a fund.
func (r *Root) FundHoldings() graph.FundHoldingsResolver {
	return naming[funds.Portfolio]{r.services, func(p *funds.Portfolio) market.ID { return p.FundID }}
}

// Ipo answers the relations of an IPO.
func (r *Root) Ipo() graph.IpoResolver {
	return naming[ipo.Ipo]{r.services, func(i *ipo.Ipo) market.ID { return value.Or(i.InstrumentID, "") }}
}

// IpoDetail answers the relations of an IPO with its details.
func (r *Root) IpoDetail() graph.IpoDetailResolver {
	return naming[ipo.Detail]{r.services, func(d *ipo.Detail) market.ID { return value.Or(d.InstrumentID, "") }}
}
