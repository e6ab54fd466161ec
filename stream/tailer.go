// Package stream follows the log that the database is. Writers only store;
// one Tailer per process reads what was committed, in order, and hands it on.
package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
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
// a row twice. The first call comes also when nothing is stored yet. Applies of
// different feeds may run at once.
type Apply func(ctx context.Context, after, head int64) error

// Tailer calls the Apply of each feed whenever its head has moved. The zero
// position is before everything, so the first pass takes in all that is
// stored. A failed pass is logged and tried again; nothing is skipped. A feed
// that fails or hangs does not hold up the others.
type Tailer struct {
	log      Log
	feeds    map[string]*feed
	names    []string // of feeds, in the order of passes
	caughtUp chan struct{}
	ended    chan struct{}  // receives when an Apply that was left to itself has ended
	running  sync.WaitGroup // of Applies
	heads    atomic.Pointer[map[string]int64]
}

// feed is what a Tailer knows of one feed.
type feed struct {
	apply    Apply
	position int64
	failed   bool                      // whether the last Apply did
	result   <-chan applied            // of the Apply that runs; nil: none
	asOf     atomic.Pointer[time.Time] // when all that there was had been taken in; nil: never
}

// applied is how an Apply up to head ended, which was the head at a moment.
type applied struct {
	head int64
	at   time.Time
	err  error
}

// NewTailer returns a Tailer of feeds over log.
func NewTailer(log Log, feeds map[string]Apply) *Tailer {
	t := &Tailer{log: log, feeds: map[string]*feed{}, names: slices.Sorted(maps.Keys(feeds)), caughtUp: make(chan struct{}), ended: make(chan struct{}, 1)}
	for name, apply := range feeds {
		t.feeds[name] = &feed{apply: apply}
	}
	return t
}

// CaughtUp is closed once everything stored before the start has been taken in.
func (t *Tailer) CaughtUp() <-chan struct{} { return t.caughtUp }

// BehindFor is how long ago the log was last known to be taken in whole: of
// the feeds that are named, or of all. While it is followed that is a moment. A
// log that cannot be read and one that gives no answer are the same.
func (t *Tailer) BehindFor(names ...string) (longest time.Duration) {
	if len(names) == 0 {
		names = t.names
	}
	for _, name := range names {
		asOf := t.feeds[name].asOf.Load()
		if asOf == nil {
			return math.MaxInt64
		}
		longest = max(longest, time.Since(*asOf))
	}
	return longest
}

// Heads are the newest numbers seen, of all feeds of the log; nil before the
// first look.
func (t *Tailer) Heads() map[string]int64 {
	if heads := t.heads.Load(); heads != nil {
		return *heads
	}
	return nil
}

// Run follows the log until ctx ends.
func (t *Tailer) Run(ctx context.Context) {
	poll := time.NewTicker(t.log.PollInterval())
	defer poll.Stop()
	defer t.running.Wait()
	failing, first := false, true
	for {
		err := t.pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			failing = true
			slog.Error("following the database failed; trying again", "error", err)
		case err == nil && failing && t.every(func(f *feed) bool { return !f.failed }):
			failing = false
			slog.Info("following the database again")
		}
		if first && t.every(func(f *feed) bool { return f.asOf.Load() != nil }) && err == nil {
			first = false
			close(t.caughtUp)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.log.Wake():
		case <-t.ended:
		case <-poll.C:
		}
	}
}

func (t *Tailer) every(is func(*feed) bool) bool {
	for _, f := range t.feeds {
		if !is(f) {
			return false
		}
	}
	return true
}

// pass takes in what is new since the last one.
func (t *Tailer) pass(ctx context.Context) error {
	now := time.Now()
	heads, err := t.log.Heads(ctx)
	if err != nil {
		return err
	}
	t.heads.Store(&heads)
	var failed []error
	for _, name := range t.names {
		if err := t.advance(ctx, t.feeds[name], heads[name], now); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

// patience is how long a pass waits for one feed before it turns to the next
// and leaves the Apply to itself.
const patience = time.Second

// advance takes in a feed up to what is its head now. An Apply that takes long
// goes on while other feeds get their turn, and is looked at again when it has
// ended.
func (t *Tailer) advance(ctx context.Context, f *feed, head int64, now time.Time) error {
	if f.result != nil {
		select {
		case done := <-f.result:
			return f.take(done)
		default:
			return nil
		}
	}
	if f.asOf.Load() != nil && head == f.position {
		f.asOf.Store(&now)
		return nil
	}
	result := make(chan applied, 1)
	t.running.Go(func() { result <- applied{head, now, f.apply(ctx, f.position, head)} })
	select {
	case done := <-result:
		return f.take(done)
	case <-time.After(patience):
	}
	left := make(chan applied, 1)
	t.running.Go(func() {
		left <- <-result
		select {
		case t.ended <- struct{}{}:
		default: // somebody looks already
		}
	})
	f.result = left
	return nil
}

// take notes how an Apply has ended.
func (f *feed) take(done applied) error {
	f.result, f.failed = nil, done.err != nil
	if done.err == nil {
		f.position = done.head
		f.asOf.Store(&done.at)
	}
	return done.err
}
