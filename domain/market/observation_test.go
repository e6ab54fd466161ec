package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func TestSameObservation(t *testing.T) {
	base := func() *market.Observation {
		o := full("crypto:1")
		o.Currency, o.DataDelaySeconds = new("USD"), new(0)
		return o
	}
	if !base().Same(base()) {
		t.Error("equal observations differ")
	}
	for name, change := range map[string]func(*market.Observation){
		"a digit":               func(o *market.Observation) { o.Last = dec("10.1") },
		"the moment":            func(o *market.Observation) { o.AsOf = o.AsOf.Add(1e6) },
		"the id":                func(o *market.Observation) { o.InstrumentID = "crypto:2" },
		"a null":                func(o *market.Observation) { o.MarketCap = value.Decimal{} },
		"another currency":      func(o *market.Observation) { o.Currency = new("TRY") },
		"no currency":           func(o *market.Observation) { o.Currency = nil },
		"another delay":         func(o *market.Observation) { o.DataDelaySeconds = new(1) },
		"no delay":              func(o *market.Observation) { o.DataDelaySeconds = nil },
		"a withdrawal of price": func(o *market.Observation) { o.Last = value.Decimal{} },
	} {
		o := base()
		change(o)
		if o.Same(base()) || base().Same(o) {
			t.Errorf("%s makes no difference", name)
		}
	}
}
