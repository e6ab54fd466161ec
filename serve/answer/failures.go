package answer

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"piyasa/internal/problem"
)

// failures holds the causes that an answer has logged.
type failures struct {
	mu     sync.Mutex
	logged map[string]bool
}

// maxLogged is the most causes that one answer logs.
const maxLogged = 5

type failuresKey struct{}

// WithFailures returns a context for one answer, which logs each cause once.
func WithFailures(ctx context.Context) context.Context {
	return context.WithValue(ctx, failuresKey{}, &failures{logged: map[string]bool{}})
}

// isNew reports whether to log a cause.
func (f *failures) isNew(cause string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.logged[cause] || len(f.logged) == maxLogged {
		return false
	}
	f.logged[cause] = true
	return true
}

// LogCause logs the hidden cause of a problem at a place of the answer. If the request itself has
// ended, that is logged as the cause, since it is not an error of the server.
func LogCause(ctx context.Context, place string, e *problem.Error) {
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
	slog.Log(ctx, level, message, "path", place, "cause", why)
}
