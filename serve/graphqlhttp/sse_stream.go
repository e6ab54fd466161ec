package graphqlhttp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
	"piyasa/serve/stream"
)

// heartbeat is how often a stream without events shows that it is there.
const heartbeat = 15 * time.Second

// bookmarkEvery is how often an operation looks how far its stream has come: in time for
// the first heartbeat, and once between any two.
const bookmarkEvery = heartbeat - time.Second

// eventStream is one stream of server-sent events, or of parts, and the operations that speak on it: the
// one of its request or, where its client has reserved it (the single connection mode of GraphQL over
// SSE), those that come as requests of their own. They end with the stream.
type eventStream struct {
	transport *eventTransport
	form      eventForm
	key       *access.Key
	messages  chan eventMessage
	ctx       context.Context // ends with the stream
	cancel    func()
	ending    context.Context // ends when the server goes down
	end       func()
	why       atomic.Pointer[string] // it ends; nil: by the client
	onOpen    func()                 // called when one that was reserved is opened; may be nil

	mu         sync.Mutex
	opened     bool
	draining   bool
	operations map[string]*eventOperation
	running    sync.WaitGroup // operations
	serving    sync.WaitGroup // the goroutines that write events
}

// eventMessage is what an operation says.
type eventMessage struct {
	of      *eventOperation
	text    []byte
	written chan<- error // takes one, whether it was written
}

// newStream returns a stream for the key of ctx, or says why none can be opened now. It
// ends with ctx, and leaves when its operations have ended, too.
func (t *eventTransport) newStream(ctx context.Context, form eventForm) (*eventStream, *refusal) {
	release, limit, free := t.door.Gate.Hold(access.CallOf(ctx).Key, access.Connections)
	if !free {
		return nil, &refusal{http.StatusTooManyRequests, fmt.Sprintf("this key may have %d connections open at once", limit)}
	}
	e := &eventStream{transport: t, form: form, key: access.CallOf(ctx).Key, messages: make(chan eventMessage),
		operations: map[string]*eventOperation{}}
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.ending, e.end = context.WithCancel(context.Background())
	why, ok := t.streams.Enter(ctx, e, stream.TransportEvents)
	context.AfterFunc(e.ctx, func() {
		e.end()
		e.mu.Lock()
		e.opened, e.draining = true, true // nothing begins any more
		e.mu.Unlock()
		e.running.Wait()
		e.serving.Wait()
		t.streams.Leave(e)
		release()
		ended := stream.EndedByClient
		if of := e.why.Load(); of != nil {
			ended = *of
		}
		t.streams.Count(stream.TransportEvents, ended)
	})
	if !ok {
		e.because(why.Label())
		e.cancel()
		return nil, refusedStream(why)
	}
	return e, nil
}

// open reports whether the stream is there to be opened, which it is once; who
// opens it serves it.
func (e *eventStream) open() bool {
	e.mu.Lock()
	first := !e.opened
	if first {
		e.opened = true
		e.serving.Add(1)
	}
	e.mu.Unlock()
	if first && e.onOpen != nil {
		e.onOpen()
	}
	return first
}

// Drain implements stream.Member: operations say what waits, and then the
// stream ends.
func (e *eventStream) Drain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining = true
	e.because(stream.GoingAway.Label())
	e.end()
	go e.endWithOperations()
}

// Close implements stream.Member.
func (e *eventStream) Close(with stream.Closing) {
	e.because(with.Label())
	e.cancel()
}

// because notes why the stream ends; the first reason counts.
func (e *eventStream) because(why string) { e.why.CompareAndSwap(nil, &why) }

func (e *eventStream) endWithOperations() {
	e.running.Wait()
	if e.ctx.Err() == nil {
		e.because(stream.EndedComplete)
	}
	e.cancel()
}

