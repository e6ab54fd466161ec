package stream

import (
	"context"
	"sync"
	"time"

	"piyasa/access"
	"piyasa/epoch"
	"piyasa/usage"
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
	Account *usage.Account
	Metered string

	Traffic *Traffic // of the transport; may be nil

	running sync.WaitGroup // the goroutines that send events

	mu       sync.Mutex
	pending  []pendingEvent // the events that the client has not got yet, in order
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
	position epoch.Position // where a client resumes that has it
	costs    bool           // a unit, when it is delivered
}

// push notes the next event. The error is that of a quota.
func (o *Operation) push(e pendingEvent) error {
	if e.costs {
		if err := o.Account.Hold(access.Unit); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if e.costs {
		o.held += access.Unit
	}
	o.pending = append(o.pending, e)
	o.offered++
	return nil
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

// Delivered counts a response that the client got.
func (o *Operation) Delivered(costs bool) {
	if !costs {
		return
	}
	o.Traffic.deliver(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held -= access.Unit
	o.Account.Pay(access.Unit, access.Used{Operation: o.Metered + EventsSuffix, Units: access.Unit})
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
// the zero Position if it may not, and whether the response costs a unit. Call it once
// for each response: each event makes one.
func (o *Operation) Next() (position epoch.Position, costs bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) == 0 {
		return position, false
	}
	next := o.pending[0]
	o.pending = o.pending[1:]
	return next.position, next.costs
}

// resumable is an event after which a client may resume.
type resumable interface{ resumeAfter() epoch.Position }

func (e *Subscribed) resumeAfter() epoch.Position      { return e.position }
func (e *DisclosureEvent) resumeAfter() epoch.Position { return e.position }
func (e *ReplayDone) resumeAfter() epoch.Position      { return e.position }
func (e *StoreWentBack) resumeAfter() epoch.Position   { return e.position }
