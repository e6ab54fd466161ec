package graphqlhttp_test

import (
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// A variable that the operation does not declare is named, made or given again, and with what
// was probably meant.
func TestUnknownVariables(t *testing.T) {
	a := fixture.New(t)
	ask := func(variables string) fixture.Answer {
		return a.Send("POST", "/graphql", fixture.All,
			`{"query": "query ($currency: Currency) { quote(id: \"bist:DMOST\", currency: $currency) { last } }", "variables": `+variables+
				`}`, "Content-Type", "application/json")
	}
	for range 2 {
		res := ask(`{"currancy": "USD", "x": 1}`)
		if !strings.Contains(res.Text,
			`"warnings":[{"code":"UNKNOWN_VARIABLE","message":"The operation declares no variable \"currancy\", which was ignored; did you mean currency?"},{"code":"UNKNOWN_VARIABLE","message":"The operation declares no variable \"x\", which was ignored."}]`) {
			t.Error(res.Text)
		}
		if res := ask(`{"currency": "USD"}`); strings.Contains(res.Text, "warnings") || !strings.Contains(res.Text, `"usage_units":1}}`) {
			t.Error(res.Text)
		}
	}
	if res := ask(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`); strings.Count(res.Text, "UNKNOWN_VARIABLE") != 5 {
		t.Error(res.Text)
	}
	if res := ask(`{"piyasa_live_abc": 1}`); strings.Contains(res.Text, "piyasa_live_abc") {
		t.Error(res.Text)
	}
}
