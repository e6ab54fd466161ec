package market

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Movers ranks the quotes of the Istanbul exchange's trading day.
type Movers struct {
	Market     Market        `json:"market"`
	Currency   string        `json:"currency"`
	AsOf       value.Instant `json:"as_of"`       // newest observation that took part; null if none did
	Gainers    []*Mover      `json:"gainers"`     // change above zero, largest first
	Losers     []*Mover      `json:"losers"`      // change below zero, largest loss first
	MostTraded []*Mover      `json:"most_traded"` // largest turnover first
	Count      int           `json:"count"`       // quotes that took part: those of the day with a change or a turnover
	FxRate     value.Decimal `json:"fx_rate,omitzero"`
	FxAsOf     value.Instant `json:"fx_as_of,omitzero"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Mover is one row of a ranking.
type Mover struct {
	Rank         int           `json:"rank"` // from 1
	InstrumentID ID            `json:"instrument_id"`
	Symbol       string        `json:"symbol"`
	Name         string        `json:"name"`
	Last         value.Decimal `json:"last"`
	Change       value.Decimal `json:"change"`
	ChangePct    value.Decimal `json:"change_pct"`
	Volume       value.Decimal `json:"volume"`
	Turnover     value.Decimal `json:"turnover"`
	AsOf         value.Instant `json:"as_of"`
}

// MoverLimit is the range of each ranking of movers.
var MoverLimit = value.Limit{Min: 1, Max: 100, Default: 20}

// Movers ranks the Istanbul exchange's trading day; limit is within MoverLimit.
// Needs quotes:bist. Problems: invalid-parameter, unsupported-currency,
// fx-rate-unavailable.
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
		rate, err := snapshot.currentRate(m.Currency, *currency, now, s.FXMaxAge)
		if err != nil {
			return nil, err
		}
		m.convert(*currency, rate)
	}
	access.Charge(ctx, access.Unit)
	return m, nil
}

// candidate is a quote that may be ranked.
type candidate struct {
	in *Instrument
	*Quote
}

// movers ranks the quotes of the current trading day by their unconverted
// figures. Equal figures are ordered by symbol.
func (s *Snapshot) movers(now value.Instant, limit int) *Movers {
	day := currentBistDay(s.exceptions[BIST], now)
	m := &Movers{Market: BIST, Currency: string(TRY)}
	var all []candidate
	bare := false // a quote of the day has neither change nor turnover
	for _, in := range s.Catalog.sorted {
		o := s.quotes[in.InstrumentID]
		if in.Market != BIST || o == nil || !s.isPriceOf(in.Instrument, o) || value.TurkeyDay(o.AsOf) != day {
			continue
		}
		q := newQuote(in.Instrument, o, s.limits)
		if q.Currency != m.Currency {
			continue
		}
		if q.ChangePct.IsNull() && q.Turnover.IsNull() {
			bare = true
			continue
		}
		all = append(all, candidate{in.Instrument, q})
		if o.AsOf.After(m.AsOf) {
			m.AsOf = o.AsOf
		}
	}
	m.Count = len(all)
	if m.MissingReason = value.MissingFrom(m.Count, false); m.Count == 0 && bare {
		m.MissingReason = value.Missing(value.NotStated)
	}
	change := func(q *Quote) value.Decimal { return q.ChangePct }
	turnover := func(q *Quote) value.Decimal { return q.Turnover }
	m.Gainers = rank(all, limit, change, func(d value.Decimal) bool { return d.Sign() > 0 }, -1)
	m.Losers = rank(all, limit, change, func(d value.Decimal) bool { return d.Sign() < 0 }, 1)
	m.MostTraded = rank(all, limit, turnover, func(value.Decimal) bool { return true }, -1)
	return m
}

// rank orders the rows that state a wanted figure. sign -1 puts the largest first.
func rank(all []candidate, limit int, figure func(*Quote) value.Decimal, wanted func(value.Decimal) bool, sign int) []*Mover {
	type ranked struct {
		candidate
		by decimal.Decimal
	}
	var rows []ranked
	for _, c := range all {
		if d := figure(c.Quote); !d.IsNull() && wanted(d) {
			rows = append(rows, ranked{c, d.Number()})
		}
	}
	slices.SortFunc(rows, func(a, b ranked) int {
		return cmp.Or(sign*a.by.Cmp(b.by), cmp.Compare(a.Symbol, b.Symbol))
	})
	movers := []*Mover{}
	for i, c := range rows[:min(limit, len(rows))] {
		movers = append(movers, &Mover{
			Rank: i + 1, InstrumentID: c.InstrumentID, Symbol: c.Symbol, Name: c.in.Name, Last: c.Last,
			Change: c.Change, ChangePct: c.ChangePct, Volume: c.Volume, Turnover: c.Turnover, AsOf: c.AsOf,
		})
	}
	return movers
}

// convert converts the money of every row at a rate.
func (m *Movers) convert(target Currency, r Rate) {
	for _, list := range [][]*Mover{m.Gainers, m.Losers, m.MostTraded} {
		for _, row := range list {
			row.Last, row.Change, row.Turnover = r.Price(row.Last), r.Price(row.Change), r.Amount(row.Turnover)
		}
	}
	m.Currency, m.FxRate, m.FxAsOf = string(target), r.Factor, r.AsOf
}
