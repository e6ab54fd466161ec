package stream_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/internal/epoch"
	"piyasa/serve/stream"
)

// slate is a log whose heads a test writes.
type slate struct {
	head   atomic.Int64 // of the feeds a and b
	silent atomic.Bool  // it gives no answer until the context ends
	broken atomic.Bool
}

func (s *slate) Look(ctx context.Context) (m epoch.Moment, err error) {
	if s.broken.Load() {
		return m, errors.New("broken")
	}
	if s.silent.Load() {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		<-ctx.Done()
		return m, ctx.Err()
	}
	return epoch.Moment{Heads: map[string]int64{"a": s.head.Load(), "b": s.head.Load()}, AsOf: time.Now()}, nil
}

func (*slate) Wake() <-chan struct{}       { return nil }
func (*slate) PollInterval() time.Duration { return 100 * time.Millisecond }

// A feed that hangs holds up no other one, is behind for as long as it does,
// and goes on where it was.
func TestFeedThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, hangs, reached := &slate{}, atomic.Bool{}, atomic.Int64{}
		var took []int64
		tailer := stream.NewTailer(log, map[string]stream.Apply{
			"a": func(ctx context.Context, rows stream.Rows) error {
				if hangs.Load() {
					ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
					defer cancel()
					<-ctx.Done()
					return ctx.Err()
				}
				took = append(took, rows.After, rows.Head)
				return nil
			},
			"b": func(_ context.Context, rows stream.Rows) error {
				reached.Store(rows.Head)
				return nil
			},
		})
		if got := tailer.BehindFor(); got != math.MaxInt64 {
			t.Errorf("behind for %s before the start", got)
		}
		ctx, stop := context.WithCancel(t.Context())
		go tailer.Run(ctx)
		time.Sleep(time.Second)
		if got := tailer.BehindFor(); got > 100*time.Millisecond || !isCaughtUp(tailer) {
			t.Errorf("behind for %s", got)
		}
		hangs.Store(true)
		for n := range int64(60) {
			log.head.Store(n + 1)
			time.Sleep(2 * time.Second)
			if got := reached.Load(); got != n+1 {
				t.Fatalf("b is at %d of %d while a hangs", got, n+1)
			}
		}
		if a, b := tailer.BehindFor("a"), tailer.BehindFor("b"); a < 2*time.Minute || b > 2*time.Second || tailer.BehindFor() != a {
			t.Errorf("behind: a for %s, b for %s", a, b)
		}
		hangs.Store(false)
		time.Sleep(25 * time.Second)
		if got := tailer.BehindFor(); got > 100*time.Millisecond {
			t.Errorf("behind for %s afterwards", got)
		}
		stop()
		synctest.Wait()
		if len(took) != 4 || took[2] != 0 || took[3] != 60 {
			t.Errorf("a took in %v", took)
		}
	})
}

// A feed that always takes long and always comes to an end is not behind for
// longer than it takes.
func TestSlowFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slate{}
		tailer := stream.NewTailer(log, map[string]stream.Apply{"a": func(context.Context, stream.Rows) error {
			time.Sleep(3 * time.Second)
			return nil
		}})
		ctx, stop := context.WithCancel(t.Context())
		go tailer.Run(ctx)
		time.Sleep(4 * time.Second)
		for range 300 {
			log.head.Add(1)
			time.Sleep(100 * time.Millisecond)
			if got := tailer.BehindFor(); got > 7*time.Second {
				t.Fatalf("behind for %s", got)
			}
		}
		stop()
		time.Sleep(4 * time.Second)
	})
}

// Silence of the log counts from its first moment, as errors do.
func TestSilentLog(t *testing.T) {
	for name, fail := range map[string]func(*slate, bool){
		"silent": func(s *slate, on bool) { s.silent.Store(on) },
		"broken": func(s *slate, on bool) { s.broken.Store(on) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &slate{}
				tailer := stream.NewTailer(log, map[string]stream.Apply{"a": func(context.Context, stream.Rows) error { return nil }})
				ctx, stop := context.WithCancel(t.Context())
				go tailer.Run(ctx)
				time.Sleep(time.Second)
				fail(log, true)
				for s := range 60 {
					time.Sleep(time.Second)
					if got, least := tailer.BehindFor(), time.Duration(s)*time.Second; got < least || got > least+1200*time.Millisecond {
						t.Fatalf("behind for %s after %d s", got, s+1)
					}
				}
				fail(log, false)
				time.Sleep(6 * time.Second)
				if got := tailer.BehindFor("a"); got > 100*time.Millisecond {
					t.Errorf("behind for %s afterwards", got)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}
