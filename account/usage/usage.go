// Package usage counts the request units that keys use, by operation and day, stores the
// counts, and enforces the quotas of plans.
//
// Counting is in memory. A Meter stores its counts in numbered batches, which the store adds
// once each, so nothing is counted twice. A server that stops loses nothing; one that crashes
// loses the counts since its last batch. Several servers on one store add to the same sums.
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
	// AddUsage adds the rows of a writer's batch, unless it already has. A writer numbers its
	// batches from 1, and sends the next one when the last is stored.
	AddUsage(ctx context.Context, writer string, batch int64, rows []Row) error
	// LastBatch returns the number of a writer's last stored batch; 0: none.
	LastBatch(ctx context.Context, writer string) (int64, error)
	// UsageTotals returns the units that each key has used in a month, by key id.
	UsageTotals(ctx context.Context, month value.Month) (map[string]int64, error)
	// Usage returns what a key, or with an empty id every key, has used on the days from
	// first to last, in the order of keys, days and operations.
	Usage(ctx context.Context, keyID string, first, last value.Date) ([]Row, error)
}
