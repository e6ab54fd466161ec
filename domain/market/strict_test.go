package market_test

import (
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/problem"
)

func TestInstantIsStrict(t *testing.T) {
	for _, text := range []string{"2026-03-18T1:45:00Z", "2026-03-18T11:45:00,5Z", "2026-03-18T11:45:00.0000000001Z", "2026-03-18T11:45:00.5000000009Z"} {
		if i, err := market.ParseInstant(text); err == nil {
			t.Errorf("%s became %s", text, i)
		}
	}
}

func TestMarketWithoutAColon(t *testing.T) { // ID-05: a missing prefix is 404 with any key
	for _, id := range []string{"bist", "fund"} {
		ctx, _ := with()
		wantProblem(t, quoteOf(id)(ctx, filled()), problem.NotFound)
	}
}

func TestCurrencyDetailIsShort(t *testing.T) {
	var c market.Currency
	checkDetail(t, wantProblem(t, c.UnmarshalText([]byte(strings.Repeat("\x00", 100_000))), problem.UnsupportedCurrency))
}
