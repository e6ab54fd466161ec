package collect

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Times of claims.
const (
	LeaseTime  = 30 * time.Second // after which another process continues if one has died
	RenewEvery = LeaseTime / 3
	claimTime  = 30 * time.Second // that a store may take for a claim
	lookAgain  = time.Second      // between looks of a waiting process
)

// ErrTaken says that a process lost its claim, for instance because it was stopped for longer
// than its claim lasted.
var ErrTaken = errors.New("another process has taken it over")

// Claim is the right of one process to do a job for some time: to collect a source, or to
// deliver a sink. Take or Await gets it, Hold keeps it.
type Claim struct {
	What    string // in messages
	Ask     func(ctx context.Context, lease time.Duration) (state json.RawMessage, claimed bool, err error)
	Release func(context.Context) error
}

// Take takes or extends the claim, and returns the state that belongs to it. If the caller gives
// up meanwhile, Take releases what the store may have given it.
func (c Claim) Take(ctx context.Context) (state json.RawMessage, claimed bool, err error) {
	state, claimed, err = c.take(ctx, claimTime)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(err, c.release(ctx))
	}
	return state, claimed, err
}

// release releases the claim although ctx has ended.
func (c Claim) release(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
	defer cancel()
	return c.Release(bounded)
}

// Await takes the claim. If a killed process has left it, Await waits for as long as such a
// claim may last; a holder that remains after that is alive. It waits no longer than patience.
func (c Claim) Await(ctx context.Context, patience time.Duration) (state json.RawMessage, claimed bool, err error) {
	until := time.Now().Add(min(patience, LeaseTime+lookAgain))
	for {
		state, claimed, err = c.Take(ctx)
		if claimed || err != nil || time.Now().Add(lookAgain).After(until) || Wait(ctx, lookAgain) != nil {
			return state, claimed, err
		}
	}
}

func (c Claim) take(ctx context.Context, most time.Duration) (state json.RawMessage, claimed bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return c.Ask(bounded, LeaseTime)
}

// Hold renews the claim until it is released. The returned context ends, with ErrTaken as its
// cause, if another process gets the claim.
func (c Claim) Hold(ctx context.Context) (held context.Context, release func() error) {
	held, lose := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for Wait(held, RenewEvery) == nil {
			_, claimed, err := c.take(held, RenewEvery)
			if err != nil && held.Err() == nil {
				slog.Warn("a claim could not be renewed", "of", c.What, "error", err)
			}
			if err == nil && !claimed {
				lose(ErrTaken)
			}
		}
	}()
	return held, func() error {
		lose(nil)
		<-done
		return c.release(ctx)
	}
}

// taken returns ErrTaken if that ended the context.
func taken(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, ErrTaken) {
		return err
	}
	return nil
}

// Wait waits for d, or returns why the context ended.
func Wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mostPause is the longest pause after failures.
const mostPause = 30 * time.Minute

// Backoff returns how long to wait after failures in a row: twice as long each time, plus up to
// a quarter so that many clients do not return together, and at least asked, as the upstream
// demands.
func Backoff(failures int, first, asked time.Duration) time.Duration {
	pause := min(mostPause, first<<min(max(failures-1, 0), 15))
	return max(pause+rand.N(pause/4), asked)
}
