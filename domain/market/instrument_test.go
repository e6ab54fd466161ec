package market_test

import (
	"bytes"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func TestReadAssetType(t *testing.T) {
	for text, ok := range map[string]bool{
		"STOCK": true, "ETF": true, "CRYPTO": true, "FX": true, "INDEX": true, "COMMODITY": true, "FUND": true,
		"stock": false, "": false, "ET": false, " ETF": false, "BOND": false,
	} {
		a, err := value.Word[market.AssetType](text)
		if (err == nil) != ok || ok && string(a) != text {
			t.Errorf("%q is read as %q, %v", text, a, err)
		}
	}
}

func TestWordsInGraphQL(t *testing.T) {
	var asset, clock bytes.Buffer
	market.ETF.MarshalGQL(&asset)
	market.ClockTime("10:00").MarshalGQL(&clock)
	if asset.String() != `"ETF"` || clock.String() != `"10:00"` {
		t.Errorf("%s and %s", &asset, &clock)
	}
	var c market.ClockTime
	if c.UnmarshalGQL("10:00") != nil || c != "10:00" {
		t.Errorf("read as %s", c)
	}
	if new(market.AssetType).UnmarshalGQL("ETF") == nil || c.UnmarshalGQL("9:00") == nil || c.UnmarshalGQL(10) == nil {
		t.Error("a wrong word passed")
	}
}
