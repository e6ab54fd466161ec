package ipo

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// Service answers questions about offerings. Each method checks the scope of
// the caller, then its arguments, then what there is; it returns a
// *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
	Links  kap.Links
}

// Ipo is an offering as a list shows it.
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
	FirstTradeDate  value.Date    `json:"first_trade_date"` // of the source; else of the share's first bar after demand was collected
	LeadUnderwriter *string       `json:"lead_underwriter"`
	AsOf            value.Instant `json:"as_of"`
	Note            *string       `json:"note,omitempty"` // what comes from the share, and not from the source
}

// List is offerings by first trade date, the latest first, those without one
// before all.
type List struct {
	Ipos  []*Ipo        `json:"ipos"`
	Count int           `json:"count"`
	Total int           `json:"total"` // that match
	Stale bool          `json:"stale"` // the source is down, and this is the last good copy
	AsOf  value.Instant `json:"as_of"` // of the newest offering that is known
}

// IsStale reports whether the list is the last good copy of a source that is
// down.
func (l *List) IsStale() bool { return l.Stale }

// Filter says which offerings are asked for; what is nil does not matter.
type Filter struct {
	State    *State
	From, To *value.Date // of the first trade date, both included
}

// enter lets keys through that have either scope.
func enter(ctx context.Context) error { return access.EnterAny(ctx, access.QuotesBIST, access.IPORead) }

// Ipos are the offerings that match filter. Needs quotes:bist or ipo:read.
// Problems: inverted-window; source-unavailable when the source is down
// and there is no copy.
func (s *Service) Ipos(ctx context.Context, filter Filter) (*List, error) {
	if err := enter(ctx); err != nil {
		return nil, err
	}
	if err := value.CheckOrder(filter.From, filter.To); err != nil {
		return nil, err
	}
	known, today := s.Live.all(), s.today()
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
	access.Charge(ctx, access.Unit)
	return list, nil
}

// latestFirst orders by first trade date, the latest first and those without one
// before all; equal ones by id.
func latestFirst(a, b *Ipo) int {
	undated := func(i *Ipo) int {
		if i.FirstTradeDate.IsNull() {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(undated(a), undated(b)), -a.FirstTradeDate.Compare(b.FirstTradeDate), cmp.Compare(a.ID, b.ID))
}

func (f Filter) fits(i *Ipo) bool {
	if f.State != nil && *f.State != All && *f.State != i.State {
		return false
	}
	dated := !i.FirstTradeDate.IsNull()
	return (f.From == nil || (dated && !i.FirstTradeDate.Before(*f.From))) && (f.To == nil || (dated && !f.To.Before(i.FirstTradeDate)))
}

// retryAfter is when to ask again for what a source that is down feeds, in
// seconds.
const retryAfter = 60

// available refuses to answer from nothing while the source is down.
func (s *Service) available(known []*Record) error {
	if len(known) == 0 && s.Live.down.Load() {
		e := problem.New(problem.SourceUnavailable, "The source of IPOs is down and no copy is stored; try again later.")
		e.RetryAfter = retryAfter
		return e
	}
	return nil
}

func (s *Service) today() value.Date { return value.TurkeyDay(s.Market.Now()) }

// show presents an offering. Once the share trades, its symbol names it in the
// catalog.
func (s *Service) show(r *Record, today value.Date, d debut) *Ipo {
	i := &Ipo{
		ID: r.ID, Company: r.Company, Symbol: r.Symbol, State: r.state(today, d.traded), Price: r.Price, PriceLow: r.PriceLow, PriceHigh: r.PriceHigh,
		Currency: r.Currency, Lots: r.Lots, OfferSize: r.OfferSize, DemandStart: r.DemandStart, DemandEnd: r.DemandEnd,
		FirstTradeDate: r.FirstTradeDate, LeadUnderwriter: r.LeadUnderwriter, AsOf: r.AsOf, Note: d.note(r),
	}
	if i.FirstTradeDate.IsNull() {
		i.FirstTradeDate = d.day
	}
	if share := s.share(r); share != "" && (r.InstrumentID != "" || i.State == Completed) {
		i.InstrumentID = &share
	}
	return i
}

// Detail is everything about one offering.
type Detail struct {
	Ipo
	DistributionMethod *string           `json:"distribution_method"`
	UseOfProceeds      *string           `json:"use_of_proceeds"`
	DiscountPct        value.Decimal     `json:"discount_pct"`
	FreeFloatPct       value.Decimal     `json:"free_float_pct"`
	Documents          []*kap.Attachment `json:"documents"`
	Stale              bool              `json:"stale"`
}

// IsStale is List.IsStale of a detail.
func (d *Detail) IsStale() bool { return d.Stale }

// Ipo is one offering. Needs quotes:bist or ipo:read. Problems: not-found;
// source-unavailable when the source is down and there is no copy.
func (s *Service) Ipo(ctx context.Context, id string) (*Detail, error) {
	if err := enter(ctx); err != nil {
		return nil, err
	}
	r := s.Live.record(id)
	if r == nil {
		if err := s.available(s.Live.all()); err != nil {
			return nil, err
		}
		return nil, problem.New(problem.NotFound, "There is no IPO %s.", problem.Shown(id))
	}
	today := s.today()
	debuts, err := s.debuts(ctx, []*Record{r}, today)
	if err != nil {
		return nil, err
	}
	d := &Detail{
		Ipo: *s.show(r, today, debuts[r]), DistributionMethod: r.DistributionMethod, UseOfProceeds: r.UseOfProceeds,
		DiscountPct: r.DiscountPct, FreeFloatPct: r.FreeFloatPct, Documents: s.links(r), Stale: s.Live.down.Load(),
	}
	access.Charge(ctx, access.Unit)
	return d, nil
}

// path is where the documents of an offering are.
func (r *Record) path() string { return "/v1/ipo/" + url.PathEscape(r.ID) + "/documents" }

func (s *Service) links(r *Record) []*kap.Attachment {
	return s.Links.To(r.path(), r.Documents)
}

// Document is the document behind a signed link, which is all that it takes:
// there is no key. Problems: not-found.
func (s *Service) Document(id string, n int, expires, signature string) (*kap.Document, error) {
	r := s.Live.record(id)
	if r == nil {
		return nil, problem.New(problem.NotFound, "This link is not valid.")
	}
	if err := s.Links.Check(r.path(), n, expires, signature); err != nil {
		return nil, err
	}
	if n < 1 || n > len(r.Documents) {
		return nil, problem.New(problem.NotFound, "The IPO %s has no document %d.", r.ID, n)
	}
	return &r.Documents[n-1], nil
}
