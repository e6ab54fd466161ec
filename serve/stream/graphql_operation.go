package stream

import (
	"context"
	"sync"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
)

// Operation carries the resume position between a transport and the stream behind
// one GraphQL subscription, through the context: the executor between them knows
// neither.
type Operation struct {
	After  *epoch.Position // resume after it, whatever the document says; may be nil
	Ending <-chan struct{} // closed when the server shuts down: pending events are still sent; may be nil

	// Heartbeat is how often Bookmark is brought up to date; 0: never.
	Heartbeat time.Duration

	// Account pays for what is delivered, under the name Metered; a nil one pays nothing.
	Account   *usage.Account
	Metered   string
	Relations int64 // units that those of an event may be charged

	Traffic *Traffic // of the transport; may be nil

	running sync.WaitGroup // the goroutines that send events

	mu       sync.Mutex
	pending  []pendingEvent // the events that the client has not got yet, in order
	sending  pendingEvent   // the one that Next was asked for last
	held     int64          // units for them
	offered  int            // events so far
	bookmark epoch.Position // up to here, those were all
	after    int            // how many they were
}

// Wait waits until nothing sends events any more, which ends with the context of
// the subscription.
func (o *Operation) Wait() { o.running.Wait() }

type operationKey struct{}

// WithOperation returns a context that carries o.
func WithOperation(ctx context.Context, o *Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, o)
}

func operationOf(ctx context.Context) *Operation {
	if o, ok := ctx.Value(operationKey{}).(*Operation); ok {
		return o
	}
	return new(Operation)
}

// pendingEvent is an event on its way to the client.
type pendingEvent struct {
	position  epoch.Position // where a client resumes that has it
	costs     bool           // a unit, when it is delivered
	relations bool           // its relations may be charged
	held      int64          // units
}

// push notes the next event. The error is that of a quota.
func (o *Operation) push(e pendingEvent) error {
	if units := o.unitsOf(e); units > 0 {
		var err error
		if e.held, err = o.Account.HoldUpTo(units); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held += e.held
	o.pending = append(o.pending, e)
	o.offered++
	return nil
}

// unitsOf returns the units that an event may be charged.
func (o *Operation) unitsOf(e pendingEvent) (units int64) {
	if e.costs {
		units += access.Unit
	}
	if e.relations {
		units += o.Relations
	}
	return units
}

// dropLast forgets the last event, which was not sent.
func (o *Operation) dropLast() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.pending); n > 0 {
		o.pending = o.pending[:n-1]
		o.offered--
	}
}

// End gives back what was held for events that were not delivered. It must come after
// Wait.
func (o *Operation) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Account.Free(o.held)
	o.held = 0
}

// Delivered counts the response that Next was asked for, which the client got, and what its
// relations were charged.
func (o *Operation) Delivered(relations int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	used := []access.Used{{Operation: o.Metered, Units: relations}}
	if o.sending.costs {
		o.Traffic.deliver(1)
		used = append(used, access.Used{Operation: o.Metered + EventsSuffix, Units: access.Unit})
	}
	o.held -= o.sending.held
	o.Account.Pay(o.sending.held, used...)
}

// EventsSuffix ends the names under which what streams deliver is metered.
const EventsSuffix = ":events"

// reach records that there is nothing more to send up to a position.
func (o *Operation) reach(p epoch.Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bookmark, o.after = p, o.offered
}

// Bookmark returns the newest position after which a client may resume that has got a
// number of responses, though the last of them may be far below; the zero Position:
// none is known.
func (o *Operation) Bookmark(responses int) epoch.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.after != responses {
		return epoch.Position{}
	}
	return o.bookmark
}

// Next returns the position after which a client that has the next response may resume,
// the zero Position if it may not. Call it once for each response: each event makes one.
func (o *Operation) Next() epoch.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sending = pendingEvent{}
	if len(o.pending) > 0 {
		o.sending, o.pending = o.pending[0], o.pending[1:]
	}
	return o.sending.position
}

// resumable is an event after which a client may resume.
type resumable interface{ resumeAfter() epoch.Position }

func (e *Subscribed) resumeAfter() epoch.Position      { return e.position }
func (e *DisclosureEvent) resumeAfter() epoch.Position { return e.position }
func (e *ReplayDone) resumeAfter() epoch.Position      { return e.position }
func (e *StoreWentBack) resumeAfter() epoch.Position   { return e.position }
