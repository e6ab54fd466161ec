package stream

import (
	"context"
	"time"

	"piyasa/account/access"
)

// eventSender sends a subscription's events to one GraphQL operation.
type eventSender[V any] struct {
	ctx     context.Context
	op      *Operation
	events  chan V
	revoked chan struct{} // closed when the key is
	stop    func()        // stops watching the key

	bookmarks bool // whether the events sent so far are all there were
}

func newEventSender[V any](ctx context.Context, keys keyWatch, alive func(*access.Key) bool) *eventSender[V] {
	o := &eventSender[V]{ctx: ctx, op: operationOf(ctx), events: make(chan V), revoked: make(chan struct{})}
	key := access.CallOf(ctx).Key
	o.stop = keys.watch(func() bool { return alive(key) }, func() { close(o.revoked) })
	return o
}

// send waits until the operation receives the event. It returns false if the operation has
// ended, its key is revoked, or its quota is used up.
func (o *eventSender[V]) send(v V) bool {
	select {
	case <-o.revoked: // even if the client reads fast
		return false
	default:
		return o.offer(v, o.revoked)
	}
}

// end ends the stream, with the reason if the key is revoked.
func (o *eventSender[V]) end() {
	o.stop()
	select {
	case <-o.revoked:
		o.offer(any(errRevoked).(V), nil)
	default:
	}
	close(o.events)
}

// offer waits until the operation receives the event. It returns false if the operation has
// ended, or givenUp is closed.
func (o *eventSender[V]) offer(v V, givenUp <-chan struct{}) bool {
	var e pendingEvent
	if r, ok := any(v).(resumable); ok {
		e.position = r.resumeAfter()
	}
	switch any(v).(type) {
	case *DisclosureEvent:
		e.costs, e.relations = true, true
	case *QuoteEvent:
		e.relations = true
	}
	if err := o.op.push(e); err != nil {
		o.offer(any(quotaExceeded(err)).(V), givenUp)
		return false
	}
	select {
	case o.events <- v:
		return true
	case <-givenUp:
	case <-o.ctx.Done():
	}
	o.op.dropLast()
	return false
}

// forward sends events until the operation ends, its key is revoked, its client is
// too slow, or the server shuts down.
func forward[E any, V any](out *eventSender[V], sub *Subscription[E], event func(E) V, slow any) {
	ending := out.op.Ending
	var beat <-chan time.Time
	if out.op.Heartbeat > 0 && out.bookmarks {
		ticker := time.NewTicker(out.op.Heartbeat)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-out.ctx.Done():
			return
		case <-out.revoked:
			return
		case <-ending:
			ending = nil
			sub.End()
			continue
		case <-sub.Wake():
		case <-beat:
		}
		for position, now := sub.Reached(); ; {
			e, ok, ended := sub.Next(now)
			if ended == ErrSlow {
				out.send(slow.(V))
			}
			if ended != nil {
				return
			}
			if !ok {
				if out.bookmarks {
					out.op.reach(position)
				}
				break
			}
			if v := event(e); any(v) != nil && !out.send(v) {
				return
			}
		}
	}
}
