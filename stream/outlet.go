package stream

import (
	"context"

	"piyasa/access"
)

// outlet is the way of events to one GraphQL operation.
type outlet[V any] struct {
	ctx     context.Context
	op      *Operation
	events  chan V
	revoked chan struct{} // closed when the key is
	stop    func()        // the watch over the key
}

func newOutlet[V any](ctx context.Context, alive func(*access.Key) bool) *outlet[V] {
	o := &outlet[V]{ctx: ctx, op: operationOf(ctx), events: make(chan V), revoked: make(chan struct{})}
	key := access.CallOf(ctx).Key
	o.stop = watch(func() bool { return alive(key) }, func() { close(o.revoked) })
	return o
}

// send waits until the operation takes the event; false when it has ended, or
// its key has been revoked.
func (o *outlet[V]) send(v V) bool {
	select {
	case <-o.revoked: // however fast the client reads
		return false
	default:
		return o.offer(v, o.revoked)
	}
}

// end says why the stream ends, if it has anything to say, and ends it.
func (o *outlet[V]) end() {
	o.stop()
	select {
	case <-o.revoked:
		o.offer(any(errRevoked).(V), nil)
	default:
	}
	close(o.events)
}

// offer waits until the operation takes the event; false when it has ended or
// given up.
func (o *outlet[V]) offer(v V, givenUp <-chan struct{}) bool {
	var position int64
	if e, ok := any(v).(resumable); ok {
		position = e.resumeAfter()
	}
	o.op.note(position)
	select {
	case o.events <- v:
		return true
	case <-givenUp:
	case <-o.ctx.Done():
	}
	o.op.unnote()
	return false
}

// pump sends what comes until the operation ends, its key is revoked, its
// reader is too slow, or the server goes down.
func pump[E any, V any](out *outlet[V], sub *Subscription[E], event func(E) V, slow any) {
	ending := out.op.Ending
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
		}
		for now := sub.Mark(); ; {
			e, ok, ended := sub.Next(now)
			if ended == ErrSlow {
				out.send(slow.(V))
			}
			if ended != nil {
				return
			}
			if !ok {
				break
			}
			if v := event(e); any(v) != nil && !out.send(v) {
				return
			}
		}
	}
}
