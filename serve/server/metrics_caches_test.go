package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// Caches count what they are asked: the first time a miss, then a hit, also of a client that
// has the answer.
func TestMetricsOfCaches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := longHistory(t, url)
		a.Keys(fixture.Unlimited())
		count := func(name, cache string) (n float64) {
			t.Helper()
			w := httptest.NewRecorder()
			a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
			_, rest, found := strings.Cut(w.Body.String(), fmt.Sprintf("\npiyasa_cache_%s{cache=%q} ", name, cache))
			if _, err := fmt.Sscan(rest, &n); err != nil || !found {
				t.Errorf("no piyasa_cache_%s of %s", name, cache)
			}
			return n
		}
		grows := func(cache string, hits, misses int, do func()) {
			t.Helper()
			h, m := count("hits_total", cache), count("misses_total", cache)
			do()
			if h, m := count("hits_total", cache)-h, count("misses_total", cache)-m; h != float64(hits) || m != float64(misses) {
				t.Errorf("%s: %.0f hits and %.0f misses, want %d and %d", cache, h, m, hits, misses)
			}
		}
		bars := func() { a.Get(longHistoryPath, fixture.All) }
		grows("bars", 0, 1, bars)
		grows("bars", 1, 0, bars)
		if count("entries", "bars") != 1 || count("bytes", "bars") < 1000 {
			t.Errorf("%v bars in %v bytes", count("entries", "bars"), count("bytes", "bars"))
		}
		query := func() { a.Query(`{valuation(id: "bist:DMOST") {marketCap {billions}}}`, fixture.All) }
		grows("documents", 0, 1, query)
		grows("documents", 1, 0, query)
		if count("entries", "plans") == 0 || count("evictions_total", "plans") != 0 {
			t.Error("no plan is kept")
		}
		for _, cache := range []string{"statements", "dividends", "disclosures", "texts"} {
			count("evictions_total", cache)
		}
	})
}

// An answer that is given again is a hit, also one that its client has already.
func TestMetricsOfKeptAnswers(t *testing.T) {
	a := followed(t)
	a.Keys(fixture.Key(fixture.All, access.Scopes...))
	var tag string
	for i, want := range []struct{ status, hits, misses int }{{200, 0, 1}, {200, 1, 1}, {304, 2, 1}} {
		var header []string
		if want.status == 304 {
			header = []string{"If-None-Match", tag}
		}
		res := a.Send("GET", "/v1/quotes/bist:DMOST", fixture.All, "", header...)
		if tag = res.Header.Get("Etag"); res.StatusCode != want.status {
			t.Errorf("status %d, want %d", res.StatusCode, want.status)
		}
		w := httptest.NewRecorder()
		a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
		for name, n := range map[string]int{"hits": want.hits, "misses": want.misses} {
			if series := fmt.Sprintf("\npiyasa_cache_%s_total{cache=\"answers\"} %d\n",
				name, n); !strings.Contains(w.Body.String(), series) {
				t.Errorf("after %d requests not %s", i+1, series)
			}
		}
	}
}
