// Package stream follows the log that the database is. Writers only store;
// one Tailer per process reads what was committed, in order, and hands it on.
package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// Log is what a Tailer follows.
type Log interface {
	// Heads is the newest number of every feed.
	Heads(context.Context) (map[string]int64, error)
	// Wake receives after a head may have moved.
	Wake() <-chan struct{}
	// PollInterval is how often to look unasked.
	PollInterval() time.Duration
}

// Apply takes in every row of a feed that is numbered above after; head is the
// newest number known. It may take in newer rows too and must not mind seeing
// a row twice. The first call comes also when nothing is stored yet.
type Apply func(ctx context.Context, after, head int64) error

// Tailer calls the Apply of each feed whenever its head has moved. The zero
// position is before everything, so the first pass takes in all that is
// stored. A failed pass is logged and tried again; nothing is skipped.
type Tailer struct {
	log       Log
	feeds     map[string]Apply
	positions map[string]int64
	caughtUp  chan struct{}
	failing   atomic.Pointer[time.Time] // since when; nil: not failing
}

// NewTailer returns a Tailer of feeds over log.
func NewTailer(log Log, feeds map[string]Apply) *Tailer {
	return &Tailer{log: log, feeds: feeds, positions: map[string]int64{}, caughtUp: make(chan struct{})}
}

// CaughtUp is closed once everything stored before the start has been taken in.
func (t *Tailer) CaughtUp() <-chan struct{} { return t.caughtUp }

// FailingFor is how long the log has failed to be followed; 0 when it is.
func (t *Tailer) FailingFor() time.Duration {
	if since := t.failing.Load(); since != nil {
		return time.Since(*since)
	}
	return 0
}

// Run follows the log until ctx ends.
func (t *Tailer) Run(ctx context.Context) {
	poll := time.NewTicker(t.log.PollInterval())
	defer poll.Stop()
	first := true
	for {
		err := t.pass(ctx)
		switch failing := t.failing.Load() != nil; {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			now := time.Now()
			t.failing.Store(&now)
			slog.Error("following the database failed; trying on", "error", err)
		case err == nil && failing:
			t.failing.Store(nil)
			slog.Info("following the database again")
		}
		if first && err == nil {
			first = false
			close(t.caughtUp)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.log.Wake():
		case <-poll.C:
		}
	}
}

// pass takes in what is new since the last one. A feed that fails does not
// stop the others.
func (t *Tailer) pass(ctx context.Context) error {
	heads, err := t.log.Heads(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, feed := range slices.Sorted(maps.Keys(t.feeds)) {
		after, begun := t.positions[feed]
		head := heads[feed]
		if begun && head == after {
			continue
		}
		if err := t.feeds[feed](ctx, after, head); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", feed, err))
			continue
		}
		t.positions[feed] = head
	}
	return errors.Join(failed...)
}
