package ingest

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/db"
)

// Metrics counts the work of runs. Its methods do nothing on nil.
type Metrics struct {
	lines, bytes     prometheus.Counter
	records          *prometheus.CounterVec
	batches, storing prometheus.Histogram
	waiting          prometheus.Gauge
}

// noKind is the kind of lines that name none.
const noKind = "none"

// NewMetrics returns metrics with all counters at zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		lines: prometheus.NewCounter(prometheus.CounterOpts{Name: "piyasa_ingest_lines_total",
			Help: "Lines that are done: stored, or found not to be."}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "piyasa_ingest_bytes_total", Help: "Bytes of these lines."}),
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "piyasa_ingest_records_total",
			Help: "Records by kind, and by what became of them: stored, unchanged, stale or rejected.",
		}, []string{"kind", "result"}),
		batches: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "piyasa_ingest_batch_lines", Help: "Lines of a batch, which is one transaction.",
			Buckets: []float64{1, 10, 100, 1000, maxBatch},
		}),
		storing: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "piyasa_ingest_batch_duration_seconds", Help: "Time to store a batch, with the wait for a database that is away.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: "piyasa_ingest_waiting",
			Help: "1 while the database is away and a batch waits for it."}),
	}
	for _, k := range append(slices.Collect(maps.Keys(kinds)), noKind) { // so that the first count is an increase
		for _, result := range []string{"stored", "unchanged", "stale", "rejected"} {
			m.records.WithLabelValues(k, result)
		}
	}
	return m
}

func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.lines, m.bytes, m.records, m.batches, m.storing, m.waiting}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(out)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(out)
	}
}

// stored counts a batch and the time since it began to be stored.
func (m *Metrics) stored(lines []*line, began time.Time) {
	if m == nil {
		return
	}
	m.storing.Observe(time.Since(began).Seconds())
	m.batches.Observe(float64(len(lines)))
	m.lines.Add(float64(len(lines)))
	for _, l := range lines {
		m.bytes.Add(float64(len(l.input)))
		kind := noKind
		if l.kind != nil {
			kind = l.kind.name
		}
		m.records.WithLabelValues(kind, l.result()).Inc()
	}
}

// waits records whether a batch waits for the database.
func (m *Metrics) waits(is bool) {
	switch {
	case m == nil:
	case is:
		m.waiting.Set(1)
	default:
		m.waiting.Set(0)
	}
}

// result names the outcome of a line.
func (l *line) result() string {
	if l.fault != nil {
		return "rejected"
	}
	switch l.outcome.Result {
	case db.Stored:
		return "stored"
	case db.Unchanged:
		return "unchanged"
	case db.Stale:
		return "stale"
	}
	return "rejected"
}
