package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func TestEveryMarketHasItsScope(t *testing.T) {
	for m, scope := range map[market.Market]string{
		market.BIST: "quotes:bist", market.Crypto: "quotes:crypto", market.FX: "fx", market.Index: "quotes:index",
		market.Cmdty: "quotes:cmdty", market.US: "quotes:us", market.Fund: "quotes:fund", "foo": "", "": "", "BIST": "",
	} {
		if got := m.QuotesScope(); string(got) != scope {
			t.Errorf("%q needs %q, want %q", m, got, scope)
		}
		if read, err := value.Word[market.Market](string(m)); (err == nil) != (scope != "") || scope != "" && read != m {
			t.Errorf("%q is read as %q, %v", m, read, err)
		}
	}
}
