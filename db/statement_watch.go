package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"piyasa/internal/spans"
)

// statementMetrics are the metrics of the statements of a store: the time of each until its
// last row was read, and the failures. Labels are the pool of connections (read, follow, write)
// and the feed whose rows a request reads.
type statementMetrics struct {
	seconds *prometheus.HistogramVec
	failed  *prometheus.CounterVec
}

func newStatementMetrics() *statementMetrics {
	labels := []string{"pool", "feed"}
	return &statementMetrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "piyasa_sql_statement_duration_seconds",
			Help:    "Time of a statement until its last row has been read, by pool of connections and feed whose rows a request reads.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, labels),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "piyasa_sql_errors_total",
			Help: "Statements that failed, without those whose caller had gone, by pool and feed.",
		}, labels),
	}
}

// StatementMetrics returns the metrics of the statements that the store has run.
func (s *Store) StatementMetrics() prometheus.Collector { return s.ran }

// Describe implements prometheus.Collector.
func (s *statementMetrics) Describe(out chan<- *prometheus.Desc) {
	s.seconds.Describe(out)
	s.failed.Describe(out)
}

// Collect implements prometheus.Collector.
func (s *statementMetrics) Collect(out chan<- prometheus.Metric) {
	s.seconds.Collect(out)
	s.failed.Collect(out)
}

// statementWatch watches the statements of one pool. On Postgres pgx calls it.
type statementWatch struct {
	*statementMetrics
	pool, system string
}

// watch returns the watch of a pool.
func (s *statementMetrics) watch(pool, system string) *statementWatch {
	s.failed.WithLabelValues(pool, "") // 0, so that the first failure is an increase
	return &statementWatch{s, pool, system}
}

// feedContext is the context of a read of a feed's rows.
type feedContext struct {
	context.Context
	feed string
}

type feedKey struct{}

// Value implements context.Context.
func (c *feedContext) Value(key any) any {
	if key == (feedKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// feedOf returns the feed whose rows are read; empty: none, or several.
func feedOf(ctx context.Context) string {
	if c, ok := ctx.Value(feedKey{}).(*feedContext); ok {
		return c.feed
	}
	return ""
}

// running is a statement in progress, and its context.
type running struct {
	context.Context
	of    *statementWatch
	feed  string
	began time.Time
	span  trace.Span // does nothing unless the trace is recorded
}

type runningKey struct{}

// Value implements context.Context.
func (r *running) Value(key any) any {
	if key == (runningKey{}) {
		return r
	}
	return r.Context.Value(key)
}

var asClient = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}

// begin begins a statement.
func (w *statementWatch) begin(ctx context.Context, text string) *running {
	r := &running{of: w, feed: feedOf(ctx), began: time.Now()}
	r.Context, r.span = spans.Begin(ctx, "SQL", asClient...)
	if r.span.IsRecording() {
		verb := verbOf(text)
		r.span.SetName(strings.TrimSpace(verb + " " + r.feed))
		r.span.SetAttributes(
			attribute.String("db.system.name", w.system), attribute.String("db.operation.name", verb),
			attribute.String("db.query.text", withoutValues(text)),
			attribute.String("piyasa.pool", w.pool),
		)
	}
	return r
}

// end ends a statement.
func (r *running) end(err error) {
	if errors.Is(err, driver.ErrSkip) {
		r.span.End() // it is tried in another way
		return
	}
	r.of.seconds.WithLabelValues(r.of.pool, r.feed).Observe(time.Since(r.began).Seconds())
	if err != nil && !errors.Is(err, context.Canceled) && r.Err() != context.Canceled {
		r.of.failed.WithLabelValues(r.of.pool, r.feed).Inc()
		if r.span.IsRecording() { // without its text, which may have values
			kind := "error"
			if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
				kind = refusal.Code
			} else if errors.Is(err, context.DeadlineExceeded) {
				kind = "timeout"
			}
			r.span.SetAttributes(attribute.String("error.type", kind))
			r.span.SetStatus(codes.Error, "")
		}
	}
	r.span.End()
}

// TraceQueryStart implements pgx.QueryTracer.
func (w *statementWatch) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return w.begin(ctx, data.SQL)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*statementWatch) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if r, ok := ctx.Value(runningKey{}).(*running); ok {
		r.end(data.Err)
	}
}

// verbOf returns the first word of a statement, in capitals.
func verbOf(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n("), " ")
	if len(word) > 20 {
		word = word[:20]
	}
	return strings.ToUpper(word)
}
