// Package deliver hands the changes of the log to sinks outside: files, webhooks, message brokers.
// A sink follows feeds from positions that the store keeps, which move only after the other side
// has acknowledged. So everything is delivered in order and at least once, and its position tells
// what comes twice. It also makes backups by schedule, to the places of files.
package deliver

import (
	"context"
	"encoding/json"
	"time"

	"piyasa/db"
	"piyasa/internal/epoch"
)

// Sink is where changes go. One call at a time is made of each.
type Sink interface {
	// Deliver takes changes of one feed, in order. They count as delivered after Commit; what was
	// taken since the last one comes again after an error.
	Deliver(context.Context, *Batch) error

	// Commit returns when the other side has everything that was taken, which is all that the log
	// has if it is caughtUp. Then the state is kept, which the sink may have changed.
	Commit(ctx context.Context, s *State, caughtUp bool) error

	// Resume is called before the first Deliver, and after an error: with what the store keeps. The
	// sink may know better how far it has come, and changes the state.
	Resume(context.Context, *State) error

	// WentBack says that the store has gone back, before the first Deliver of what it has instead.
	// The sink may start again by changing the state.
	WentBack(context.Context, Back, *State) error

	// Check tries the other side, and delivers nothing.
	Check(context.Context) error

	// Close lets go of the other side.
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

// Back says how the store has gone back: what was numbered above Kept, up to Was, may not be stored
// any more. Kept 0: nothing is known of the store that Was is of.
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

// String writes the position as events state it.
func (p Position) String() string { return epoch.Position{Epoch: p.Epoch, Seq: p.Number}.String() }

// State is what the store keeps of a sink.
type State struct {
	Feeds     map[string]Position `json:"feeds"`
	Kept      json.RawMessage     `json:"kept,omitempty"`    // of the sink itself
	Delivered int64               `json:"delivered"`         // changes, since it is known
	Rewound   bool                `json:"rewound,omitempty"` // by an operator, whatever the sink knows
	Failures  int                 `json:"failures"`          // in a row
	Failed    int64               `json:"failed"`            // deliveries, since it is known
	Error     string              `json:"error,omitempty"`
	FailedAt  time.Time           `json:"failed_at,omitzero"`
	CaughtUp  time.Time           `json:"caught_up,omitzero"` // when it last had everything
	Disabled  string              `json:"disabled,omitempty"` // why nothing is delivered any more
	Waiting   string              `json:"waiting,omitempty"`  // for what, though nothing has failed

	FailingSince time.Time `json:"failing_since,omitzero"` // without a success in between
}

// Reach is what reaches a sink of the log.
type Reach struct {
	Kinds   []string `json:"kinds"`   // empty: all
	Markets []string `json:"markets"` // of instruments; empty: all
}

// refusal is an error that says how to go on after it.
type refusal struct {
	error
	after      time.Duration // how long the other side asks to wait
	gone       bool          // it wants nothing any more
	progressed bool          // it has taken something since the failure before
	waits      bool          // nothing has failed, but nothing may be delivered now
}

func (r *refusal) Unwrap() error { return r.error }
