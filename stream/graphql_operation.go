package stream

import (
	"context"
	"sync"
	"time"

	"piyasa/epoch"
)

// Operation carries the resume position between a transport and the stream behind
// one GraphQL subscription, through the context: the executor between them knows
// neither.
type Operation struct {
	After  *epoch.Position // resume after it, whatever the document says; may be nil
	Ending <-chan struct{} // closed when the server shuts down: pending events are still sent; may be nil

	// Heartbeat is how often Bookmark is brought up to date; 0: never.
	Heartbeat time.Duration

	running sync.WaitGroup // the goroutines that send events

	mu        sync.Mutex
	positions []epoch.Position // of the events that the client has not got yet, in order
	offered   int              // events so far
	bookmark  epoch.Position   // up to here, those were all
	after     int              // how many they were
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

// push records where a client resumes once it has the next event.
func (o *Operation) push(position epoch.Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.positions = append(o.positions, position)
	o.offered++
}

// dropLast forgets the last position: its event was not sent.
func (o *Operation) dropLast() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.positions); n > 0 {
		o.positions = o.positions[:n-1]
		o.offered--
	}
}

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

// Position returns the position after which a client that has the next response may
// resume; the zero Position: it may not. Call it once for each response: each event
// makes one.
func (o *Operation) Position() epoch.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.positions) == 0 {
		return epoch.Position{}
	}
	position := o.positions[0]
	o.positions = o.positions[1:]
	return position
}

// resumable is an event after which a client may resume.
type resumable interface{ resumeAfter() epoch.Position }

func (e *Subscribed) resumeAfter() epoch.Position      { return e.position }
func (e *DisclosureEvent) resumeAfter() epoch.Position { return e.position }
func (e *ReplayDone) resumeAfter() epoch.Position      { return e.position }
func (e *StoreWentBack) resumeAfter() epoch.Position   { return e.position }
