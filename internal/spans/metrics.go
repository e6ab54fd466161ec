package spans

import (
	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

var spansTotal = prometheus.NewDesc("piyasa_spans_total",
	"Spans by what became of them: ended, and of these sent to the collector or lost because it did not take them; the rest waits, or did "+
		"not fit into the queue.", []string{"what"}, nil)

// counting counts spans on their way to the queue.
type counting struct {
	sdk.SpanProcessor
	of *collector
}

// OnEnd implements sdk.SpanProcessor.
func (c counting) OnEnd(span sdk.ReadOnlySpan) {
	c.of.ended.Add(1)
	c.SpanProcessor.OnEnd(span)
}

// Describe implements prometheus.Collector.
func (*Traces) Describe(out chan<- *prometheus.Desc) { out <- spansTotal }

// Collect implements prometheus.Collector.
func (t *Traces) Collect(out chan<- prometheus.Metric) {
	if t == nil {
		return
	}
	for what, n := range map[string]int64{"ended": t.to.ended.Load(), "sent": t.to.sent.Load(), "lost": t.to.lost.Load()} {
		out <- prometheus.MustNewConstMetric(spansTotal, prometheus.CounterValue, float64(n), what)
	}
}
