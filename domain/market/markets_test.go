package market_test

import (
	"bytes"
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/problem"
)

func TestWordsInGraphQL(t *testing.T) {
	var asset, clock bytes.Buffer
	market.ETF.MarshalGQL(&asset)
	market.ClockTime("10:00").MarshalGQL(&clock)
	if asset.String() != `"ETF"` || clock.String() != `"10:00"` {
		t.Errorf("%s and %s", &asset, &clock)
	}
	var a market.AssetType
	var c market.ClockTime
	if a.UnmarshalGQL("ETF") != nil || a != market.ETF || c.UnmarshalGQL("10:00") != nil || c != "10:00" {
		t.Errorf("read as %s and %s", a, c)
	}
	if a.UnmarshalGQL("etf") == nil || a.UnmarshalGQL(1) == nil || c.UnmarshalGQL("9:00") == nil || c.UnmarshalGQL(10) == nil {
		t.Error("a wrong word passed")
	}
}

func TestCurrencyDetailIsShort(t *testing.T) {
	var c market.Currency
	checkDetail(t, wantProblem(t, c.UnmarshalText([]byte(strings.Repeat("\x00", 100_000))), problem.UnsupportedCurrency))
}
