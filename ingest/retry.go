package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"piyasa/db"
)

// DefaultRetryFor is how long ingest by default retries what the database could not do.
const DefaultRetryFor = time.Hour

const (
	firstPause, maxPause = 100 * time.Millisecond, 2 * time.Second // between two tries
	lastTries            = 5 * time.Second                         // how long to continue after the signal to stop
)

// repeat calls try until it succeeds or fails for good. Its work may already have been done. In
// the meantime no more lines are read than fit into memory. It gives up after RetryFor, or soon
// after ending.
func (w *writer) repeat(ctx context.Context, try func(context.Context) error) error {
	began := time.Now()
	err := try(ctx)
	if w.options.RetryFor == 0 || !db.Transient(err) {
		return err
	}
	slog.Warn("waiting for the database", "at_most", w.options.RetryFor.String(), "error", err)
	w.options.Metrics.waits(true)
	defer w.options.Metrics.waits(false)
	limit, giveUp := context.WithTimeout(ctx, w.options.RetryFor)
	defer giveUp()
	go func() {
		select {
		case <-w.ending:
		case <-limit.Done():
			return
		}
		select {
		case <-time.After(lastTries):
			giveUp()
		case <-limit.Done():
		}
	}()
	first, ending := time.Now(), w.ending
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		select {
		case <-time.After(pause):
		case <-ending:
			ending, pause = nil, firstPause
		case <-limit.Done():
			return fmt.Errorf("the database was away for %s: %w", time.Since(first).Round(time.Second), err)
		}
		w.gaps.postpone(time.Since(began))
		began = time.Now()
		failed := try(limit)
		switch {
		case failed == nil:
			slog.Info("the database is available", "after", time.Since(first).Round(time.Millisecond).String())
			return nil
		case limit.Err() != nil: // err says more
		case !db.Transient(failed):
			return failed
		default:
			err = failed
		}
	}
}
