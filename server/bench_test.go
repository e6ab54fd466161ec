package server_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/access"
)

// benchmark sends the same request over and over, past the rate limit.
func benchmark(b *testing.B, method, target, body string) {
	a := newAPI(b)
	unlimited := key(all, access.Scopes...)
	unlimited.Plan = "unlimited"
	a.keys(unlimited)
	if res := a.send(method, target, all, body, "Content-Type", "application/json"); res.StatusCode != 200 || res.body["errors"] != nil {
		b.Fatalf("%d %s", res.StatusCode, res.text)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), method, target, strings.NewReader(body))
		r.Header.Set("X-API-Key", all)
		r.Header.Set("Content-Type", "application/json")
		a.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// One quote over REST: the whole stack but the socket, and no SQL.
func BenchmarkQuoteREST(b *testing.B) { benchmark(b, "GET", "/v1/quotes/bist:DMOST", "") }

func BenchmarkQuoteRESTConverted(b *testing.B) {
	benchmark(b, "GET", "/v1/quotes/bist:DMOST?currency=USD", "")
}

func BenchmarkQuoteGraphQL(b *testing.B) {
	benchmark(b, "POST", "/graphql", `{"query": "{ quote(id: \"bist:DMOST\") { instrumentId last changePct asOf } }"}`)
}

func BenchmarkWatchlistGraphQL(b *testing.B) {
	benchmark(b, "POST", "/graphql", `{"query": "{ watchlist(ids: [\"bist:DMOST\", \"bist:DMALTF\", \"crypto:1\", \"fx:USDTRY\"]) { name quote(currency: TRY) { last currency } } }"}`)
}

func BenchmarkMoversREST(b *testing.B) { benchmark(b, "GET", "/v1/markets/bist/movers", "") }
