package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestGroupStopsInTheOppositeOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := newGroup(ctx)
		var ended []string
		for _, name := range []string{"store", "tailer", "server"} {
			g.start(name, func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(time.Second) // the one before must not stop meanwhile
				ended = append(ended, name)
				return ctx.Err()
			})
		}
		g.start("migration", func(context.Context) error { return nil }) // its work is done
		synctest.Wait()
		if len(ended) != 0 {
			t.Fatalf("%v ended by themselves", ended)
		}
		cancel()
		if err := g.wait(); err != nil {
			t.Error(err)
		}
		if want := []string{"server", "tailer", "store"}; !slices.Equal(ended, want) {
			t.Errorf("ended in the order %v, want %v", ended, want)
		}
	})
}

func TestGroupLosesNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t.Context())
		broken, late := errors.New("broken"), errors.New("late")
		g.start("first", func(ctx context.Context) error {
			<-ctx.Done()
			return late
		})
		g.start("second", func(context.Context) error {
			time.Sleep(time.Minute)
			return broken
		})
		err := g.wait()
		if !errors.Is(err, broken) || !errors.Is(err, late) || !strings.Contains(err.Error(), "second: broken") {
			t.Errorf("got %v", err)
		}
	})
}

// A part whose own work was cancelled by something else has failed.
func TestGroupTellsForeignCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t.Context())
		g.start("part", func(context.Context) error { return context.Canceled })
		if err := g.wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
