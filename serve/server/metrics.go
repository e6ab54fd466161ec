package server

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"piyasa/internal/problem"
	"piyasa/serve/admission"
	"piyasa/serve/stream"
	"piyasa/services"
)

// metrics are the server's Prometheus metrics. Labels hold only patterns and statuses, never a
// path, a query or a key as a client sent it.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	ran      *prometheus.CounterVec
	costs    prometheus.Histogram
	refused  *prometheus.CounterVec
	closes   *prometheus.CounterVec
}

func newMetrics(of *services.Services, streams *stream.Sockets, connections *connections, turns *admission.Turns) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "piyasa_http_request_duration_seconds",
			Help:    "Time to answer a request, by route, method and status.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"route", "method", "status"}),
		ran: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "piyasa_graphql_operations_total",
			Help: "GraphQL operations by what answered them: plan ran them, or memory had the answer.",
		}, []string{"by"}),
		costs: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "piyasa_request_cost",
			Help:    "What the requests that ran were priced at, in fields of an answer.",
			Buckets: []float64{1e3, 2.5e3, 5e3, 1e4, 2.5e4, 5e4, 1e5, 2.5e5},
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "piyasa_refused_total",
			Help: "What keys were refused that they may not do, or not so much, or not now, by the key's id and the kind of problem.",
		}, []string{"key", "kind"}),
	}
	m.closes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "piyasa_streams_closed_total",
		Help: "Streams that have ended, by transport and why.",
	}, []string{"transport", "why"})
	for _, transport := range []string{"websocket", "graphql_websocket", "sse"} {
		m.closes.WithLabelValues(transport, stream.EndedByClient) // 0, so that the series exists
	}
	m.registry.MustRegister(m.costs, m.refused, m.closes)
	for lane, load := range map[string]func() admission.Load{
		"light": func() admission.Load { light, _ := turns.Load(); return light },
		"heavy": func() admission.Load { _, heavy := turns.Load(); return heavy },
	} {
		labels := prometheus.Labels{"lane": lane}
		m.registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "piyasa_work_running", Help: "Requests that run, by lane.",
				ConstLabels: labels},
				func() float64 { return float64(load().Running) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "piyasa_work_waiting", Help: "Requests that wait for their turn, by lane.",
				ConstLabels: labels},
				func() float64 { return float64(load().Waiting) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "piyasa_work_shed_total",
				Help: "Requests that were refused because the server had more to do than it could, by lane.", ConstLabels: labels},
				func() float64 { return float64(load().Refused) }),
		)
	}
	count := func(name, help string, read func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read()) })
	}
	m.registry.MustRegister(
		count("piyasa_store_epochs_total", "New epochs of the store since the server started: the store has or may have gone back.",
			of.Epochs.Begun),
		count("piyasa_disclosures_lost_total", "Disclosures that streams published and that the store lost when it went back.",
			of.Disclosures.Lost),
	)
	for _, transport := range stream.Transports {
		labels, traffic := prometheus.Labels{"transport": string(transport)}, streams.Traffic(transport)
		total := func(name, help string, read func() int64) prometheus.Collector {
			return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
				func() float64 { return float64(read()) })
		}
		m.registry.MustRegister(
			total("piyasa_disclosures_delivered_total",
				"Disclosures that clients of streams got, live or replayed, each as often as it was sent, by transport.",
				traffic.Delivered),
			total("piyasa_replays_total", "Replays that began, by transport.", traffic.Replays),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "piyasa_streams_open", Help: "Streams that are open, by transport.",
				ConstLabels: labels},
				func() float64 { return float64(traffic.Open()) }),
		)
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_streams_compressed", Help: "WebSockets that are open and may get compressed messages.",
	}, func() float64 { return float64(streams.Compressed()) }))
	for why, refused := range map[string]*atomic.Int64{"full": &connections.refusedFull, "address": &connections.refusedSite} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "piyasa_connections_refused_total",
			Help:        "Connections that were refused: full, or too many of one address.",
			ConstLabels: prometheus.Labels{"why": why},
		}, func() float64 { return float64(refused.Load()) }))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_connections_open",
		Help: "Connections of the public listener that are served.",
	}, func() float64 { return float64(connections.open()) }))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_history_cache_bytes",
		Help: "Memory used for bars.",
	}, func() float64 { return float64(of.Market.History.Size()) }))
	m.registry.MustRegister(m.requests, m.ran, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Metrics serves the metrics, for a separate listener.
func (s *Server) Metrics() http.Handler {
	return promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})
}

// refusal counts a refused request of a key.
func (m *metrics) refusal(key string, kind problem.Kind) {
	m.refused.WithLabelValues(key, string(kind)).Inc()
}

// closed counts a stream that has ended.
func (m *metrics) closed(transport, why string) { m.closes.WithLabelValues(transport, why).Inc() }

// paid records the cost of a request that runs.
func (m *metrics) paid(cost int) { m.costs.Observe(float64(cost)) }

// operation counts an operation by what answers it.
func (m *metrics) operation(by string) { m.ran.WithLabelValues(by).Inc() }

// observed times every request by the pattern that the mux chose.
func (m *metrics) observed(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			m.requests.WithLabelValues(r.Pattern, knownMethod(r.Method), strconv.Itoa(seen.status)).Observe(time.Since(began).Seconds())
		}()
		mux.ServeHTTP(seen, r)
	})
}

// knownMethod keeps invented methods from creating ever more series.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return method
	}
	return "other"
}

// statusWriter remembers the status sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
