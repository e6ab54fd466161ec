package resolvers_test

import (
	"encoding/json"
	"fmt"
	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"strings"
	"testing"
)

func TestFieldsFailOnTheirOwn(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ good: quote(id: "bist:DMOST") { last } bad: quote(id: "bist:NOPE") { last } }`, fixture.All)
	data := res.JSON["data"].(map[string]any)
	if data["good"].(map[string]any)["last"] != "305.25" || data["bad"] != nil {
		t.Errorf("data %v", data)
	}
	e := fixture.ErrorsOf(res)
	if len(e) != 1 || fixture.CodeOf(e[0]) != "NOT_FOUND" || fmt.Sprint(e[0]["path"]) != "[bad]" {
		t.Errorf("errors %v", e)
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("1") {
		t.Errorf("a failed field costs nothing: %v units", units)
	}
}

// CT-24: the record needs no scope, its quote that of the market.
func TestScopesFieldByField(t *testing.T) {
	a := fixture.New(t)
	const noCrypto = "piyasa_live_nocrypto"
	a.Keys(fixture.Key(noCrypto, calls.Without(access.QuotesCrypto)...))
	res := a.Query(`{ watchlist(ids: ["bist:DMOST", "bist:NOPE", "crypto:1"]) { symbol quote { last } } }`, noCrypto)
	list := res.JSON["data"].(map[string]any)["watchlist"].([]any)
	if len(list) != 3 || list[1] != nil || list[0].(map[string]any)["quote"] == nil || list[2].(map[string]any)["quote"] != nil {
		t.Errorf("%s", res.Text)
	}
	e := fixture.ErrorsOf(res)
	if len(e) != 1 || fixture.CodeOf(e[0]) != "FORBIDDEN" || fmt.Sprint(e[0]["path"]) != "[watchlist 2 quote]" {
		t.Errorf("errors %v", e)
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("2") {
		t.Errorf("1 and one per resolved quote: %v units", units)
	}
}

func TestEdgesLeadBack(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ quote(id: "crypto:btc") { instrument { name quote(currency: TRY) { last currency } } } movers { gainers { instrument { name } } } }`, fixture.All)
	for _, want := range []string{`"Bitcoin"`, `"2815317.45"`, `"Demo Otomotiv Şirketi"`} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("%s is missing in %s", want, res.Text)
		}
	}
}
