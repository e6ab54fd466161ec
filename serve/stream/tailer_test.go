package stream_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// The first pass takes in all that is stored, of every feed; then CaughtUp is
// closed. What comes later arrives, from this process and from another.
func TestTailerTakesInEverything(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, other := open(t, url), open(t, url)
		put(t, s, "A", 1)
		put(t, s, "B", 2)
		put(t, s, "A", 3)
		need.NoError(t, s.CreateKey(t.Context(), &access.Key{ID: "k", Hash: "h", Scopes: []access.Scope{}}))
		f, keys := &follower{store: s, quotes: map[string]string{}}, make(chan [2]int64, 10)
		empty := make(chan [2]int64, 10)
		tailer := stream.NewTailer(s, map[string]stream.Apply{
			db.FeedQuotes: f.apply,
			db.FeedKeys: func(_ context.Context, rows stream.Rows) error {
				keys <- [2]int64{rows.After, rows.Head}
				return nil
			},
			db.FeedCatalog: func(_ context.Context, rows stream.Rows) error {
				empty <- [2]int64{rows.After, rows.Head}
				return nil
			},
		})
		if isCaughtUp(tailer) {
			t.Error("caught up before it runs")
		}
		stop := run(t, tailer)
		caughtUp(t, tailer)
		f.wait(t, map[string]string{"A": "3", "B": "2"}) // at once: CaughtUp came after
		if got := <-keys; got != [2]int64{0, 1} {
			t.Errorf("keys %v", got)
		}
		put(t, s, "B", 4)
		f.wait(t, map[string]string{"A": "3", "B": "4"})
		put(t, other, "C", 5) // nobody listens: found by looking
		f.wait(t, map[string]string{"A": "3", "B": "4", "C": "5"})
		stop()
		put(t, s, "D", 6)
		if got := f.applied; !slices.Equal(got, [][2]int64{{0, 3}, {3, 4}, {4, 5}}) {
			t.Errorf("called for %v", got)
		}
		if len(keys) > 0 {
			t.Errorf("keys again: %v", <-keys)
		}
		if got := <-empty; got != [2]int64{0, 0} || len(empty) > 0 {
			t.Errorf("the feed without rows was called for %v, and %d times more", got, len(empty))
		}
	})
}

// An empty database is caught up with at once.
func TestTailerOfAnEmptyDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		f := &follower{store: s, quotes: map[string]string{}}
		tailer := stream.NewTailer(s, map[string]stream.Apply{db.FeedQuotes: f.apply})
		run(t, tailer)
		caughtUp(t, tailer)
		put(t, s, "A", 1)
		f.wait(t, map[string]string{"A": "1"})
	})
}

// seldom is a log that is hardly ever looked at unasked.
type seldom struct{ *db.Store }

func (seldom) PollInterval() time.Duration { return time.Hour }

// A wake-up is enough: rows of this process arrive without a look in between.
func TestWakeIsEnough(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		f := &follower{store: s, quotes: map[string]string{}}
		tailer := stream.NewTailer(seldom{s}, map[string]stream.Apply{db.FeedQuotes: f.apply})
		run(t, tailer)
		caughtUp(t, tailer)
		for n := 1; n <= 3; n++ {
			put(t, s, "A", n)
			f.wait(t, map[string]string{"A": fmt.Sprint(n)})
		}
	})
}

// Run ends with its context, also in the middle of an Apply.
func TestRunEndsWithItsContext(t *testing.T) {
	s := open(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	put(t, s, "A", 1)
	began := make(chan struct{})
	tailer := stream.NewTailer(s, map[string]stream.Apply{db.FeedQuotes: func(ctx context.Context, _ stream.Rows) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}})
	stop := run(t, tailer)
	<-began
	stop()
	if isCaughtUp(tailer) {
		t.Error("caught up without its first pass")
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stream.NewTailer(s, nil).Run(ended) // returns
}

// With notifications another process's rows arrive at once, not at the next
// look; with many writers nothing is lost.
func TestTailerWithManyWriters(t *testing.T) {
	const writers, prices = 3, 8
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		f := &follower{store: s, quotes: map[string]string{}}
		ctx, cancel := context.WithCancel(t.Context())
		listening := make(chan struct{})
		go func() {
			defer close(listening)
			s.Listen(ctx)
		}()
		run(t, stream.NewTailer(s, map[string]stream.Apply{db.FeedQuotes: f.apply}))
		var all sync.WaitGroup
		want := map[string]string{}
		for w := range writers {
			store := open(t, url)
			for n := range prices {
				want[fmt.Sprintf("W%d.%d", w, n%3)] = fmt.Sprint(n)
			}
			all.Go(func() {
				for n := range prices {
					put(t, store, fmt.Sprintf("W%d.%d", w, n%3), n)
				}
			})
		}
		all.Wait()
		f.wait(t, want)
		cancel()
		<-listening
	})
}
