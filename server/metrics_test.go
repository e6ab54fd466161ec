package server_test

import (
	"net/http/httptest"
	"piyasa/fixture"
	"strings"
	"testing"
)

// Metrics name routes, never what a client sent.
func TestMetrics(t *testing.T) {
	a := fixture.New(t)
	a.Get("/v1/quotes/bist:DMOST?api_key=piyasa_live_secret", fixture.All)
	a.Get("/nothing/here", fixture.All)
	a.Send("BREW", "/v1/quotes/bist:DMOST", fixture.All, "")
	w := httptest.NewRecorder()
	a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`piyasa_http_request_duration_seconds_count{method="GET",route="/v1/quotes/{instrument_id}",status="200"} 1`,
		`piyasa_http_request_duration_seconds_count{method="GET",route="/",status="404"} 1`,
		`piyasa_http_request_duration_seconds_count{method="other",route="/v1/quotes/{instrument_id}",status="405"} 1`,
		"go_goroutines",
		"piyasa_store_epochs_total 0", "piyasa_history_cache_bytes 0",
		"piyasa_disclosures_lost_total 0",
		"piyasa_streams_open 0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "DMOST") || strings.Contains(text, "piyasa_live") || strings.Contains(text, "BREW") {
		t.Error("a client's text is in the metrics")
	}
}
