// Package stream follows the log in the database and streams its rows to clients.
// Writers only store; one Tailer per process reads what was committed, in order,
// and publishes it to the hubs that WebSockets and GraphQL subscriptions read.
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

	"piyasa/internal/epoch"
)

// Log is what a Tailer follows.
type Log interface {
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
	// Wake receives when a feed may have new numbers.
	Wake() <-chan struct{}
	// PollInterval returns how often to look without a wake-up.
	PollInterval() time.Duration
}

// Rows are rows of a feed: those numbered above After, up to Head.
type Rows struct {
	After, Head int64
	Epochs      epoch.Lineage // that the numbers belong to

	// Rebuild is set when a new epoch has begun since the last call. What was applied may not
	// be stored any more and must be replaced by what is stored now. After is then 0, and
	// nothing was lost up to Shared.
	Rebuild bool
	Shared  int64
}

// Apply applies rows of a feed; Head is the last number known. It may apply newer rows too,
// and must accept a row twice. The first call comes even if nothing is stored yet. Calls for
// different feeds may run at once.
type Apply func(context.Context, Rows) error

// Tailer calls the Apply of each feed whenever the feed has new numbers. It starts at number
// 0, so the first pass applies everything stored. It logs a failed pass and tries again;
// nothing is skipped. A feed that fails or hangs does not delay the others.
type Tailer struct {
	log      Log
	feeds    map[string]*feed
	names    []string // of feeds, in the order of passes
	caughtUp chan struct{}
	ended    chan struct{}  // receives when an Apply has ended that outlived its pass
	running  sync.WaitGroup // the Apply calls
	moment   atomic.Pointer[epoch.Moment]
}

// feed is what a Tailer knows of one feed.
type feed struct {
	apply    Apply
	position int64
	epochs   epoch.Lineage             // of the position
	failed   bool                      // whether the last Apply failed
	result   <-chan applied            // of the Apply that runs; nil: none
	asOf     atomic.Pointer[time.Time] // when everything stored was last applied; nil: never
}

// applied is the result of an Apply: its rows, and when they were everything stored.
type applied struct {
	rows Rows
	asOf time.Time
	err  error
}

// NewTailer returns a Tailer of feeds over log.
func NewTailer(log Log, feeds map[string]Apply) *Tailer {
	t := &Tailer{log: log, feeds: map[string]*feed{}, names: slices.Sorted(maps.Keys(feeds)), caughtUp: make(chan struct{}),
		ended: make(chan struct{}, 1)}
	for name, apply := range feeds {
		t.feeds[name] = &feed{apply: apply}
	}
	return t
}

// CaughtUp returns a channel that is closed once everything stored before the
// start has been applied.
func (t *Tailer) CaughtUp() <-chan struct{} { return t.caughtUp }

// BehindFor returns how long ago the named feeds, or all of them, were last known to be
// applied in full: next to nothing while the log is followed. It counts alike for a log that
// fails and one that hangs.
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

// Moment returns what the last look at the log showed, and whether there was one.
func (t *Tailer) Moment() (epoch.Moment, bool) {
	if m := t.moment.Load(); m != nil {
		return *m, true
	}
	return epoch.Moment{}, false
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

// pass applies what is new since the last pass.
func (t *Tailer) pass(ctx context.Context) error {
	m, err := t.log.Look(ctx)
	if err != nil {
		return err
	}
	if last := t.moment.Swap(&m); last != nil && last.Epochs.Current() != m.Epochs.Current() {
		slog.Warn("the store is in a new epoch; everything is read again", "epoch", m.Epochs.Current(), "before", last.Epochs.Current())
	}
	var failed []error
	for _, name := range t.names {
		if err := t.advance(ctx, name, m); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

// patience is how long a pass waits for one feed before it goes on to the next; the Apply
// keeps running.
const patience = time.Second

// errBehind reports that the log shows lower numbers than before in the same epoch.
var errBehind = errors.New("the database is behind what it has shown before")

// errUnknown reports that the log does not yet show the last number of a feed.
var errUnknown = errors.New("the synchronous standbys do not have yet what was stored before the start")

// next returns the rows to apply, and whether there is anything to do.
func (f *feed) next(name string, m epoch.Moment) (rows Rows, due bool, err error) {
	head, known := m.Heads[name]
	rows = Rows{After: f.position, Head: head, Epochs: m.Epochs}
	switch {
	case !known:
		return rows, false, errUnknown
	case f.asOf.Load() == nil:
		return rows, true, nil
	case f.epochs.Current() != m.Epochs.Current():
		rows.After, rows.Rebuild, rows.Shared = 0, true, f.epochs.Shared(m.Epochs, name)
		return rows, true, nil
	case rows.Head < f.position:
		return rows, false, errBehind
	}
	return rows, rows.Head > f.position, nil
}

// advance applies a feed up to its last number. A slow Apply keeps running while the pass
// goes on to other feeds; a later pass collects its result.
func (t *Tailer) advance(ctx context.Context, name string, m epoch.Moment) error {
	f := t.feeds[name]
	if f.result != nil {
		select {
		case done := <-f.result:
			return f.finish(done)
		default:
			return nil
		}
	}
	rows, due, err := f.next(name, m)
	if err != nil {
		f.failed = true
		return err
	}
	if !due {
		f.failed = false
		f.asOf.Store(&m.AsOf)
		return nil
	}
	result := make(chan applied, 1)
	t.running.Go(func() { result <- applied{rows, m.AsOf, f.apply(ctx, rows)} })
	select {
	case done := <-result:
		return f.finish(done)
	case <-time.After(patience):
	}
	left := make(chan applied, 1)
	t.running.Go(func() {
		left <- <-result
		select {
		case t.ended <- struct{}{}:
		default: // a wake-up is already pending
		}
	})
	f.result = left
	return nil
}

// finish records the result of an Apply.
func (f *feed) finish(done applied) error {
	f.result, f.failed = nil, done.err != nil
	if done.err == nil {
		f.position, f.epochs = done.rows.Head, done.rows.Epochs
		f.asOf.Store(&done.asOf)
	}
	return done.err
}
