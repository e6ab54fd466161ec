package market_test

import (
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

// CV-15, CV-18: the three targets, matched exactly.
func TestReadCurrency(t *testing.T) {
	for _, text := range []string{"TRY", "USD", "EUR"} {
		var c market.Currency
		if err := c.UnmarshalText([]byte(text)); err != nil || string(c) != text {
			t.Errorf("%s: %q, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "GBP", "usd", "Usd", " USD", "USD ", "USDT", "US", "\xff"} {
		var c market.Currency
		e := calls.WantProblem(t, c.UnmarshalText([]byte(text)), problem.UnsupportedCurrency)
		if e.Kind.Status() != 422 {
			t.Errorf("%q: status %d", text, e.Kind.Status())
		}
		checkDetail(t, e)
	}
}

func TestCurrencyDetailIsShort(t *testing.T) {
	var c market.Currency
	checkDetail(t, calls.WantProblem(t, c.UnmarshalText([]byte(strings.Repeat("\x00", 100_000))), problem.UnsupportedCurrency))
}