// serve writes what the operations of an open stream say until the stream or its
// client ends.
func (e *eventStream) serve(w http.ResponseWriter, r *http.Request) {
	defer e.serving.Done()
	defer e.cancel()
	defer context.AfterFunc(r.Context(), e.cancel)()
	// The operations have their time to say why they end.
	defer e.transport.streams.Watch(e.key, func() {
		e.because("invalid_key")
		time.AfterFunc(stream.KeyRecheck, e.cancel)
	})()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	out := newEventWriter(e.form, w)
	for err := out.begin(); err == nil && e.ctx.Err() == nil; { // the end goes before what is still said
		select {
		case <-e.ctx.Done():
		case m := <-e.messages:
			if m.of.stopped.Load() {
				m.written <- context.Canceled
				continue
			}
			err = out.write(m.text)
			m.of.written++
			m.written <- err
		case <-beat.C:
			err = out.write(e.form.beat(e.bookmark()))
		}
	}
}

// bookmark returns where the client may resume now, if the stream has one operation of
// its own.
func (e *eventStream) bookmark() epoch.Position {
	e.mu.Lock()
	defer e.mu.Unlock()
	if o := e.operations[""]; o != nil {
		return o.with.Bookmark(o.written)
	}
	return epoch.Position{}
}

// eventOperation is one operation of a stream.
type eventOperation struct {
	operation operation
	stream    *eventStream
	id        string // empty: the only one of its stream
	with      *stream.Operation
	paid      *usage.Reservation
	written   int // messages that have been written
	ctx       context.Context
	cancel    func()
	stopped   atomic.Bool // at the client's wish: its id may be another's already
}

// start runs an operation in the background; when it may not run, status and
// why say so.
func (e *eventStream) start(r *http.Request, o *eventOperation) (status int, why string) {
	limit := e.transport.door.Gate.Plan(e.key).Operations
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.operations[o.id] != nil:
		return http.StatusConflict, "an operation with this id is already running"
	case limit > 0 && len(e.operations) >= limit:
		return http.StatusTooManyRequests, tooManyOperations(limit).Error()
	case e.draining:
		return http.StatusServiceUnavailable, "the server is shutting down"
	}
	ctx, paid := usage.TakeOver(context.WithoutCancel(r.Context())) // a posted operation outlives its request
	o.stream, o.paid = e, paid
	o.with.Ending = e.ending.Done()
	ctx, cancel := context.WithCancel(ctx)
	withStream := context.AfterFunc(e.ctx, cancel)
	o.ctx, o.cancel = ctx, func() { cancel(); withStream() }
	e.operations[o.id] = o
	e.running.Go(o.run)
	return 0, ""
}

// stop ends an operation, if it runs; it sends nothing further.
func (e *eventStream) stop(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if o := e.operations[id]; o != nil {
		o.stopped.Store(true)
		o.cancel()
		delete(e.operations, id)
	}
}

func (o *eventOperation) run() {
	defer o.cancel()
	defer o.leave()
	guarded(o.ctx, o.operation.exec, func() {
		_ = o.operation.run(o.ctx, o.stream.transport.door, o.with, o.paid, o.next)
	}, func(response *graphql.Response) { _ = o.next(response, epoch.Position{}) })
	if o.operation.isSubscription() && o.stream.ending.Err() != nil {
		return // the client is to come again, which complete would keep it from
	}
	o.leave()
	if o.id == "" {
		_ = o.say(o.stream.form.complete())
		return
	}
	_ = o.say(event("complete", epoch.Position{}, line(map[string]string{"id": o.id})))
}

// next says a response. Only a stream of its own tells where to resume.
func (o *eventOperation) next(response *graphql.Response, position epoch.Position) error {
	if o.id == "" {
		return o.say(o.stream.form.next(position, shown(response)))
	}
	return o.say(event("next", epoch.Position{}, line(struct {
		ID      string `json:"id"`
		Payload any    `json:"payload"`
	}{o.id, shown(response)})))
}

// say returns when a message is written, or never will be. One that is being written when
// the client goes may reach it, so its end is waited for.
func (o *eventOperation) say(text []byte) error {
	written := make(chan error, 1)
	select {
	case o.stream.messages <- eventMessage{o, text, written}:
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
	return <-written
}

// leave frees the id.
func (o *eventOperation) leave() {
	o.stream.mu.Lock()
	defer o.stream.mu.Unlock()
	if o.stream.operations[o.id] == o {
		delete(o.stream.operations, o.id)
	}
}
