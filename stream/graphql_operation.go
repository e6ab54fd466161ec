package stream

import (
	"context"
	"sync"
)

// Operation carries the resume position between a transport and the stream behind
// one GraphQL subscription, through the context: the executor between them knows
// neither.
type Operation struct {
	After  *int64          // resume after this seq, whatever the document says; may be nil
	Ending <-chan struct{} // closed when the server shuts down: pending events are still sent; may be nil

	running sync.WaitGroup // the goroutines that send events

	mu        sync.Mutex
	positions []int64 // of the events that the client has not got yet, in order
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
func (o *Operation) push(position int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.positions = append(o.positions, position)
}

// dropLast forgets the last position: its event was not sent.
func (o *Operation) dropLast() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.positions); n > 0 {
		o.positions = o.positions[:n-1]
	}
}

// Position returns the seq after which a client that has the next response may
// resume; 0: it may not. Call it once for each response: each event makes one.
func (o *Operation) Position() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.positions) == 0 {
		return 0
	}
	position := o.positions[0]
	o.positions = o.positions[1:]
	return position
}

// resumable is an event after which a client may resume.
type resumable interface{ resumeAfter() int64 }

func (e *Subscribed) resumeAfter() int64      { return e.position }
func (e *DisclosureEvent) resumeAfter() int64 { return e.position }
func (e *ReplayDone) resumeAfter() int64      { return e.LastSeq }
