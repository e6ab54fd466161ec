package funds

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Holding is a fund's position in an instrument at the end of a month.
type Holding struct {
	FundCode     string        `json:"fund_code" record:"required"`
	InstrumentID market.ID     `json:"instrument_id" record:"required"`
	ReportMonth  value.Month   `json:"report_month" record:"required" time:"past"`
	WeightPct    value.Decimal `json:"weight_pct"`   // of the portfolio
	MarketValue  value.Decimal `json:"market_value"` // in lira
}

// Holders are the funds that hold an instrument, by their newest reports.
type Holders struct {
	InstrumentID market.ID     `json:"instrument_id"`
	Holders      []*Holder     `json:"holders"` // the largest market value first
	Count        int           `json:"count"`
	AsOf         value.Instant `json:"as_of"` // null, since reports state only a month

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Holder is a fund that holds an instrument.
type Holder struct {
	FundID      market.ID     `json:"fund_id"`
	FundCode    string        `json:"fund_code"`
	Name        string        `json:"name"`
	WeightPct   value.Decimal `json:"weight_pct"`
	MarketValue value.Decimal `json:"market_value"`
	ReportMonth value.Month   `json:"report_month"`
}

// Holders returns the funds that hold an instrument, named by its own id. Needs quotes:fund.
// Problems: not-found.
func (s *Service) Holders(ctx context.Context, id string) (*Holders, error) {
	if err := access.Enter(ctx, access.QuotesFund); err != nil {
		return nil, err
	}
	in, err := s.Market.Catalog().Resolve(id, market.OwnID)
	if err != nil {
		return nil, err
	}
	all, err := s.holders(ctx, []*market.Instrument{in})
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return &Holders{InstrumentID: in.InstrumentID, Holders: all[0], Count: len(all[0]),
		MissingReason: value.MissingFrom(len(all[0]), false)}, nil
}

// HoldersOf returns the first holders of instruments in their order, read
// together. Needs quotes:fund; each instrument costs one unit.
func (s *Service) HoldersOf(ctx context.Context, instruments []*market.Instrument, first *int) ([][]*Holder, []error) {
	return access.Relation[*market.Instrument, []*Holder]{
		Enter: access.Needs(access.QuotesFund),
		Read: func(instruments []*market.Instrument) ([][]*Holder, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			all, err := s.holders(ctx, instruments)
			for i, holders := range all {
				all[i] = holders[:min(n, len(holders))]
			}
			return all, err
		},
	}.Answer(ctx, instruments)
}

// holders returns the known funds that hold instruments, the largest value
// first.
func (s *Service) holders(ctx context.Context, instruments []*market.Instrument) ([][]*Holder, error) {
	ids := make([]market.ID, len(instruments))
	for i, in := range instruments {
		ids[i] = in.InstrumentID
	}
	stored, err := s.Store.Holders(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make([][]*Holder, len(instruments))
	for i, id := range ids {
		all[i] = []*Holder{}
		for _, h := range stored[id] {
			if f := s.Live.fund(h.FundCode); f != nil && s.listed(f) {
				all[i] = append(all[i], &Holder{f.InstrumentID, f.Code, f.Name, h.WeightPct, h.MarketValue, h.ReportMonth})
			}
		}
		slices.SortFunc(all[i], func(a, b *Holder) int {
			return cmp.Or(-compareStated(a.MarketValue, b.MarketValue), -compareStated(a.WeightPct, b.WeightPct),
				cmp.Compare(a.FundCode, b.FundCode))
		})
	}
	return all, nil
}

// compareStated compares figures, nulls first.
func compareStated(a, b value.Decimal) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return -1
	case b.IsNull():
		return 1
	}
	return a.Cmp(b)
}
