package server_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/epoch"
	"piyasa/internal/spans"
	"piyasa/serve/deliver"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
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
		"piyasa_disclosures_lost_total 0", `piyasa_disclosures_delivered_total{transport="sse"} 0`,
		`piyasa_streams_open{transport="websocket"} 0`, `piyasa_replays_total{transport="graphql_websocket"} 0`,
		`piyasa_source_up{source="fx"} 1`, `piyasa_source_up{source="kap"} 0`, `piyasa_source_lag_seconds{source="kap"} 1740`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "DMOST") || strings.Contains(text, "piyasa_live") || strings.Contains(text, "BREW") {
		t.Error("a client's text is in the metrics")
	}
}

// oneSink is a store that knows a sink, and backups.
type oneSink struct{}

func (oneSink) Sinks(context.Context) (map[string]json.RawMessage, error) {
	return map[string]json.RawMessage{
		"lake":     json.RawMessage(`{"caught_up": "2026-03-18T06:00:00Z"}`),
		db.Backups: json.RawMessage(`{"since": "2026-03-18T06:00:00Z"}`),
	}, nil
}

func (oneSink) Look(context.Context) (epoch.Moment, error) { return epoch.Moment{}, nil }

// Every metric of ours is documented, those of ingest too, and what is documented is there.
func TestMetricsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/operating.md")
	need.NoError(t, err)
	documented := map[string]bool{}
	name := regexp.MustCompile("`(piyasa_[a-z_]+)`")
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 &&
			slices.Contains([]string{"counter", "gauge", "histogram"}, strings.TrimSpace(cells[2])) {
			for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
				documented[m[1]] = true
			}
		}
	}
	a := fixture.New(t)
	a.Get("/v1/quotes/bist:DMOST", fixture.None) // refused, so that the counter has a series
	a.Query(`{ marketStatus { state } }`, fixture.All)
	w := httptest.NewRecorder()
	a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	there := map[string]bool{}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	traced, err := spans.FromEnvironment()
	need.NoError(t, err)
	traces := spans.Start(traced, "test")
	t.Cleanup(traces.Close)
	own := prometheus.NewPedanticRegistry()
	own.MustRegister(traces, ingest.NewMetrics(), deliver.Metrics{In: oneSink{}}, server.Machine{
		Certificates: func() map[string]time.Time { return map[string]time.Time{"api.example.com": time.Now()} },
		Disk:         func() (free, size int64, ok bool) { return 1, 2, true },
	})
	families, err := own.Gather()
	need.NoError(t, err)
	for _, f := range families {
		there[f.GetName()] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (piyasa_[a-z_]+) `).FindAllStringSubmatch(w.Body.String(), -1) {
		there[m[1]] = true
	}
	if len(there) < 10 || !maps.Equal(there, documented) {
		t.Errorf("there are %v, and documented %v", slices.Sorted(maps.Keys(there)), slices.Sorted(maps.Keys(documented)))
	}
}
