package market

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Quote is the latest price of an instrument, with the figures of its day.
type Quote struct {
	InstrumentID     ID            `json:"instrument_id"`
	Symbol           string        `json:"symbol"`
	Ticker           *string       `json:"ticker"` // coins only
	Market           Market        `json:"market"`
	Currency         string        `json:"currency"` // of every price and amount below
	Last             value.Decimal `json:"last"`     // never null
	PrevClose        value.Decimal `json:"prev_close"`
	Change           value.Decimal `json:"change"`     // absolute; of a coin over 24 hours
	ChangePct        value.Decimal `json:"change_pct"` // percent; never converted
	Open             value.Decimal `json:"open"`       // of the day
	High             value.Decimal `json:"high"`       // of the day
	Low              value.Decimal `json:"low"`        // of the day
	Bid              value.Decimal `json:"bid"`
	Ask              value.Decimal `json:"ask"`
	Volume           value.Decimal `json:"volume"`     // lots on bist; never converted
	Turnover         value.Decimal `json:"turnover"`   // money traded; of a coin over 24 hours
	LimitUp          value.Decimal `json:"limit_up"`   // bist only
	LimitDown        value.Decimal `json:"limit_down"` // bist only
	MarketCap        value.Decimal `json:"market_cap"` // coins only
	AsOf             value.Instant `json:"as_of"`      // upstream's clock
	DataDelaySeconds int           `json:"data_delay_seconds"`
	FxRate           value.Decimal `json:"fx_rate,omitzero"`  // source currency to Currency; only when converted
	FxAsOf           value.Instant `json:"fx_as_of,omitzero"` // observation time of the pair used
}

// Reasons for an instrument to have no quote.
const (
	NoHonestValue = "no_honest_value"
	NotPriced     = "not_priced"
	Outdated      = value.MeaningChanged
)

// whyNoQuote explains the reasons in words.
var whyNoQuote = map[string]string{
	NoHonestValue: "the source has no valid price now; the quote returns when it publishes one",
	NotPriced:     "no price has been observed",
	Outdated:      "the newest price is from before its currency or unit changed; the quote returns with the first price since",
}

// Quote returns the latest quote of one instrument, in currency if one is
// given. Needs the quotes scope of the id's market. Problems: not-found
// (unknown, or no price now), ambiguous-ticker, unsupported-currency,
// fx-rate-unavailable.
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
		return nil, problem.New(problem.NotFound, "%s: %s.", in.InstrumentID, whyNoQuote[reason])
	}
	access.Charge(ctx, access.Unit)
	return q, nil
}

// Latest returns the quote of the instrument with this canonical id. Without a
// quote it returns the reason, as a batch states it, and since when by
// upstream's clock; null when no price has ever been observed. It is for
// streams, which have checked the scope.
func (s *Service) Latest(id ID) (q *Quote, reason string, since value.Instant) {
	snapshot := s.Live.Snapshot()
	in := snapshot.Catalog.byID[id]
	if in == nil {
		return nil, UnknownID, value.Instant{}
	}
	q, reason, _ = s.quoteOf(snapshot, in, nil)
	if o := snapshot.newest(id); q == nil && o != nil {
		since = o.AsOf
	}
	return q, reason, since
}

// PricedAt returns when the last price of an instrument was observed; null when
// it has none.
func (s *Service) PricedAt(id ID) value.Instant {
	if o := s.Live.Snapshot().newest(id); o != nil && !o.Last.IsNull() {
		return o.AsOf
	}
	return value.Instant{}
}

// quoteOf returns the instrument's quote in currency, or nil and the reason.
func (s *Service) quoteOf(snapshot *Snapshot, in *Instrument, currency *Currency) (q *Quote, reason string, err error) {
	o := snapshot.newest(in.InstrumentID)
	switch {
	case o == nil && in.Market != Cmdty:
		return nil, NotPriced, nil
	case o == nil || o.Last.IsNull():
		return nil, NoHonestValue, nil
	case snapshot.outdated(in, o) != nil:
		return nil, Outdated, nil
	case !o.isPriceOf(in):
		return nil, NoHonestValue, nil
	}
	q = newQuote(in, o, snapshot.limits)
	if !converts(in.Market, q.Currency, currency) {
		return q, "", nil
	}
	rate, err := snapshot.currentRate(q.Currency, *currency, s.Now(), s.FXMaxAge)
	if err != nil {
		return nil, "", err
	}
	return q.converted(*currency, rate), "", nil
}

// QuoteBatch is the quotes of several ids.
type QuoteBatch struct {
	Quotes   []*Quote
	Count    int
	NotFound []value.NotFound
}

// Quotes returns the quotes of 1 to 100 ids in the order of the request, each
// instrument once. Needs the quotes scope of every id's market. A shared ticker
// or a missing rate fails the whole batch; unknown ids are reported.
func (s *Service) Quotes(ctx context.Context, ids []string, currency *Currency) (*QuoteBatch, error) {
	if err := access.Enter(ctx, quotesScopes(ids...)...); err != nil {
		return nil, err
	}
	if err := CheckIDs(ids, MaxIDs); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	found, err := snapshot.Catalog.Batch(ids, AnyForm, nil)
	if err != nil {
		return nil, err
	}
	batch := &QuoteBatch{Quotes: []*Quote{}, NotFound: []value.NotFound{}}
	for _, a := range found {
		if a.Instrument == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: a.Reason})
			continue
		}
		q, reason, err := s.quoteOf(snapshot, a.Instrument, currency)
		if err != nil {
			return nil, err
		}
		if q == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: reason})
			continue
		}
		batch.Quotes = append(batch.Quotes, q)
	}
	batch.Count = len(batch.Quotes)
	access.Charge(ctx, access.Unit)
	return batch, nil
}

// QuotesOf returns the quotes of instruments in their order, all as of one
// moment: nil where there is no price, an error where the key lacks the scope
// or a rate is missing. Each quote costs one unit.
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

// quotesScopes returns the scopes that the prices of ids need, each once. Ids
// without a known market need none: they are reported as not found.
func quotesScopes(ids ...string) []access.Scope {
	var needs []access.Scope
	for _, id := range ids {
		if m, _, ok := splitID(id); ok && !slices.Contains(needs, m.QuotesScope()) {
			needs = append(needs, m.QuotesScope())
		}
	}
	return needs
}

// converted returns q converted at a rate. Percentages and counts stay.
func (q *Quote) converted(target Currency, r Rate) *Quote {
	c := *q
	for _, price := range []*value.Decimal{&c.Last, &c.PrevClose, &c.Change, &c.Open, &c.High, &c.Low, &c.Bid, &c.Ask, &c.LimitUp,
		&c.LimitDown} {
		*price = r.Price(*price)
	}
	c.Turnover, c.MarketCap = r.Amount(q.Turnover), r.Amount(q.MarketCap)
	c.Currency, c.FxRate, c.FxAsOf = string(target), r.Factor, r.AsOf
	return &c
}
