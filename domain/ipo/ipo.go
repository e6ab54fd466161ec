// Package ipo serves the IPOs of the Istanbul exchange, before, during
// and after.
package ipo

import (
	"maps"
	"slices"
	"sync/atomic"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/value"
)

// State is the state of an IPO on a day.
type State string

// The states, judged on the Turkey-time day. All stands for any of them in a
// filter.
const (
	Upcoming  State = "upcoming"  // book-building has not started
	Active    State = "active"    // book-building has started; the share does not trade yet
	Completed State = "completed" // the share trades
	All       State = "all"
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (s *State) UnmarshalText(text []byte) error {
	return value.OneOf(s, text, Upcoming, Active, Completed, All)
}

// Facts are what is known of an offering, apart from its documents.
type Facts struct {
	ID                 string        `json:"id" record:"required"` // of the source
	Company            string        `json:"company" record:"required"`
	Symbol             *string       `json:"symbol"`
	InstrumentID       market.ID     `json:"instrument_id"`
	Price              value.Decimal `json:"price"` // of one share, once it is set
	PriceLow           value.Decimal `json:"price_low"`
	PriceHigh          value.Decimal `json:"price_high"`
	Currency           string        `json:"currency" record:"required"`
	Lots               value.Decimal `json:"lots"`
	OfferSize          value.Decimal `json:"offer_size"` // money
	DemandStart        value.Date    `json:"demand_start" time:"any"`
	DemandEnd          value.Date    `json:"demand_end" time:"any"`
	FirstTradeDate     value.Date    `json:"first_trade_date" time:"any"`
	LeadUnderwriter    *string       `json:"lead_underwriter"`
	AsOf               value.Instant `json:"as_of" time:"past"`
	DistributionMethod *string       `json:"distribution_method"`
	UseOfProceeds      *string       `json:"use_of_proceeds"`
	DiscountPct        value.Decimal `json:"discount_pct"`
	FreeFloatPct       value.Decimal `json:"free_float_pct"`
}

// Record is one line about an offering: the newest replaces the one before.
type Record struct {
	Facts
	Documents []kap.Document `json:"documents"`
}

// Check returns what is wrong with the record as a whole: the member, and what
// is allowed.
func (r *Record) Check() (member, wrong string) {
	if r.ID == "." || r.ID == ".." {
		return "id", "must not be . or ..: no address can end with them"
	}
	if r.DemandEnd.Before(r.DemandStart) && !r.DemandEnd.IsNull() {
		return "demand_end", "must not be before demand_start, " + r.DemandStart.String()
	}
	return "", ""
}

// reached reports whether a day has come.
func reached(d, today value.Date) bool { return !d.IsNull() && !today.Before(d) }

// state is how far the offering has come on a day.
func (r *Record) state(today value.Date, traded bool) State {
	switch {
	case traded, reached(r.FirstTradeDate, today):
		return Completed
	case reached(r.DemandStart, today), reached(r.DemandEnd, today):
		return Active
	}
	return Upcoming
}

// Live holds the offerings, and whether their source is up.
type Live struct {
	records atomic.Pointer[map[string]*Record] // by id
	down    atomic.Bool
	trades  trades
}

// NewLive returns a Live that knows no offering; its source counts as up.
func NewLive() *Live {
	l := &Live{trades: newTrades()}
	l.records.Store(&map[string]*Record{})
	return l
}

// SetRecords is PutRecords of all there are: what else was known is forgotten.
func (l *Live) SetRecords(all []*Record) { l.put(map[string]*Record{}, all) }

// PutRecords adds or replaces offerings. One writer at a time.
func (l *Live) PutRecords(changed []*Record) { l.put(maps.Clone(*l.records.Load()), changed) }

func (l *Live) put(next map[string]*Record, offerings []*Record) {
	for _, r := range offerings {
		next[r.ID] = r
	}
	l.records.Store(&next)
	l.trades.clear()
}

// sourceName is the source whose status matters here.
const sourceName = "ipo"

// PutSources takes in whether sources are up.
func (l *Live) PutSources(changed []*market.SourceStatus) {
	for _, s := range changed {
		if s.Source == sourceName {
			l.down.Store(!s.Up)
		}
	}
}

// record is the offering with an id, or nil.
func (l *Live) record(id string) *Record { return (*l.records.Load())[id] }

// all are the offerings, in no order.
func (l *Live) all() []*Record { return slices.Collect(maps.Values(*l.records.Load())) }
