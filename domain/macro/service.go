package macro

import (
	"context"

	"piyasa/internal/value"
)

// Store reads the occurrences of events.
type Store interface {
	// CalendarRecords returns the occurrences from first to last, both included, by time, then
	// event id; only of the events ids, unless it is nil.
	CalendarRecords(ctx context.Context, first, last value.Instant, ids []int) ([]*CalendarRecord, error)
}

// Service answers questions about the economy. Each method checks the scope of the caller, then
// its arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Store Store
	Live  *Live
	Now   value.Clock
}
