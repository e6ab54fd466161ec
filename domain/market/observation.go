package market

import (
	"cmp"
	"time"

	"piyasa/internal/value"
)

// Observation is a price as a source observed it: one line of input. The newest observation of
// an instrument is its quote; the recorder makes bars from all of them.
type Observation struct {
	InstrumentID     ID            `json:"instrument_id" record:"required"`
	AsOf             value.Instant `json:"as_of" record:"required" time:"past"` // upstream's clock
	Last             value.Decimal `json:"last"`                                // null withdraws the quote: there is no valid value now
	Currency         *string       `json:"currency"`
	PrevClose        value.Decimal `json:"prev_close"`
	Change           value.Decimal `json:"change"`
	ChangePct        value.Decimal `json:"change_pct"`
	Open             value.Decimal `json:"open"`
	High             value.Decimal `json:"high"`
	Low              value.Decimal `json:"low"`
	Bid              value.Decimal `json:"bid"`
	Ask              value.Decimal `json:"ask"`
	Volume           value.Decimal `json:"volume"`
	Turnover         value.Decimal `json:"turnover"`
	LimitUp          value.Decimal `json:"limit_up"`
	LimitDown        value.Decimal `json:"limit_down"`
	MarketCap        value.Decimal `json:"market_cap"`
	DataDelaySeconds *int          `json:"data_delay_seconds"`
	// until when the source is not due to publish; the rate counts as current until then
	CurrentUntil value.Instant `json:"current_until" time:"any"`
}

// MostCurrent is how long after as_of current_until may be: longer than any holidays.
const MostCurrent = 14 * 24 * time.Hour

// Validate returns the value.Invalid of the observation, if any.
func (o *Observation) Validate() error {
	if err := value.CheckMoment("as_of", o.AsOf); err != nil {
		return err
	}
	if o.DataDelaySeconds != nil && *o.DataDelaySeconds < 0 {
		return value.Invalidf("data_delay_seconds", "must be 0 or more seconds; got %d", *o.DataDelaySeconds)
	}
	if !o.CurrentUntil.IsZero() {
		if longest := o.AsOf.Add(MostCurrent); o.CurrentUntil.Before(o.AsOf) || o.CurrentUntil.After(longest) {
			return value.Invalidf("current_until", "must be from as_of to %d days later; got %s",
				int(MostCurrent.Hours()/24), o.CurrentUntil)
		}
	}
	if o.Currency != nil {
		if err := checkCurrency(o.InstrumentID, *o.Currency); err != nil {
			return err
		}
	}
	m := o.InstrumentID.Market()
	return cmp.Or(
		m.checkPrice(stated{"last", o.Last}),
		m.checkOthers(stated{"prev_close", o.PrevClose}, stated{"open", o.Open}, stated{"high", o.High}, stated{"low", o.Low},
			stated{"bid", o.Bid}, stated{"ask", o.Ask}, stated{"limit_up", o.LimitUp}, stated{"limit_down", o.LimitDown}),
		checkNotNegative(stated{"volume", o.Volume}, stated{"turnover", o.Turnover}, stated{"market_cap", o.MarketCap}))
}

// isPriceOf reports whether o states a price of the instrument in its currency.
func (o *Observation) isPriceOf(in *Instrument) bool {
	return !o.Last.IsNull() && (o.Currency == nil || *o.Currency == in.Currency)
}

// Withdraws reports whether o withdraws the price instead of stating one.
func (o *Observation) Withdraws() bool { return o.Last.IsNull() }

// NeverObserved returns what replaces the newest observation of an instrument when none is
// left: one without a price, at a moment before any that records can state.
func NeverObserved(id ID) *Observation {
	return &Observation{InstrumentID: id, AsOf: value.FirstMoment}
}

// Same reports whether o and p are one observation, digit for digit.
func (o *Observation) Same(p *Observation) bool {
	a, b := *o, *p
	same := samePtr(a.Currency, b.Currency) && samePtr(a.DataDelaySeconds, b.DataDelaySeconds)
	a.Currency, b.Currency, a.DataDelaySeconds, b.DataDelaySeconds = nil, nil, nil, nil
	return same && a == b
}

func samePtr[T comparable](a, b *T) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
