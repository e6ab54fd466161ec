package funds

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// HoldingsLimit is the range of the number of positions that one answer shows.
var HoldingsLimit = value.Limit{Min: 1, Max: 1000, Default: 100}

// Portfolio is the holdings of a fund in its newest report.
type Portfolio struct {
	FundID      market.ID       `json:"fund_id"`
	FundCode    string          `json:"fund_code"`
	ReportMonth value.Month     `json:"report_month"` // null without a report
	Currency    string          `json:"currency"`     // TRY
	Summary     *PortfolioTotal `json:"summary"`
	Holdings    []*Position     `json:"holdings"` // the largest market value first
	Count       int             `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty
}

// Position is what a fund held of an instrument.
type Position struct {
	InstrumentID *market.ID    `json:"instrument_id"` // nil if its id now belongs to another instrument
	Name         *string       `json:"name"`          // nil unless the catalog has it
	WeightPct    value.Decimal `json:"weight_pct"`
	MarketValue  value.Decimal `json:"market_value"`
	ReportMonth  value.Month   `json:"report_month"`
}

// PortfolioTotal holds the sums of a whole report. A sum is null if a position does not state
// its part, or if there are no positions.
type PortfolioTotal struct {
	Positions   int           `json:"positions"`
	MarketValue value.Decimal `json:"market_value"`
	WeightPct   value.Decimal `json:"weight_pct"`
	RestPct     value.Decimal `json:"rest_pct"`    // 100 less WeightPct; negative if that is above 100
	NullReason  *string       `json:"null_reason"` // not_provided_by_source
}

// Holdings returns the holdings of a fund by its code, bare or after fund:. Needs quotes:fund.
// Problems: invalid-parameter, not-found.
func (s *Service) Holdings(ctx context.Context, code string, limit *int) (*Portfolio, error) {
	if err := access.Enter(ctx, access.QuotesFund); err != nil {
		return nil, err
	}
	n, err := HoldingsLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	f, err := s.fund(code)
	if err != nil {
		return nil, err
	}
	all, err := s.positions(ctx, []string{f.Code})
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	held := all[0]
	p := &Portfolio{FundID: f.InstrumentID, FundCode: f.Code, Currency: string(market.TRY), Summary: total(held),
		Holdings: held[:min(n, len(held))], MissingReason: value.MissingFrom(len(held), false)}
	if p.Count = len(p.Holdings); p.Count > 0 {
		p.ReportMonth = held[0].ReportMonth
	}
	return p, nil
}

// HoldingsOf returns the first positions of funds in their order, read together; nil for other
// instruments. Needs quotes:fund; each fund costs one unit.
func (s *Service) HoldingsOf(ctx context.Context, instruments []*market.Instrument, first *int) ([][]*Position, []error) {
	return access.Relation[*market.Instrument, []*Position]{
		Enter:  access.Needs(access.QuotesFund),
		Covers: market.RelationHoldings.Covers,
		Read: func(instruments []*market.Instrument) ([][]*Position, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			codes := make([]string, len(instruments))
			for i, in := range instruments {
				codes[i] = in.Symbol
			}
			all, err := s.positions(ctx, codes)
			for i, held := range all {
				all[i] = held[:min(n, len(held))]
			}
			return all, err
		},
	}.Answer(ctx, instruments)
}

// positions returns the holdings of funds, the largest value first.
func (s *Service) positions(ctx context.Context, codes []string) ([][]*Position, error) {
	stored, err := s.Store.Holdings(ctx, codes)
	if err != nil {
		return nil, err
	}
	all := make([][]*Position, len(codes))
	for i, code := range codes {
		held := stored[code]
		slices.SortFunc(held, func(a, b *Holding) int {
			return cmp.Or(-compareStated(a.MarketValue, b.MarketValue), -compareStated(a.WeightPct, b.WeightPct),
				cmp.Compare(a.InstrumentID, b.InstrumentID))
		})
		all[i] = make([]*Position, len(held))
		for n, h := range held {
			all[i][n] = s.position(h)
		}
	}
	return all, nil
}

// position returns a holding as answers show it.
func (s *Service) position(h *Holding) *Position {
	p := &Position{WeightPct: h.WeightPct, MarketValue: h.MarketValue, ReportMonth: h.ReportMonth}
	if h.InstrumentID.IsFormer() {
		return p
	}
	p.InstrumentID = &h.InstrumentID
	if in := s.Market.ByID(h.InstrumentID); in != nil {
		p.Name = &in.Name
	}
	return p
}

// total sums the positions of a report. It does not guess missing parts.
func total(held []*Position) *PortfolioTotal {
	t := &PortfolioTotal{Positions: len(held)}
	sum := func(of func(*Position) value.Decimal) value.Decimal {
		total := value.MustDecimal("0")
		for _, p := range held {
			if of(p).IsNull() {
				return value.Decimal{}
			}
			total = total.Plus(of(p))
		}
		return total
	}
	if len(held) > 0 {
		t.MarketValue = sum(func(p *Position) value.Decimal { return p.MarketValue })
		t.WeightPct = sum(func(p *Position) value.Decimal { return p.WeightPct })
	}
	if !t.WeightPct.IsNull() {
		t.RestPct = value.MustDecimal("100").Minus(t.WeightPct)
	}
	if t.MarketValue.IsNull() || t.WeightPct.IsNull() {
		t.NullReason = new(value.NotProvidedBySource)
	}
	return t
}
