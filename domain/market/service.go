package market

import (
	"context"
	"slices"
	"time"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
)

// Service answers every question about instruments, quotes, movers and the
// market's state from memory, and about history from History. Each method checks the scope of the caller,
// then its arguments, then what there is; it returns a *problem.Error.
type Service struct {
	Live     *Live
	History  History
	Logos    LogoStore
	Now      value.Clock
	FXMaxAge time.Duration // a rate observed longer ago is missing
}

// quotesScopes are the scopes that the prices of ids need, each once. Ids of
// no known market need none: they are not found later.
func quotesScopes(ids ...string) []access.Scope {
	var needs []access.Scope
	for _, id := range ids {
		if m, _, ok := splitID(id); ok && !slices.Contains(needs, m.QuotesScope()) {
			needs = append(needs, m.QuotesScope())
		}
	}
	return needs
}

// Quote is the latest quote of one instrument, in currency if one is given.
// Needs the quotes scope of the id's market. Problems: not-found (unknown, or
// no price now), ambiguous-ticker, unsupported-currency, fx-rate-unavailable.
func (s *Service) Quote(ctx context.Context, id string, currency *Currency) (*Quote, error) {
	if err := access.Enter(ctx, quotesScopes(id)...); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	in, err := snapshot.Catalog.Resolve(id, AnyForm)
	if err != nil {
		return nil, err
	}
	q, reason, err := s.quoteOf(snapshot, in, currency)
	if err != nil {
		return nil, err
	}
	if q == nil {
		return nil, problem.New(problem.NotFound, "%s: %s.", in.InstrumentID, unpriced[reason])
	}
	access.Charge(ctx, access.Unit)
	return q, nil
}

// Latest is the quote of the instrument with this canonical id; nil when there
// is none, with the reason, as a batch gives it, and since when by upstream's
// clock, null when no price has ever been observed. It is for streams, which
// have checked the scope.
func (s *Service) Latest(id ID) (q *Quote, reason string, since value.Instant) {
	snapshot := s.Live.Snapshot()
	in := snapshot.Catalog.byID[id]
	if in == nil {
		return nil, UnknownID, value.Instant{}
	}
	q, reason, _ = s.quoteOf(snapshot, in, nil)
	if o := snapshot.quotes[id]; q == nil && o != nil {
		since = o.AsOf
	}
	return q, reason, since
}

// Reasons for an id to be missing from a batch.
const (
	UnknownID     = "unknown_id"
	NoHonestValue = "no_honest_value"
	NotPriced     = "not_priced"
)

// unpriced says in words why an instrument has no quote.
var unpriced = map[string]string{
	NoHonestValue: "the source has no valid price now; the quote returns when it publishes one",
	NotPriced:     "no price has been observed",
}

// priced is the instrument's quote in currency; nil, with the reason, when
// there is none.
func (s *Service) quoteOf(snapshot *Snapshot, in *Instrument, currency *Currency) (q *Quote, reason string, err error) {
	o := snapshot.quotes[in.InstrumentID]
	switch {
	case o == nil && in.Market != Cmdty:
		return nil, NotPriced, nil
	case o == nil || !o.prices(in):
		return nil, NoHonestValue, nil
	}
	q = newQuote(in, o)
	if !converts(in.Market, q.Currency, currency) {
		return q, "", nil
	}
	rate, err := snapshot.spot(q.Currency, *currency, s.Now(), s.FXMaxAge)
	if err != nil {
		return nil, "", err
	}
	return q.converted(*currency, rate), "", nil
}

// QuoteBatch answers several ids at once.
type QuoteBatch struct {
	Quotes   []*Quote
	Count    int
	NotFound []value.NotFound
}

// Quotes answers 1 to 100 ids in the order of the request, each instrument
// once. Needs the quotes scope of every id's market. A shared ticker or a
// missing rate refuses the whole batch; unknown ids are reported.
func (s *Service) Quotes(ctx context.Context, ids []string, currency *Currency) (*QuoteBatch, error) {
	if err := access.Enter(ctx, quotesScopes(ids...)...); err != nil {
		return nil, err
	}
	if err := checkIDs(ids, MaxIDs); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	found, err := resolveOnce(snapshot.Catalog, ids)
	if err != nil {
		return nil, err
	}
	batch := &QuoteBatch{Quotes: []*Quote{}, NotFound: []value.NotFound{}}
	for _, f := range found {
		if f.in == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: f.id, Reason: UnknownID})
			continue
		}
		q, reason, err := s.quoteOf(snapshot, f.in, currency)
		if err != nil {
			return nil, err
		}
		if q == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: f.id, Reason: reason})
			continue
		}
		batch.Quotes = append(batch.Quotes, q)
	}
	batch.Count = len(batch.Quotes)
	access.Charge(ctx, access.Unit)
	return batch, nil
}

