package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"piyasa/problem"
)

// failures are what an answer has logged: an answer of many fields says each
// cause once.
type failures struct {
	mu   sync.Mutex
	told map[string]bool
}

// maxTold bounds how many causes one answer logs.
const maxTold = 5

type failuresKey struct{}

// withFailures gives an answer failures of its own.
func withFailures(ctx context.Context) context.Context {
	return context.WithValue(ctx, failuresKey{}, &failures{told: map[string]bool{}})
}

// isNew reports whether a cause is to be logged.
func (f *failures) isNew(cause string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told[cause] || len(f.told) == maxTold {
		return false
	}
	f.told[cause] = true
	return true
}

// logCause keeps what a problem at a place of the answer does not show. When
// the request itself has ended, that is what happened, and nobody's mistake.
func logCause(ctx context.Context, place string, e *problem.Error) {
	cause := e.Unwrap()
	if cause == nil {
		return
	}
	level, message, why := slog.LevelError, "request failed", cause.Error()
	switch ended := ctx.Err(); {
	case errors.Is(ended, context.DeadlineExceeded):
		level, message, why = slog.LevelWarn, "request took too long", ended.Error()
	case ended != nil:
		level, message, why = slog.LevelInfo, "request ended by its client", context.Cause(ctx).Error()
	}
	if f, ok := ctx.Value(failuresKey{}).(*failures); ok && !f.isNew(why) {
		return
	}
	slog.Log(ctx, level, message, "request_id", requestID(ctx), "path", place, "cause", why)
}
