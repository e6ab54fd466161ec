package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // failures are made on purpose
	if os.Getenv(loadAddress) != "" {
		runLoad()
	}
	os.Exit(dbtest.Main(m))
}

func open(t *testing.T, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url)
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// put stores the price of a stock, in the second n of a day.
func put(t *testing.T, s *db.Store, symbol string, n int) {
	t.Helper()
	b := new(db.Batch)
	db.Put(b, &market.Observation{
		InstrumentID: market.ID("bist:" + symbol), AsOf: value.MustInstant("2026-03-18T07:00:00Z").Add(time.Duration(n) * time.Second),
		Last: value.MustDecimal(fmt.Sprint(n)),
	}, new(db.Outcome))
	if err := s.Store(t.Context(), b); err != nil {
		t.Error(err) // not Fatal: writers run beside the test
	}
}

// follower is what a server keeps of the log.
type follower struct {
	store *db.Store

	mu      sync.Mutex
	quotes  map[string]string // last price by symbol
	applied [][2]int64        // after and head of each call that succeeded
	failing int               // how many calls are still to fail
	failed  [][2]int64        // after and head of each call that failed
}

func (f *follower) apply(ctx context.Context, rows stream.Rows) error {
	after, head := rows.After, rows.Head
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failing > 0 {
		f.failing--
		f.failed = append(f.failed, [2]int64{after, head})
		return errors.New("the disk is full")
	}
	quotes, err := f.store.QuotesAfter(ctx, after)
	if err != nil {
		return err
	}
	for _, q := range quotes {
		f.quotes[q.InstrumentID.Symbol()] = q.Last.String()
	}
	f.applied = append(f.applied, [2]int64{after, head})
	return nil
}

// wait waits until the follower has these quotes.
func (f *follower) wait(t *testing.T, want map[string]string) {
	t.Helper()
	fixture.Eventually(t, fmt.Sprint(want), func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return maps.Equal(f.quotes, want)
	})
}

// run runs a Tailer until stop is called or the test ends, and fails the test
// when it then does not return.
func run(t *testing.T, tailer *stream.Tailer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tailer.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(fixture.Patience):
			t.Error("Run outlives its context")
		}
	})
	t.Cleanup(stop)
	return stop
}

func isCaughtUp(t *stream.Tailer) bool {
	select {
	case <-t.CaughtUp():
		return true
	default:
		return false
	}
}

func caughtUp(t *testing.T, tailer *stream.Tailer) {
	t.Helper()
	select {
	case <-tailer.CaughtUp():
	case <-time.After(fixture.Patience):
		t.Fatal("never caught up")
	}
}
