package ipo

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Ipo is an IPO as a list shows it.
type Ipo struct {
	ID              string        `json:"id"`
	Company         string        `json:"company"`
	Symbol          *string       `json:"symbol"`
	InstrumentID    *market.ID    `json:"instrument_id"` // null until the share trades
	State           State         `json:"state"`
	Price           value.Decimal `json:"price"`
	PriceLow        value.Decimal `json:"price_low"`
	PriceHigh       value.Decimal `json:"price_high"`
	Currency        string        `json:"currency"`
	Lots            value.Decimal `json:"lots"`
	OfferSize       value.Decimal `json:"offer_size"`
	DemandStart     value.Date    `json:"demand_start"`
	DemandEnd       value.Date    `json:"demand_end"`
	FirstTradeDate  value.Date    `json:"first_trade_date"` // of the source; else the day of the share's first bar after book-building
	LeadUnderwriter *string       `json:"lead_underwriter"`
	AsOf            value.Instant `json:"as_of"`
	Note            *string       `json:"note,omitempty"` // what comes from the share instead of the source
}

// List holds IPOs by first trade date, the latest first; those without one come before all
// others.
type List struct {
	Ipos  []*Ipo        `json:"ipos"`
	Count int           `json:"count"`
	Total int           `json:"total"` // number of matches
	Stale bool          `json:"stale"` // the source is down, and this is the last good copy
	AsOf  value.Instant `json:"as_of"` // of the newest known IPO

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// IsStale reports whether the list is the last good copy of a source that is
// down.
func (l *List) IsStale() bool { return l.Stale }

// Filter selects IPOs; nil members do not restrict.
type Filter struct {
	State    *State
	From, To *value.Date // of the first trade date, both included
}

// Ipos returns the IPOs that match filter. Needs quotes:bist or ipo:read. Problems:
// inverted-window; source-unavailable if the source is down and there is no copy.
func (s *Service) Ipos(ctx context.Context, filter Filter) (*List, error) {
	if err := enter(ctx); err != nil {
		return nil, err
	}
	if err := value.CheckOrder(filter.From, filter.To); err != nil {
		return nil, err
	}
	known, today := s.Live.all(), s.Market.Today()
	if err := s.available(known); err != nil {
		return nil, err
	}
	debuts, err := s.debuts(ctx, known, today)
	if err != nil {
		return nil, err
	}
	list := &List{Ipos: []*Ipo{}, Stale: s.Live.down.Load()}
	for _, r := range known {
		if r.AsOf.After(list.AsOf) {
			list.AsOf = r.AsOf
		}
		if i := s.show(r, today, debuts[r]); filter.fits(i) {
			list.Ipos = append(list.Ipos, i)
		}
	}
	slices.SortFunc(list.Ipos, latestFirst)
	list.Count, list.Total = len(list.Ipos), len(list.Ipos)
	list.MissingReason = value.MissingFrom(list.Count, len(known) > 0)
	access.Charge(ctx, access.Unit)
	return list, nil
}

// latestFirst orders by first trade date, the latest first and IPOs without one before all
// others; equal ones by id.
func latestFirst(a, b *Ipo) int {
	undated := func(i *Ipo) int {
		if i.FirstTradeDate.IsNull() {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(undated(a), undated(b)), -a.FirstTradeDate.Compare(b.FirstTradeDate), cmp.Compare(a.ID, b.ID))
}

// fits reports whether an IPO passes the filter.
func (f Filter) fits(i *Ipo) bool {
	if f.State != nil && *f.State != All && *f.State != i.State {
		return false
	}
	dated := !i.FirstTradeDate.IsNull()
	return (f.From == nil || (dated && !i.FirstTradeDate.Before(*f.From))) && (f.To == nil || (dated && !f.To.Before(i.FirstTradeDate)))
}

// show returns an IPO as answers show it. Once the share trades, it has the share's id in the
// catalog.
func (s *Service) show(r *Record, today value.Date, d debut) *Ipo {
	i := &Ipo{
		ID: r.ID, Company: r.Company, Symbol: r.Symbol, State: r.state(today, d.traded), Price: r.Price, PriceLow: r.PriceLow,
		PriceHigh: r.PriceHigh,
		Currency:  r.Currency, Lots: r.Lots, OfferSize: r.OfferSize, DemandStart: r.DemandStart, DemandEnd: r.DemandEnd,
		FirstTradeDate: r.FirstTradeDate, LeadUnderwriter: r.LeadUnderwriter, AsOf: r.AsOf, Note: d.note(r),
	}
	if i.FirstTradeDate.IsNull() {
		i.FirstTradeDate = d.day
	}
	if share := s.share(r); share != "" && !share.IsFormer() && (r.InstrumentID != "" || i.State == Completed) {
		i.InstrumentID = &share
	}
	return i
}
