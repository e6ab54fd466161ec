package server_test

import (
	"net/http"
	"net/http/httptest"
	"piyasa/fixture"
	"testing"
)

// Pages elsewhere may read answers only where the operator names them.
func TestOrigins(t *testing.T) {
	ask := func(h http.Handler, method, origin string) http.Header {
		r := httptest.NewRequest(method, "/v1/markets/bist/status", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodGet)
		r.Header.Set("Access-Control-Request-Headers", "x-api-key")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Header()
	}
	const ours, other = "https://app.example.com", "https://evil.example.com"
	a := fixture.New(t)
	if got := ask(a, http.MethodGet, ours).Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("nobody was named and %q may read", got)
	}
	open := fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = []string{ours} })
	for _, method := range []string{http.MethodGet, http.MethodOptions} {
		if got := ask(open, method, ours).Get("Access-Control-Allow-Origin"); got != ours {
			t.Errorf("%s: %q may read", method, got)
		}
		if got := ask(open, method, other).Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: %q may read, too", method, got)
		}
	}
	if got := ask(open, http.MethodOptions, ours).Get("Access-Control-Allow-Headers"); got != "x-api-key" {
		t.Errorf("allowed headers: %q", got)
	}
}
