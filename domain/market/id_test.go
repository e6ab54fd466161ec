package market_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"piyasa/domain/market"
)

func TestParseID(t *testing.T) {
	for _, c := range []struct {
		text   string
		market market.Market
		symbol string
	}{
		{"bist:DMOST", market.BIST, "DMOST"},
		{"bist:A1CAP.E", market.BIST, "A1CAP.E"},
		{"crypto:1", market.Crypto, "1"},
		{"crypto:999999999", market.Crypto, "999999999"},
		{"fx:USDTRY", market.FX, "USDTRY"},
		{"index:^GSPC", market.Index, "^GSPC"},
		{"cmdty:XAU", market.Cmdty, "XAU"},
		{"us:BRK.B", market.US, "BRK.B"},
		{"us:AT&T", market.US, "AT&T"},
		{"fund:DMF", market.Fund, "DMF"},
		{"us:" + strings.Repeat("A", 40), market.US, strings.Repeat("A", 40)},
	} {
		id, err := market.ParseID(c.text)
		if err != nil || string(id) != c.text || id.Market() != c.market || id.Symbol() != c.symbol || id.String() != c.text {
			t.Errorf("%s: %v, market %s, symbol %s", c.text, err, id.Market(), id.Symbol())
		}
		var gql bytes.Buffer
		id.MarshalGQL(&gql)
		var back [2]market.ID
		if err := back[0].UnmarshalGQL(c.text); err != nil || back[0] != id {
			t.Errorf("%s came back as %s, %v", c.text, back[0], err)
		}
		if err := json.Unmarshal(gql.Bytes(), &back[1]); err != nil || back[1] != id {
			t.Errorf("%s came back as %s, %v", &gql, back[1], err)
		}
	}
}

func TestParseIDRefuses(t *testing.T) {
	for _, text := range []string{
		"", ":", "bist", "bist:", ":DMOST", "DMOST", "BIST:DMOST", "Bist:DMOST", " bist:DMOST", "bist :DMOST", "bist: DMOST", "bist:DMOST ",
		"bist:DMOST\n", "bist:dmost", "bist:DMÖST", "bist:DM OST",
		"bist:A:B", "bist:A/B", `bist:A"B`, "bist:A%3AB", "foo:BAR", "crypto:BTC", "crypto:btc", "crypto:0", "crypto:01", "crypto:-1",
		"crypto:1.5", "crypto:1000000000", "crypto:",
		"fx:USD", "fx:USDTRYX", "fx:usdtry", "fx:USDTR1", "fx:USD-TR", "us:" + strings.Repeat("A", 41), "bist:A\x00B", "bist:\xff",
	} {
		id, err := market.ParseID(text)
		if err == nil || id != "" {
			t.Errorf("%q became %s", text, id)
		}
		if err := id.UnmarshalText([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "must be ") {
			t.Errorf("%q: the reason reads %v", text, err)
		}
	}
	var id market.ID
	if err := id.UnmarshalGQL(1); err == nil {
		t.Error("a number passed in GraphQL")
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"bist:DMOST", "crypto:1", "crypto:01", "fx:USDTRY", "us:BRK.B", "foo:BAR", "bist:", ":", "", "bist:ı"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := market.ParseID(text)
		if err != nil {
			return
		}
		if string(id) != text || string(id.Market())+":"+id.Symbol() != text || id.Market().QuotesScope() == "" ||
			!utf8.ValidString(text) || len(text) > 50 {
			t.Fatalf("%q became %q of market %q", text, id, id.Market())
		}
		// What is canonical denotes the record of that id and no other.
		in, err := catalog(&market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market()}).Resolve(text,
			market.CanonicalForm)
		if err != nil || in.InstrumentID != id {
			t.Fatalf("%q resolves to %v, %v", text, in, err)
		}
	})
}