// QuotesOf returns the quotes of instruments in their order, all from one moment:
// nil where there is no price, an error where the key lacks the scope or a
// rate is missing. Each quote costs one unit.
func (s *Service) QuotesOf(ctx context.Context, instruments []*Instrument, currency *Currency) ([]*Quote, []error) {
	snapshot := s.Live.Snapshot()
	return access.Relation[*Instrument, *Quote]{
		EnterOf: func(ctx context.Context, in *Instrument) error { return access.Enter(ctx, in.Market.QuotesScope()) },
		ReadEach: func(instruments []*Instrument) ([]*Quote, []error) {
			quotes, errs := make([]*Quote, len(instruments)), make([]error, len(instruments))
			for i, in := range instruments {
				quotes[i], _, errs[i] = s.quoteOf(snapshot, in, currency)
			}
			return quotes, errs
		},
	}.Answer(ctx, instruments)
}

// InstrumentList is a part of the catalog.
type InstrumentList struct {
	Instruments []*Instrument
	Count       int
	MarketSizes []MarketSize // of the whole catalog, whatever the filter
}

// Instruments lists the catalog by market name and symbol; limit is within
// InstrumentLimit. Any key.
func (s *Service) Instruments(ctx context.Context, filter InstrumentFilter, limit *int) (*InstrumentList, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	n, err := InstrumentLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	catalog := s.Live.Snapshot().Catalog
	found := catalog.list(filter, n)
	access.Charge(ctx, access.Unit)
	return &InstrumentList{found, len(found), catalog.sizes}, nil
}

// Instrument is one catalog record. Any key. Problems: not-found,
// ambiguous-ticker.
func (s *Service) Instrument(ctx context.Context, id string) (*Instrument, error) {
	return s.resolved(ctx, id, AnyForm)
}

// Watchlist is the catalog records of 1 to 100 ids in their order, nil for the
// unknown. Any key. Problems: ambiguous-ticker.
func (s *Service) Watchlist(ctx context.Context, ids []string) ([]*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	if err := checkIDs(ids, MaxIDs); err != nil {
		return nil, err
	}
	found, err := resolveAll(s.Live.Snapshot().Catalog, ids)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return found, nil
}

// Catalog is the catalog as it is now.
func (s *Service) Catalog() *Catalog { return s.Live.Snapshot().Catalog }

// Spots is the way into a currency at the current rates; nil converts nothing.
func (s *Service) Converter(to *Currency) *Converter {
	return &Converter{to, s.Live.Snapshot(), s, map[string]spot{}}
}

// IsTradingDay reports whether the Istanbul exchange trades on a day.
func (s *Service) IsTradingDay(d value.Date) bool {
	return bistHours(s.Live.Snapshot().exceptions, d).trades()
}

// PricedAt is when the last price of an instrument was observed; null when it
// has none.
func (s *Service) PricedAt(id ID) value.Instant {
	if o := s.Live.Snapshot().quotes[id]; o != nil && !o.Last.IsNull() {
		return o.AsOf
	}
	return value.Instant{}
}

// ByID is the catalog record with this canonical id, or nil. It is an edge of
// records that name an instrument: no scope, no cost.
func (s *Service) ByID(id ID) *Instrument { return s.Live.Snapshot().Catalog.byID[id] }

// ParsedID says which record a client's text denotes.
type ParsedID struct {
	Input        string    `json:"input"`
	InstrumentID ID        `json:"instrument_id"`
	Market       Market    `json:"market"`
	Symbol       string    `json:"symbol"`
	Ticker       *string   `json:"ticker"` // coins only
	AssetType    AssetType `json:"asset_type"`
}

// ParseID resolves text without ETF aliases. Any key. Problems: not-found,
// ambiguous-ticker.
func (s *Service) ParseID(ctx context.Context, text string) (*ParsedID, error) {
	in, err := s.resolved(ctx, text, CanonicalForm)
	if err != nil {
		return nil, err
	}
	return &ParsedID{text, in.InstrumentID, in.Market, in.Symbol, in.Ticker, in.AssetType}, nil
}

func (s *Service) resolved(ctx context.Context, id string, spelling Form) (*Instrument, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	in, err := s.Live.Snapshot().Catalog.Resolve(id, spelling)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return in, nil
}

// Status says whether the Istanbul exchange trades now. Any key.
func (s *Service) Status(ctx context.Context) (*MarketStatus, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return bistStatus(s.Live.Snapshot().exceptions, s.Now()), nil
}

// Movers ranks the Istanbul exchange's trading day; limit is within
// MoverLimit. Needs quotes:bist. Problems: invalid-parameter,
// unsupported-currency, fx-rate-unavailable.
func (s *Service) Movers(ctx context.Context, limit *int, currency *Currency) (*Movers, error) {
	if err := access.Enter(ctx, BIST.QuotesScope()); err != nil {
		return nil, err
	}
	n, err := MoverLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	snapshot, now := s.Live.Snapshot(), s.Now()
	m := snapshot.movers(now, n)
	if converts(BIST, m.Currency, currency) {
		rate, err := snapshot.spot(m.Currency, *currency, now, s.FXMaxAge)
		if err != nil {
			return nil, err
		}
		m.convert(*currency, rate)
	}
	access.Charge(ctx, access.Unit)
	return m, nil
}
