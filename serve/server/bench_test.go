package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture"
)

// benchmark sends the same request over and over, past the rate limit.
func benchmark(b *testing.B, method, target, body string) {
	benchmarkOf(b, fixture.New(b), method, target, body)
}

func benchmarkOf(b *testing.B, a *fixture.Server, method, target, body string) {
	unlimited := fixture.Key(fixture.All, access.Scopes...)
	unlimited.Plan = "unlimited"
	a.Keys(unlimited)
	if res := a.Send(method, target, fixture.All, body, "Content-Type", "application/json"); res.StatusCode != 200 ||
		res.JSON["errors"] != nil {
		b.Fatalf("%d %s", res.StatusCode, res.Text)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), method, target, strings.NewReader(body))
		r.Header.Set("X-API-Key", fixture.All)
		r.Header.Set("Content-Type", "application/json")
		a.ServeHTTP(discard{http.Header{}}, r)
	}
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

// Header implements http.ResponseWriter.
func (d discard) Header() http.Header { return d.header }

// Write implements http.ResponseWriter.
func (discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (discard) WriteHeader(int) {}

// One quote over REST: the whole stack but the socket, and no SQL.
func BenchmarkQuoteREST(b *testing.B) { benchmark(b, "GET", "/v1/quotes/bist:DMOST", "") }

func BenchmarkQuoteRESTConverted(b *testing.B) {
	benchmark(b, "GET", "/v1/quotes/bist:DMOST?currency=USD", "")
}

func BenchmarkQuoteGraphQL(b *testing.B) {
	benchmark(b, "POST", "/graphql", `{"query": "{ quote(id: \"bist:DMOST\") { instrumentId last changePct asOf } }"}`)
}

func BenchmarkWatchlistGraphQL(b *testing.B) {
	benchmark(b, "POST", "/graphql",
		`{"query": "{ watchlist(ids: [\"bist:DMOST\", \"bist:DMALTF\", \"crypto:1\", \"fx:USDTRY\"]) { name quote(currency: TRY) { last currency } } }"}`)
}

func BenchmarkMoversREST(b *testing.B) { benchmark(b, "GET", "/v1/markets/bist/movers", "") }

// longHistory is 1,400 days of one stock, at the path of its candles.
func longHistory(b testing.TB, url string, change ...func(*fixture.Setup)) *fixture.Server {
	a := fixture.New(b, append(change, fixture.On(url))...)
	bars, trades := make([]*market.Bar, 1400), 51234
	for i := range bars {
		d := value.MustDecimal
		bars[i] = &market.Bar{
			InstrumentID: "bist:DMOST", Resolution: market.Day,
			T:    value.At(value.MustInstant("2022-05-18T21:00:00Z").Time().AddDate(0, 0, i)),
			High: d("302.50"), Low: d("298.75"), Close: d("300.00"), Volume: d("3310000"), Turnover: d("998877665.44"), TradeCount: &trades,
		}
	}
	fixture.PutBars(b, a.Store, bars...)
	a.Services.Market.History.AllChanged()
	return a
}

const longHistoryPath = "/v1/candles/bist:DMOST?from=2022-05-19"

// longHistoryOf asks for it over GraphQL, perhaps with more arguments.
func longHistoryOf(fields string, more ...string) string {
	return `{"query": "{ candles(id: \"bist:DMOST\", from: \"2022-05-19\" ` + strings.Join(more, " ") + `) { ` + fields + ` } }"}`
}

const (
	barObjects = "bars { t open high low close volume turnover }"
	barColumns = "columns { t open high low close volume turnover }"
)

// BenchmarkCandles is 1,400 days of one instrument in every form, from memory and
// read with one statement. It has a bonus issue, a rights issue and dividends.
func BenchmarkCandles(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		for name, kept := range map[string]int{"kept": 64 << 20, "read": 0} {
			a := longHistory(b, url, func(s *fixture.Setup) { s.Settings.HistoryCache = kept })
			unadjusted := []*market.HistoryAdjustment{{InstrumentID: "bist:DMOST", Adjustment: "unadjusted"}}
			a.Services.Market.Live.PutAdjustments(unadjusted)
			for _, c := range []struct{ name, method, target, body string }{
				{"json", "GET", longHistoryPath, ""},
				{"splits", "GET", longHistoryPath + "&adjust=splits", ""},
				{"dividends", "GET", longHistoryPath + "&adjust=all", ""},
				{"adjusted columns", "POST", "/graphql", longHistoryOf("factors { factor } "+barColumns, "adjust: ALL")},
				{"weeks", "GET", longHistoryPath + "&resolution=1w", ""},
				{"csv", "GET", longHistoryPath + "&format=csv", ""},
				{"converted", "GET", longHistoryPath + "&currency=USD", ""},
				{"eod", "GET", "/v1/eod/bist:DMOST?from=2022-05-19", ""},
				{"objects", "POST", "/graphql", longHistoryOf(barObjects)},
				{"columns", "POST", "/graphql", longHistoryOf(barColumns)},
			} {
				b.Run(name+"/"+c.name, func(b *testing.B) { benchmarkOf(b, a, c.method, c.target, c.body) })
			}
		}
	})
}

// BenchmarkWatchlistCandlesGraphQL is the last 90 days of 100 instruments as
// columns, read with one statement.
func BenchmarkWatchlistCandlesGraphQL(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		a := fixture.New(b, fixture.On(url))
		ids := a.AddStocks(100, 90)
		benchmarkOf(b, a, "POST", "/graphql",
			fmt.Sprintf(`{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId candles(from: \"2025-12-19\") { columns { t close } } } }", "variables": {"ids": ["%s"]}}`, strings.Join(ids, `", "`)))
	})
}
