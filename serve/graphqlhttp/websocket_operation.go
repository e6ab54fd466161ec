package graphqlhttp

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
	"piyasa/serve/stream"
)

// socketOperation is one operation of a socket.
type socketOperation struct {
	socket *socket
	id     string
	ctx    context.Context
	cancel func()

	saying sync.Mutex
	over   bool
}

// run runs the operation to its end.
func (o *socketOperation) run(in request, paid *usage.Reservation, refused error) {
	defer o.socket.running.Done()
	defer o.cancel()
	defer paid.Settle()
	ctx, call := access.WithCall(graphql.StartOperationTrace(o.ctx), o.socket.key)
	call.Operation = Path
	guarded(ctx, o.socket.exec, func() {
		if refused != nil {
			o.fail(o.socket.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(refused)}))
			return
		}
		op, errs := o.socket.transport.documents.begin(ctx, o.socket.exec, in.params(o.socket.header))
		if len(errs) > 0 {
			o.fail(op.refused(ctx, errs))
			return
		}
		with := &stream.Operation{Ending: o.socket.ending.Done(), Traffic: o.socket.transport.streams.Traffic(stream.TransportGraphQL)}
		_ = op.run(ctx, o.socket.transport.door, with, paid, func(response *graphql.Response, _ epoch.Position) error {
			if response.Data == nil {
				o.fail(response)
				return nil
			}
			return o.say(nextMessage{o.id, "next", response})
		})
		if op.isSubscription() && o.socket.ending.Err() != nil {
			return // the client will continue elsewhere: the close says so, complete would contradict it
		}
		o.finish(completeMessage{o.id, "complete"})
	}, o.fail)
}

// fail ends the operation with the errors of a response without data.
func (o *socketOperation) fail(response *graphql.Response) {
	o.finish(errorMessage{o.id, "error", response.Errors})
}

// say sends a message, unless the operation is over.
func (o *socketOperation) say(message any) error {
	o.saying.Lock()
	defer o.saying.Unlock()
	if o.over {
		return context.Canceled
	}
	return o.socket.wire.Send(line(message))
}

// finish ends the operation with a last message, if any. It frees the id before the client can
// learn of the end.
func (o *socketOperation) finish(message any) {
	o.saying.Lock()
	defer o.saying.Unlock()
	if o.over {
		return
	}
	o.over = true
	o.socket.mu.Lock()
	delete(o.socket.operations, o.id)
	o.socket.mu.Unlock()
	if message != nil {
		_ = o.socket.wire.Send(line(message))
	}
}
