package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"piyasa/test/fixture"
	"slices"
	"strings"
	"testing"
)

// preflight asks as a browser does before a page sends a request with headers.
func preflight(h http.Handler, path, origin, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodOptions, path, nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", method)
	if len(headers) > 0 {
		r.Header.Set("Access-Control-Request-Headers", strings.Join(headers, ","))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// read asks as a page does.
func read(h http.Handler, path, origin string, more ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("X-API-Key", fixture.All)
	for i := 0; i+1 < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	allowOrigin = "Access-Control-Allow-Origin"
	ours, other = "https://app.example.com", "https://evil.example.com"
)

// Pages elsewhere may read answers only where the operator names them. Who is refused learns
// what to set, in words.
func TestOrigins(t *testing.T) {
	closed, open := fixture.New(t), fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = []string{ours} })
	for _, path := range []string{"/v1/markets/bist/status", "/graphql"} {
		for _, c := range []struct {
			of      http.Handler
			origin  string
			allowed bool
		}{{closed, ours, false}, {open, ours, true}, {open, "HTTPS://APP.example.com", true}, {open, other, false}, {open, "null", false},
			{open, "http://localhost:5173", false}} {
			if got := read(c.of, path, c.origin).Header().Get(allowOrigin); (got == c.origin) != c.allowed || !c.allowed && got != "" {
				t.Errorf("%s: GET from %s: %q may read", path, c.origin, got)
			}
			w := preflight(c.of, path, c.origin, http.MethodGet, "x-api-key")
			if got := w.Header().Get(allowOrigin); (got == c.origin) != c.allowed {
				t.Errorf("%s: preflight from %s: %q", path, c.origin, got)
			}
			if c.allowed {
				continue
			}
			var told struct{ Type, Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusForbidden ||
				!strings.HasSuffix(told.Type, "/origin-not-allowed") || !strings.Contains(told.Detail, "PIYASA_ORIGINS") ||
				(c.origin != "null" && !strings.Contains(told.Detail, "--origins "+c.origin)) {
				t.Errorf("%s: refused preflight from %s: %d %s", path, c.origin, w.Code, w.Body)
			}
		}
	}
	anyone := fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = []string{"*"} })
	if got := read(anyone, "/v1/sectors", other).Header().Get(allowOrigin); got != "*" {
		t.Errorf("*: %q may read", got)
	}
	plain := httptest.NewRecorder()
	open.ServeHTTP(plain, httptest.NewRequest(http.MethodOptions, "/v1/sectors", nil))
	if plain.Code != http.StatusMethodNotAllowed {
		t.Errorf("OPTIONS that is no preflight: %d", plain.Code)
	}
}

// What a page needs to ask, to keep answers, and to know its limits and how old data is.
func TestHeadersOfOtherOrigins(t *testing.T) {
	open := fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = []string{ours} })
	for _, header := range []string{"x-api-key", "content-type", "accept", "if-none-match", "last-event-id", "x-price-only",
		"x-graphql-event-stream-token",
		"traceparent", "baggage", "sentry-trace", "apollographql-client-name", "x-request-id", "x-requested-with", "cache-control",
		"x-anything"} {
		w := preflight(open, "/v1/quotes/bist:DMOST", ours, http.MethodGet, header)
		if got := w.Header().Get("Access-Control-Allow-Headers"); got != header || w.Header().Get("Access-Control-Max-Age") != "600" {
			t.Errorf("%s: %d, allowed %q", header, w.Code, got)
		}
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE"} {
		if got := preflight(open, "/graphql/stream", ours, method).Header().Get("Access-Control-Allow-Methods"); got != method {
			t.Errorf("%s: allowed %q", method, got)
		}
	}
	first := read(open, "/v1/quotes/bist:DMOST", ours)
	exposed := strings.Split(strings.ToLower(strings.Join(first.Header().Values("Access-Control-Expose-Headers"), ",")), ",")
	for i := range exposed {
		exposed[i] = strings.TrimSpace(exposed[i])
	}
	for _, header := range []string{
		"ETag", "X-Data-Stale", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "X-Usage-Units",
		"X-Request-Id",
		"X-Not-Found", "X-Missing-Reason", "Warning", "Link", "Deprecation", "Sunset",
	} {
		if !slices.Contains(exposed, strings.ToLower(header)) {
			t.Errorf("%s is not exposed: %v", header, exposed)
		}
	}
	if again := read(open, "/v1/quotes/bist:DMOST", ours, "If-None-Match", first.Header().Get("ETag")); first.Header().Get("ETag") != "" &&
		(again.Code != http.StatusNotModified || again.Header().Get(allowOrigin) != ours) {
		t.Errorf("what the page has already: %d %v", again.Code, again.Header())
	}
	refused := httptest.NewRequest(http.MethodGet, "/v1/quotes/bist:DMOST", nil) // without a key
	refused.Header.Set("Origin", ours)
	w := httptest.NewRecorder()
	if open.ServeHTTP(w, refused); w.Code != http.StatusUnauthorized || w.Header().Get(allowOrigin) != ours {
		t.Errorf("a page cannot read why it is refused: %d %v", w.Code, w.Header())
	}
}

// local names every origin of this machine, and none that only looks like one.
func TestLocalOrigins(t *testing.T) {
	local := fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = []string{"local"} })
	for origin, allowed := range map[string]bool{
		"http://localhost:5173": true, "http://localhost": true, "https://localhost:8443": true, "http://app.localhost:3000": true,
		"http://127.0.0.1:8080": true, "http://127.1.2.3": true, "http://[::1]:4000": true,
		"http://localhost.evil.test": false, "http://evil-localhost": false, "http://127.0.0.1.evil.test": false, "http://10.0.0.1": false,
		"file://localhost": false, "null": false, "local": false, "http://localhost@evil.test": false, "http://0.0.0.0:80": false,
	} {
		if got := read(local, "/v1/sectors", origin).Header().Get(allowOrigin); (got == origin) != allowed {
			t.Errorf("%s: %q may read", origin, got)
		}
	}
}
