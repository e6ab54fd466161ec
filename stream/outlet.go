package stream

import (
	"context"
	"time"

	"piyasa/access"
)

// outlet is the way of events to one GraphQL operation.
type outlet[V any] struct {
	ctx    context.Context
	op     *Operation
	events chan V
	key    *access.Key
	alive  func(*access.Key) bool
}

func newOutlet[V any](ctx context.Context, alive func(*access.Key) bool) *outlet[V] {
	return &outlet[V]{ctx, operationOf(ctx), make(chan V), access.CallOf(ctx).Key, alive}
}

// send waits until the operation takes the event; false when it has ended.
func (o *outlet[V]) send(v V) bool {
	var position int64
	if e, ok := any(v).(resumable); ok {
		position = e.resumeAfter()
	}
	o.op.note(position)
	select {
	case o.events <- v:
		return true
	case <-o.ctx.Done():
		return false
	}
}

// pump sends what comes until the operation ends, its key is revoked, its
// reader is too slow, or the server goes down.
func pump[E any, V any](out *outlet[V], sub *Subscription[E], event func(E) V, slow any) {
	recheck := time.NewTicker(KeyRecheck)
	defer recheck.Stop()
	ending := out.op.Ending
	for {
		select {
		case <-out.ctx.Done():
			return
		case <-ending:
			ending = nil
			sub.End()
			continue
		case <-recheck.C:
			if !out.alive(out.key) {
				out.send(any(errRevoked).(V))
				return
			}
			continue
		case <-sub.Wake():
		}
		for {
			e, ok, ended := sub.Next()
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
