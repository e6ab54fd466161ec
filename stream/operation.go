package stream

import (
	"context"
	"sync"
)

// Operation is what a transport and the stream behind one GraphQL subscription
// tell each other past the executor, which knows nothing of either.
type Operation struct {
	After  *int64          // resume after this seq, whatever the document says; may be nil
	Ending <-chan struct{} // closed when the server goes down: what waits still goes out; may be nil

	running sync.WaitGroup // what sends events

	mu    sync.Mutex
	trail []int64 // positions of the events on their way, in order
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

// note keeps where a client stands once it has the next event.
func (o *Operation) note(position int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trail = append(o.trail, position)
}

// unnote takes the newest place back: its event was not handed on.
func (o *Operation) unnote() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.trail); n > 0 {
		o.trail = o.trail[:n-1]
	}
}

// Position is the seq after which a client may resume once it has the response
// at hand; 0 when it may not. It is to be asked once for each response, since
// each event makes one.
func (o *Operation) Position() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.trail) == 0 {
		return 0
	}
	position := o.trail[0]
	o.trail = o.trail[1:]
	return position
}

// resumable is an event after which a client may resume.
type resumable interface{ resumeAfter() int64 }

func (e *Subscribed) resumeAfter() int64      { return e.position }
func (e *DisclosureEvent) resumeAfter() int64 { return e.position }
func (e *ReplayDone) resumeAfter() int64      { return e.LastSeq }
