package dbtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"piyasa/db"
)

// Open opens a database until the test ends. It retries for 30 seconds, since a busy machine may
// miss a short timeout of the options.
func Open(tb testing.TB, databaseURL string, options ...db.Option) *db.Store {
	tb.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		s, err := db.Open(tb.Context(), databaseURL, options...)
		if err == nil {
			tb.Cleanup(func() { _ = s.Close() })
			return s
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Now().After(end) {
			tb.Fatal(err)
		}
	}
}
