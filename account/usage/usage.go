// Package usage counts the request units that keys use, by operation and day, stores
// what was counted, and keeps the quotas of plans.
//
// Counting is in memory. A Meter stores what it has counted in numbered batches, which
// the store adds once each: nothing is lost when a server stops, what was counted since
// the last batch when it crashes, and nothing is counted twice. Several servers on one
// store add to the same sums.
package usage

import (
	"context"

	"piyasa/internal/value"
)

// Row is what one key has used of one operation on one day (UTC).
type Row struct {
	KeyID     string
	Day       value.Date
	Operation string // a route such as /v1/quotes/{id}, or a part of one such as /graphql:quote
	Units     int64
}

// Store keeps what was counted.
type Store interface {
	// AddUsage adds the rows of a writer's batch, unless it has done so. A writer numbers
	// its batches from 1 on, and sends the next one when the last is stored.
	AddUsage(ctx context.Context, writer string, batch int64, rows []Row) error
	// LastBatch returns the number of the last batch of a writer that is stored; 0: none.
	LastBatch(ctx context.Context, writer string) (int64, error)
	// UsageTotals returns what each key has used in a month, by its id.
	UsageTotals(ctx context.Context, month value.Month) (map[string]int64, error)
	// Usage returns what a key has used on days from first to last, or with an empty id
	// what every key has; in the order of keys, days and operations.
	Usage(ctx context.Context, keyID string, first, last value.Date) ([]Row, error)
}
