package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/fixture"
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
