package answer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/answer"
	"piyasa/services"
	"piyasa/test/fixture"
	"strings"
	"sync/atomic"
	"testing"
)

// logged is what is logged until the end of the test.
func logged(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(answer.Logged(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

// manyReads asks for twenty series, each of which reads the store.
func manyReads() string {
	var b strings.Builder
	for i := range 3 { // more would be heavy, and have a deadline of its own
		fmt.Fprintf(&b, `s%d: eod(id: \"bist:DMOST\") { count } `, i)
	}
	return `{"query": "{ ` + b.String() + `}"}`
}

// deadline is a context whose time is over when it says so.
type deadline struct {
	context.Context
	over atomic.Bool
}

// Err implements context.Context.
func (d *deadline) Err() error {
	if d.over.Load() {
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

// broken is a store whose history cannot be read; each attempt calls it first.
type broken struct {
	services.Store
	first func()
}

// Bars implements market.History.
func (b broken) Bars(context.Context, market.Resolution, []market.Span) ([]market.StoredBars, error) {
	b.first()
	return nil, errors.New("the store is broken")
}

// FirstBars implements market.History.
func (b broken) FirstBars(context.Context, market.Resolution, []market.ID, value.Instant) (map[market.ID]value.Instant, error) {
	return nil, errors.New("the store is broken")
}

// A request that has ended, and a store that fails, are logged once, whatever
// the number of fields, and as what they are.
func TestFailuresAreLoggedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		end          func(context.Context) (context.Context, func())
		level, shown string
	}{
		"ended": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		}, "INFO", "ended by its client"},
		"late": {func(ctx context.Context) (context.Context, func()) {
			late := &deadline{Context: ctx}
			return late, func() { late.over.Store(true) }
		}, "WARN", "took too long"},
		"broken": {func(ctx context.Context) (context.Context, func()) { return ctx, func() {} }, "ERROR", "broken"},
	} {
		for _, target := range []string{"/graphql", "/v1/eod/bist:DMOST"} {
			t.Run(name+target, func(t *testing.T) {
				ctx, end := c.end(t.Context())
				a := fixture.New(t, func(s *fixture.Setup) {
					s.Wrap = func(store services.Store) services.Store { return broken{store, end} }
				})
				log := logged(t)
				method := "GET"
				if target == "/graphql" {
					method = "POST"
				}
				r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(manyReads()))
				r.Header.Set("X-API-Key", fixture.All)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				a.ServeHTTP(w, r)
				text := log.String()
				if strings.Count(text, "\n") != 1 || !strings.Contains(text, "level="+c.level) || !strings.Contains(text, c.shown) ||
					!strings.Contains(text, "request_id="+w.Header().Get("X-Request-Id")+" key_id="+fixture.All+" ") {
					t.Errorf("%d %.200s logged\n%s", w.Code, w.Body.String(), text)
				}
			})
		}
	}
}
