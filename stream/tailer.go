// Package stream follows the log that the database is. Writers only store;
// one Tailer per process reads what was committed, in order, and hands it on.
package stream

import (
	"context"
	"log/slog"
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
// a row twice.
type Apply func(ctx context.Context, after, head int64) error

// Tailer calls the Apply of each feed whenever its head has moved. The zero
// position is before everything, so the first pass takes in all that is
// stored. A failed pass is logged and tried again; nothing is skipped.
type Tailer struct {
	log       Log
	feeds     map[string]Apply
	positions map[string]int64
	caughtUp  chan struct{}
}

// NewTailer returns a Tailer of feeds over log.
func NewTailer(log Log, feeds map[string]Apply) *Tailer {
	return &Tailer{log, feeds, map[string]int64{}, make(chan struct{})}
}

// CaughtUp is closed once everything stored before the start has been taken in.
func (t *Tailer) CaughtUp() <-chan struct{} { return t.caughtUp }

// Run follows the log until ctx ends.
func (t *Tailer) Run(ctx context.Context) {
	poll := time.NewTicker(t.log.PollInterval())
	defer poll.Stop()
	first, failing := true, false
	for {
		err := t.pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			slog.Error("following the database failed; trying on", "error", err)
		case err == nil && failing:
			slog.Info("following the database again")
		}
		failing = err != nil
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

// pass takes in what is new since the last one.
func (t *Tailer) pass(ctx context.Context) error {
	heads, err := t.log.Heads(ctx)
	if err != nil {
		return err
	}
	for feed, apply := range t.feeds {
		after, head := t.positions[feed], heads[feed]
		if head == after {
			continue
		}
		if err := apply(ctx, after, head); err != nil {
			return err
		}
		t.positions[feed] = head
	}
	return nil
}
