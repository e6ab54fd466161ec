// Package deliver hands the changes of the log to external sinks: files, webhooks, message brokers.
// A sink follows feeds from positions that the store keeps and moves only after the receiver has
// acknowledged. So every change is delivered in order and at least once, and its position reveals
// duplicates. The package also makes backups by schedule, to the same places as files.
package deliver

import (
	"context"
	"encoding/json"
	"time"

	"piyasa/db"
	"piyasa/internal/epoch"
)

// Sink hands changes to a receiver: files, a webhook, or a broker. A runner calls Resume, then
// Deliver and Commit in turn; it makes one call of a sink at a time.
type Sink interface {
	// Deliver takes changes of one feed, in order. They count as delivered after Commit; after an
	// error, all changes since the last Commit come again.
	Deliver(context.Context, *Batch) error

	// Commit returns when the receiver has everything that was taken. caughtUp means that this is
	// all that the log has. Then the state is stored; the sink may change it before.
	Commit(ctx context.Context, s *State, caughtUp bool) error

	// Resume is called before the first Deliver, and after an error, with the stored state. A sink
	// that knows better what has been delivered changes the state.
	Resume(context.Context, *State) error

	// WentBack reports that the store has gone back, before the first Deliver of what it has now.
	// The sink may start again by changing the state.
	WentBack(context.Context, Back, *State) error

	// Check tries to reach the receiver, and delivers nothing.
	Check(context.Context) error

	// Close closes the connection to the receiver.
	Close() error
}

// Batch is changes of one feed, and the positions before and after them.
type Batch struct {
	Feed        string
	Changes     []db.Change
	Epochs      epoch.Lineage
	From, After Position
}

// Through returns the position after a change of the batch.
func (b *Batch) Through(c *db.Change) Position {
	to := b.From.Through(c, b.After.Cursor)
	return Position{b.Epochs.Position(b.Feed, max(to.Number, to.To)).Epoch, to}
}

// Back states how the store has gone back: rows numbered above Kept, up to Was, may not be stored
// any more. Kept 0: nothing is known of the store that Was belongs to.
type Back struct {
	Feed string
	Was  Position
	Kept int64
}

// Position is how far a feed has been delivered.
type Position struct {
	Epoch string `json:"epoch"`
	db.Cursor
}

// String returns the position as events state it.
func (p Position) String() string { return epoch.Position{Epoch: p.Epoch, Seq: p.Number}.String() }

// State is what the store keeps about a sink.
type State struct {
	Feeds     map[string]Position `json:"feeds"`
	Kept      json.RawMessage     `json:"kept,omitempty"`    // the sink's own data
	Delivered int64               `json:"delivered"`         // changes, since the sink exists
	Rewound   bool                `json:"rewound,omitempty"` // moved by an operator, which overrides what the sink knows
	Failures  int                 `json:"failures"`          // in a row
	Failed    int64               `json:"failed"`            // deliveries, since the sink exists
	Error     string              `json:"error,omitempty"`
	FailedAt  time.Time           `json:"failed_at,omitzero"`
	CaughtUp  time.Time           `json:"caught_up,omitzero"` // when it last had everything
	Disabled  string              `json:"disabled,omitempty"` // why nothing is delivered any more
	Waiting   string              `json:"waiting,omitempty"`  // what it waits for without a failure

	FailingSince time.Time `json:"failing_since,omitzero"` // since when it was tried without a success
}

// Reach states which changes of the log reach a sink.
type Reach struct {
	Kinds   []string `json:"kinds"`   // empty: all
	Markets []string `json:"markets"` // of instruments; empty: all
}

// refusal is an error that says how to continue after it.
type refusal struct {
	error
	after      time.Duration // how long the receiver asks to wait
	gone       bool          // the receiver wants no more events
	progressed bool          // the receiver has taken something since the last failure
	waits      bool          // nothing has failed, but nothing may be delivered now
}

func (r *refusal) Unwrap() error { return r.error }
