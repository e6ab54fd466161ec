package server_test

import (
	"net/http"
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// What nothing answers states the limits of its key all the same, and takes none of them.
func TestLimitsWhereNothingAnswers(t *testing.T) {
	a := fixture.New(t)
	for range 2 {
		for _, ask := range [][2]string{
			{"GET", "/v1/nope"}, {"GET", "/nope"}, {"GET", "/v1//quotes"}, {"POST", "/v1/quotes"}, {"DELETE", "/graphql"}, {"GET", "/mcp"},
			{"PATCH", "/graphql/stream"}, {"POST", "/openapi.json"},
		} {
			res := a.Send(ask[0], ask[1], fixture.All, "")
			limit := res.Header.Get("X-RateLimit-Limit")
			if res.StatusCode != 404 && res.StatusCode != 405 || limit == "" || res.Header.Get("X-RateLimit-Remaining") != limit ||
				res.Header.Get("X-RateLimit-Reset") != "0" || res.Header.Get("X-Usage-Units") != "0" {
				t.Errorf("%v: %d %v", ask, res.StatusCode, res.Header)
			}
			for _, key := range []string{"", "piyasa_live_unknown"} {
				res := a.Send(ask[0], ask[1], key, "")
				if res.Header.Get("X-RateLimit-Limit") != "" || res.StatusCode != 404 && res.StatusCode != 405 {
					t.Errorf("%v without a key: %d %v", ask, res.StatusCode, res.Header)
				}
			}
		}
	}
}

// A person who goes to a path that does not exist gets a page, a program a problem.
func TestPathsThatDoNotExist(t *testing.T) {
	a := fixture.New(t)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		method, path, accept string
		page                 bool
	}{
		{"GET", "/nope", browser, true},
		{"HEAD", "/nope", browser, true},
		{"GET", "/docs/nope", browser, true},
		{"GET", "/a//b", browser, true},
		{"GET", "/%3Cscript%3E" + strings.Repeat("x", 1000), browser, true},
		{"GET", "/nope", "*/*", false},
		{"GET", "/nope", "", false},
		{"GET", "/nope", "application/json", false},
		{"POST", "/nope", browser, false},
		{"GET", "/v1/nope", browser, false},
	} {
		res := a.Send(c.method, c.path, "", "", "Accept", c.accept)
		if !c.page {
			res.WantProblem(t, http.StatusNotFound, "not-found")
			continue
		}
		if media := res.Header.Get("Content-Type"); res.StatusCode != http.StatusNotFound || media != "text/html; charset=utf-8" ||
			!strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'self'") ||
			!strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Accept") {
			t.Errorf("%s %.20s: %d %q %v", c.method, c.path, res.StatusCode, media, res.Header)
		}
		if c.method == "GET" && (strings.Count(res.Text, "<h1 data-t>Not found</h1>") != 1 || strings.Contains(res.Text, "<script>") ||
			len(res.Text) > 8_000) {
			t.Errorf("%.20s: %s", c.path, res.Text)
		}
	}
}
