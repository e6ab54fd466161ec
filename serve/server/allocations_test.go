package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// Answers of 1,400 bars from memory allocate about as often as answers of one: the
// bars are shared, and so is their JSON.
func TestAllocationsOfHistoryFromMemory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := longHistory(t, url)
		a.Keys(fixture.Unlimited())
		for name, c := range map[string]struct {
			method, target, body string
			most                 float64
		}{
			"json":    {"GET", longHistoryPath, "", 130},
			"csv":     {"GET", longHistoryPath + "&format=csv", "", 130},
			"objects": {"POST", "/graphql", longHistoryOf(barObjects), 270},
			"columns": {"POST", "/graphql", longHistoryOf(barColumns), 290},
		} {
			allocated := testing.AllocsPerRun(20, func() {
				r := httptest.NewRequestWithContext(t.Context(), c.method, c.target, strings.NewReader(c.body))
				r.Header.Set("X-API-Key", fixture.All)
				r.Header.Set("Content-Type", "application/json")
				a.ServeHTTP(discard{http.Header{}}, r)
			})
			if allocated > c.most {
				t.Errorf("%s: %.0f allocations, want at most %.0f", name, allocated, c.most)
			}
		}
	})
}

// What is kept is given again with few allocations, those of the middleware included.
func TestAllocationsOfWhatIsKept(t *testing.T) {
	const (
		quote = `{quote(id: "bist:DMOST") {instrumentId last changePct asOf}}`
		page  = `{disclosures(symbol: "DMOST") {items {disclosureIndex filerTitle symbols}}}`
	)
	a := followed(t)
	a.Keys(fixture.Unlimited())
	for name, c := range map[string]struct {
		target, body string
		known        bool // the client has the answer
		most         float64
	}{
		"quote over REST":               {"/v1/quotes/bist:DMOST", "", false, 34},
		"quote over REST, known":        {"/v1/quotes/bist:DMOST", "", true, 41},
		"quote over GraphQL":            {"/graphql", quoted(quote), false, 37},
		"quote over GraphQL GET":        {"/graphql?query=" + url.QueryEscape(quote), "", false, 37},
		"quote over GraphQL GET, known": {"/graphql?query=" + url.QueryEscape(quote), "", true, 35},
		"disclosures over REST":         {"/v1/kap-feed/disclosures?symbol=DMOST", "", false, 90},
		"disclosures over GraphQL":      {"/graphql", quoted(page), false, 200},
	} {
		method := http.MethodGet
		if c.body != "" {
			method = http.MethodPost
		}
		r := httptest.NewRequestWithContext(t.Context(), method, c.target, nil)
		r.Header.Set("X-API-Key", fixture.All)
		r.Header.Set("Content-Type", "application/json")
		first, status := httptest.NewRecorder(), 200
		ask := func(w http.ResponseWriter) {
			again := *r
			again.Body, again.ContentLength = io.NopCloser(strings.NewReader(c.body)), int64(len(c.body))
			a.ServeHTTP(w, &again)
		}
		if ask(first); c.known {
			status = 304
			r.Header.Set("If-None-Match", first.Header().Get("Etag"))
		}
		second := httptest.NewRecorder()
		if ask(second); second.Code != status || strings.Contains(second.Body.String(), "errors") {
			t.Errorf("%s: %d %s", name, second.Code, second.Body)
		}
		w := &discard{http.Header{}}
		if allocated := testing.AllocsPerRun(100, func() { clear(w.header); ask(w) }); allocated > c.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", name, allocated, c.most)
		}
	}
}

// quoted is the body of a request for a document.
func quoted(document string) string {
	return `{"query": "` + strings.ReplaceAll(document, `"`, `\"`) + `"}`
}
