package graphqlhttp_test

import (
	"fmt"
	"piyasa/test/fixture"
	"testing"
)

// GQ-03: a variable is refused like a literal, never bent into shape.
func TestVariablesAreExact(t *testing.T) {
	a := fixture.New(t)
	ask := func(document, variables string) fixture.Answer {
		body := fmt.Sprintf(`{"query": %q, "variables": %s}`, document, variables)
		return a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json", "Accept",
			"application/graphql-response+json")
	}
	const (
		quote       = `query($c: Currency) { quote(id: "bist:DMOST", currency: $c) { last } }`
		instruments = `query($m: Market, $n: Int = 3, $s: String) { instruments(market: $m, limit: $n, search: $s) { count } }`
		watchlist   = `query($ids: [ID!]!) { watchlist(ids: $ids) { symbol } }`
	)
	for _, c := range []struct {
		document, variables string
		status              int
	}{
		{quote, `{"c": "USD"}`, 200},
		{quote, `{"c": null}`, 200},
		{quote, `{}`, 200},
		{quote, `{"c": "usd"}`, 400},
		{quote, `{"c": "GBP"}`, 400},
		{quote, `{"c": 1}`, 400},
		{instruments, `{"m": "CRYPTO", "n": 2, "s": "bit"}`, 200},
		{instruments, `{"m": "crypto"}`, 400},
		{instruments, `{"n": "5"}`, 400},
		{instruments, `{"n": 5.5}`, 400},
		{instruments, `{"s": 5}`, 400},
		{instruments, `{"n": 2147483648}`, 400},
		{instruments, `{"n": 99999999999999999999}`, 400},
		{watchlist, `{"ids": ["bist:DMOST"]}`, 200},
		{watchlist, `{"ids": "bist:DMOST"}`, 200},
		{watchlist, `{"ids": [null]}`, 400},
		{watchlist, `{"ids": [true]}`, 400},
		{watchlist, `{}`, 400},
	} {
		res := ask(c.document, c.variables)
		if res.StatusCode != c.status || (c.status == 200) != (res.JSON["errors"] == nil) {
			t.Errorf("%s: %d %s", c.variables, res.StatusCode, res.Text)
		}
	}
}
