package stream

import (
	"context"
	"sync"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
)

// Operation connects a transport with the stream behind one GraphQL subscription, past the
// executor, which knows neither. It travels in the context (WithOperation), carries the
// position to resume from, and accounts for the events that the client received.
type Operation struct {
	After  *epoch.Position // resume after it, which overrides the document; may be nil
	Ending <-chan struct{} // closed at shutdown: pending events are still sent; may be nil

	// Heartbeat is how often Bookmark is updated; 0: never.
	Heartbeat time.Duration

	// Account pays for the events delivered, under the name Metered; a nil one pays nothing.
	Account   *usage.Account
	Metered   string
	Relations int64 // the most units that the relations of one event may be charged

	Traffic *Traffic // of the transport; may be nil

	running sync.WaitGroup // the goroutines that send events

	mu       sync.Mutex
	pending  []pendingEvent // the events that the client has not received yet, in order
	sending  pendingEvent   // the event of the last call of Next
	held     int64          // units held for pending events
	offered  int            // events so far
	bookmark epoch.Position // the position up to which there were no other events
	after    int            // how many events had been offered at bookmark
}

// Wait waits until all goroutines that send events have ended, which they do once the
// context of the subscription has.
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
	position  epoch.Position // where a client that has it resumes
	costs     bool           // whether it costs a unit when delivered
	relations bool           // whether its relations may be charged
	held      int64          // held for it
}

// push records the next event and holds units for it. Problem: quota-exceeded.
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

// unitsOf returns the most units that an event may be charged.
func (o *Operation) unitsOf(e pendingEvent) (units int64) {
	if e.costs {
		units += access.Unit
	}
	if e.relations {
		units += o.Relations
	}
	return units
}

// dropLast removes the last event, which was not sent.
func (o *Operation) dropLast() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.pending); n > 0 {
		o.pending = o.pending[:n-1]
		o.offered--
	}
}

// End gives back the units held for events that were not delivered. Call it after Wait.
func (o *Operation) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Account.Free(o.held)
	o.held = 0
}

// Delivered meters the response of the last call of Next, which the client has received;
// relations is what its relations were charged, in units.
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

// EventsSuffix ends the names under which delivered events are metered.
const EventsSuffix = ":events"

// reach records that all events up to a position have been offered.
func (o *Operation) reach(p epoch.Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bookmark, o.after = p, o.offered
}

// Bookmark returns the newest position after which a client with so many responses may
// resume. It may be far above that of the last response. The zero Position: none is known.
func (o *Operation) Bookmark(responses int) epoch.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.after != responses {
		return epoch.Position{}
	}
	return o.bookmark
}

// Next returns the position after which a client that has the next response may resume, or
// the zero Position if it cannot. Call it once for each response: each event makes one.
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
