package collect

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// errTaken says that a collector lost a source, for instance because it was stopped for
// longer than its claim lasted.
var errTaken = errors.New("another collector has taken the source over")

// claim claims the source, or claims it for longer, and returns its state.
func (r *runner) claim(ctx context.Context, most time.Duration) (text []byte, claimed bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return r.Store.ClaimSource(bounded, r.Name, r.Holder, leaseTime)
}

// hold renews the claim, however long an answer takes, until it is released. The context
// that it returns ends when another collector has the source.
func (r *runner) hold(ctx context.Context) (context.Context, func() error) {
	held, lose := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for wait(held, renewEvery) == nil {
			_, claimed, err := r.claim(held, renewEvery)
			if err != nil && held.Err() == nil {
				slog.Warn("the claim of a source could not be renewed", "source", r.Name, "error", err)
			}
			if err == nil && !claimed {
				lose(errTaken)
			}
		}
	}()
	return held, func() error {
		lose(nil)
		<-done
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
		defer cancel()
		return r.Store.ReleaseSource(bounded, r.Name, r.Holder)
	}
}

// taken returns errTaken when that is why a context has ended.
func taken(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errTaken) {
		return err
	}
	return nil
}
