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

// heartbeat is how often a stream without events sends a sign of life.
const heartbeat = 15 * time.Second

// bookmarkEvery is how often an operation updates the position of its stream: in time for the
// first heartbeat, and once between any two.
const bookmarkEvery = heartbeat - time.Second

// eventStream is one stream of server-sent events, or of parts, with its operations: the one of
// its request, or, if the client has reserved it (the single connection mode of GraphQL over
// SSE), those posted in separate requests. They end with the stream.
type eventStream struct {
	transport *eventTransport
	form      eventForm
	key       *access.Key
	messages  chan eventMessage
	ctx       context.Context // ends with the stream
	cancel    func()
	ending    context.Context // ends when the server shuts down
	end       func()
	why       atomic.Pointer[string] // why the stream ends; nil: the client ended it
	onOpen    func()                 // called when a reserved stream is opened; may be nil

	mu         sync.Mutex
	opened     bool
	draining   bool
	operations map[string]*eventOperation
	running    sync.WaitGroup // running operations
	serving    sync.WaitGroup // the goroutines that write events
}

// eventMessage is a message of an operation.
type eventMessage struct {
	of      *eventOperation
	text    []byte
	written chan<- error // receives once: whether the message was written
}

// newStream returns a stream for the key of ctx, or a refusal if none can be opened now. It ends
// with ctx, and leaves Streams once its operations have ended, too.
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
		e.opened, e.draining = true, true // no operation may begin
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

// open reports whether the stream can be opened, which is true once; the caller must then serve
// it.
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

// Drain implements stream.Member: operations send what is pending, and then the stream ends.
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

// because records why the stream ends; the first reason counts.
func (e *eventStream) because(why string) { e.why.CompareAndSwap(nil, &why) }

func (e *eventStream) endWithOperations() {
	e.running.Wait()
	if e.ctx.Err() == nil {
		e.because(stream.EndedComplete)
	}
	e.cancel()
}

// serve writes the messages of an open stream's operations until the stream ends or the client
// leaves.
func (e *eventStream) serve(w http.ResponseWriter, r *http.Request) {
	defer e.serving.Done()
	defer e.cancel()
	defer context.AfterFunc(r.Context(), e.cancel)()
	// The operations have some time to send why they end.
	defer e.transport.streams.Watch(e.key, func() {
		e.because("invalid_key")
		time.AfterFunc(stream.KeyRecheck, e.cancel)
	})()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	out := newEventWriter(e.form, w)
	for err := out.begin(); err == nil && e.ctx.Err() == nil; { // the end takes precedence over pending messages
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

// bookmark returns the position after which the client may resume now, if the stream is for
// one operation.
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
	id        string // empty: the only operation of its stream
	with      *stream.Operation
	paid      *usage.Reservation
	written   int // messages written so far
	ctx       context.Context
	cancel    func()
	stopped   atomic.Bool // stopped by the client: another operation may already have its id
}

// start runs an operation in the background. If it may not run, status is the HTTP status and
// why the reason.
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

// stop ends an operation, if it runs; it sends nothing more.
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
		return // the client should reconnect; complete would keep it from doing so
	}
	o.leave()
	if o.id == "" {
		_ = o.say(o.stream.form.complete())
		return
	}
	_ = o.say(event("complete", epoch.Position{}, line(map[string]string{"id": o.id})))
}

// next sends a response. Only the stream of a single operation states where to resume.
func (o *eventOperation) next(response *graphql.Response, position epoch.Position) error {
	if o.id == "" {
		return o.say(o.stream.form.next(position, shown(response)))
	}
	return o.say(event("next", epoch.Position{}, line(struct {
		ID      string `json:"id"`
		Payload any    `json:"payload"`
	}{o.id, shown(response)})))
}

// say sends a message and returns once it is written, or never will be. If the client leaves
// during the write, the message may still reach it, so say waits for the end of the write.
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
