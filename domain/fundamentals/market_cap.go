package fundamentals

import (
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// MarketCap is a market capitalisation. Exactly one of Value and NullReason is
// null.
type MarketCap struct {
	Value      value.Decimal `json:"value"`
	Billions   value.Decimal `json:"billions"` // 2 decimals
	Category   *string       `json:"category"` // mega, large, mid, small, micro: only of bist, of shares in lira
	NullReason *string       `json:"null_reason"`

	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" csv:"any"` // the change, if the reason is value.MeaningChanged
}

// The sizes of companies by market capitalisation in lira.
var sizes = []struct {
	from value.Decimal
	name string
}{
	{value.MustDecimal("100000000000"), "mega"},
	{value.MustDecimal("25000000000"), "large"},
	{value.MustDecimal("5000000000"), "mid"},
	{value.MustDecimal("1000000000"), "small"},
	{value.MustDecimal("0"), "micro"},
}

var billion = value.MustDecimal("1000000000")

// newMarketCap presents the distributor's figure in the currency of the shares of in. changed is a
// later change of that currency, or nil.
func newMarketCap(m *Metrics, in *market.Instrument, changed *segment.Change) *MarketCap {
	if reason := unstated(m, func(m *Metrics) value.Decimal { return m.MarketCap }); reason != "" {
		return &MarketCap{NullReason: &reason}
	}
	if changed != nil {
		return &MarketCap{NullReason: new(value.MeaningChanged), MeaningChanged: changed}
	}
	c := &MarketCap{Value: m.MarketCap, Billions: m.MarketCap.Over(billion, 2)}
	if in.Market != market.BIST || in.Currency != "TRY" {
		return c
	}
	for _, size := range sizes {
		if c.Value.Cmp(size.from) >= 0 {
			c.Category = &size.name
			break
		}
	}
	return c
}
