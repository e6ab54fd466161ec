package market

// Observation is a price as a feed saw it: one line of input. The newest
// observation of an instrument is its quote; all of them together are what the
// recorder makes bars of.
type Observation struct {
	InstrumentID     ID      `json:"instrument_id" record:"required"`
	AsOf             Instant `json:"as_of" record:"required" time:"past"` // upstream's clock
	Last             Decimal `json:"last"`                                // null withdraws the quote: no honest value now
	Currency         *string `json:"currency"`
	PrevClose        Decimal `json:"prev_close"`
	Change           Decimal `json:"change"`
	ChangePct        Decimal `json:"change_pct"`
	Open             Decimal `json:"open"`
	High             Decimal `json:"high"`
	Low              Decimal `json:"low"`
	Bid              Decimal `json:"bid"`
	Ask              Decimal `json:"ask"`
	Volume           Decimal `json:"volume"`
	Turnover         Decimal `json:"turnover"`
	LimitUp          Decimal `json:"limit_up"`
	LimitDown        Decimal `json:"limit_down"`
	MarketCap        Decimal `json:"market_cap"`
	DataDelaySeconds *int    `json:"data_delay_seconds"`
}

// prices reports whether o states a price of the instrument in: in its currency.
func (o *Observation) prices(in *Instrument) bool {
	return !o.Last.IsNull() && (o.Currency == nil || *o.Currency == in.Currency)
}

// Withdraws reports whether o takes a price back instead of stating one.
func (o *Observation) Withdraws() bool { return o.Last.IsNull() }

// NeverObserved is what stands for the newest observation of an instrument of
// which none is left: no price, at a moment before all that records can state.
func NeverObserved(id ID) *Observation {
	return &Observation{InstrumentID: id, AsOf: FirstMoment}
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

// Quote is the latest price of an instrument.
type Quote struct {
	InstrumentID     ID      `json:"instrument_id"`
	Symbol           string  `json:"symbol"`
	Ticker           *string `json:"ticker"` // coins only
	Market           Market  `json:"market"`
	Currency         string  `json:"currency"` // of every price and amount below
	Last             Decimal `json:"last"`     // never null
	PrevClose        Decimal `json:"prev_close"`
	Change           Decimal `json:"change"`     // absolute; of a coin over 24 hours
	ChangePct        Decimal `json:"change_pct"` // percent; never converted
	Open             Decimal `json:"open"`       // of the day
	High             Decimal `json:"high"`       // of the day
	Low              Decimal `json:"low"`        // of the day
	Bid              Decimal `json:"bid"`
	Ask              Decimal `json:"ask"`
	Volume           Decimal `json:"volume"`     // lots on bist; never converted
	Turnover         Decimal `json:"turnover"`   // money traded; of a coin over 24 hours
	LimitUp          Decimal `json:"limit_up"`   // bist only
	LimitDown        Decimal `json:"limit_down"` // bist only
	MarketCap        Decimal `json:"market_cap"` // coins only
	AsOf             Instant `json:"as_of"`      // upstream's clock
	DataDelaySeconds int     `json:"data_delay_seconds"`
	FxRate           Decimal `json:"fx_rate,omitzero"`  // source currency to Currency; only when converted
	FxAsOf           Instant `json:"fx_as_of,omitzero"` // observation time of the pair used
}
