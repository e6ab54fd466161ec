package market_test

import (
	"bytes"
	"testing"

	"piyasa/domain/market"
)

// Constants that are none do not start.
func TestMust(t *testing.T) {
	for name, must := range map[string]func(){
		"a decimal": func() { market.MustDecimal("1e3") },
		"a date":    func() { market.MustDate("2026-02-30") },
		"a moment":  func() { market.MustInstant("2026-03-18") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			must()
		}()
	}
}

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
