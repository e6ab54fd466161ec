package stream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// A failed pass is tried again from the same number, and nothing that came
// meanwhile is skipped. A start that fails has not caught up.
func TestFailedApplyIsTriedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, "A", 1)
		f := &follower{store: s, quotes: map[string]string{}, failing: 2}
		var tailer *stream.Tailer
		tailer = stream.NewTailer(s, map[string]stream.Apply{db.FeedQuotes: func(ctx context.Context, rows stream.Rows) error {
			if rows.After == 0 && isCaughtUp(tailer) {
				t.Error("caught up before the first success")
			}
			return f.apply(ctx, rows)
		}})
		run(t, tailer)
		caughtUp(t, tailer)
		f.wait(t, map[string]string{"A": "1"})

		f.mu.Lock()
		f.failing = 3
		f.mu.Unlock()
		put(t, s, "B", 2)
		put(t, s, "A", 3)
		put(t, s, "C", 4)
		f.wait(t, map[string]string{"A": "3", "B": "2", "C": "4"})
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.failed) != 5 {
			t.Errorf("failed for %v", f.failed)
		}
		for i, call := range f.failed {
			if after := [5]int64{0, 0, 1, 1, 1}[i]; call[0] != after {
				t.Errorf("failed call %d was after %d, want %d", i+1, call[0], after)
			}
		}
		for i, call := range f.applied[1:] {
			if call[0] != f.applied[i][1] {
				t.Errorf("taken in with gaps: %v", f.applied)
			}
		}
	})
}

// One feed that always fails does not keep the others back for ever.
func TestOneFailingFeed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		f := &follower{store: s, quotes: map[string]string{}}
		need.NoError(t, s.CreateKey(t.Context(), &access.Key{ID: "k", Hash: "h", Scopes: []access.Scope{}}))
		put(t, s, "A", 1)
		tailer := stream.NewTailer(s, map[string]stream.Apply{
			db.FeedQuotes: f.apply,
			db.FeedKeys:   func(context.Context, stream.Rows) error { return errors.New("never") },
		})
		run(t, tailer)
		f.wait(t, map[string]string{"A": "1"})
		put(t, s, "A", 2)
		f.wait(t, map[string]string{"A": "2"})
		if isCaughtUp(tailer) {
			t.Error("caught up without the keys")
		}
	})
}

// A database that does not answer for a while is followed again afterwards.
func TestDatabaseThatComesBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, raw, writer := open(t, url), dbtest.Raw(t, url), open(t, url)
		f := &follower{store: s, quotes: map[string]string{}}
		tailer := stream.NewTailer(s, map[string]stream.Apply{db.FeedQuotes: f.apply})
		rename := func(from, to string) {
			t.Helper()
			if _, err := raw.Exec("ALTER TABLE " + from + " RENAME TO " + to); err != nil {
				t.Fatal(err)
			}
		}
		rename("heads", "elsewhere")
		run(t, tailer)
		select {
		case <-tailer.CaughtUp():
			t.Error("caught up with nothing")
		case <-time.After(2 * s.PollInterval()):
		}
		rename("elsewhere", "heads")
		caughtUp(t, tailer)
		put(t, writer, "A", 1)
		f.wait(t, map[string]string{"A": "1"})
	})
}
