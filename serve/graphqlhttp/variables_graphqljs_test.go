package graphqlhttp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/serve/queryplan/plantest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// graphql-js takes and refuses the same values of variables, and fails at a field for the same
// nulls. A null in a condition is refused here, and null as a whole there. Left out are whole numbers
// written as 1.0 or 1e2, which JavaScript cannot tell from 1, and ids that are numbers of
// more than 64 bits: both are refused here.
func TestGraphQLJSTakesTheSameVariables(t *testing.T) {
	js := plantest.NewGraphQLJS(t, "../queryplan/plantest/graphqljs", fixture.Schema)
	a := fixture.New(t)
	a.Keys(fixture.Unlimited())
	values := strings.Fields(`none null 1 -1 1.5 2147483647 2147483648 -2147483649 "1" "" "x" true "true" "TRY" "try" {} {"a":1}
		[] [null] ["x"] ["TRY"] [1] [1.5] [true] ["x",null] [["x"]] [[]] ["TRY","USD"] [[1],2]`)
	const (
		limit    = `instruments(limit: $v) {count}`
		search   = `instruments(search: $v) {count}`
		quote    = `quote(id: $v) {last}`
		currency = `quote(id: "x", currency: $v) {last}`
		ids      = `watchlist(ids: $v) {name}`
		periods  = `watchlist(ids: []) {indicators(periods: $v) {__typename}}`
		include  = `__typename @include(if: $v)`
	)
	for _, c := range []struct{ declared, use string }{
		{"Int", limit}, {"Int!", limit}, {"Int = 3", limit}, {"Int! = 3", limit}, {"String", search}, {"String!", search},
		{"ID!", quote}, {`ID = "x"`, quote}, {"ID!", `watchlist(ids: [$v]) {name}`}, {"[ID!]!", ids}, {"[ID!] = []", ids},
		{"Currency", currency}, {"Currency!", currency}, {"Currency = TRY", currency}, {"Boolean!", include}, {"Boolean = true", include},
		{"[Int!]", periods}, {"[Int!]!", periods},
		{`ID = "x"`, `watchlist(ids: [$v]) {name}`}, {`ID = "x"`, `quotes(ids: ["y", $v]) {count}`}, {`ID = "x"`, `node(id: $v) {id}`},
	} {
		text, taken := fmt.Sprintf("query($v: %s) {t: __typename %s}", c.declared, c.use), 0
		for _, value := range values {
			variables := map[string]any{"v": json.RawMessage(value)}
			if value == "none" {
				variables = map[string]any{}
			}
			body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
			need.NoError(t, err)
			ours := a.Send("POST", "/graphql", fixture.All, string(body), "Content-Type", "application/json")
			unknown := func(plantest.Field) (any, error) { return nil, nil }
			theirs, errs := js.Execute(t, plantest.Document{Text: text, Variables: variables}, unknown)
			takes := theirs != "" && theirs != "null"
			null := slices.ContainsFunc(errs, func(e plantest.Error) bool {
				return strings.HasPrefix(e.Message, "Argument ") &&
					(strings.Contains(e.Message, "must not be null") || strings.Contains(e.Message, "has invalid value"))
			})
			if (ours.JSON["data"] != nil) != takes || takes && strings.Contains(ours.Text, "must not be null") != null {
				t.Errorf("%s with %s: %s\n%v", text, value, ours.Text, errs)
			}
			if takes {
				taken++
			}
		}
		if taken == 0 || taken == len(values) {
			t.Errorf("%s takes %d of %d values", text, taken, len(values))
		}
	}
}
