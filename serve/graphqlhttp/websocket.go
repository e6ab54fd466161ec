package graphqlhttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/stream"
)

// socketTransport is GraphQL over graphql-transport-ws. It replaces gqlgen's own transport,
// which sends complete after error (clients then end the next operation), accepts duplicate ids
// and closes with codes outside the protocol.
type socketTransport struct {
	documents *documents
	door      admission.Door
	tokens    admission.StreamTokens
	streams   *stream.Sockets
}

// Supports implements graphql.Transport.
func (*socketTransport) Supports(r *http.Request) bool {
	return r.Method == http.MethodGet && websocket.IsWebSocketUpgrade(r) // a POST that offers an upgrade gets a normal answer
}

// Do implements graphql.Transport.
func (t *socketTransport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	t.streams.Serve(w, r, closeStalled, func(wire *stream.Wire) stream.Conversation {
		c := &socket{wire: wire, transport: t, unwatch: func() {}, release: func() {}, exec: exec, header: r.Header,
			token: admission.InAddress(r), operations: map[string]*socketOperation{}}
		c.ending, c.end = context.WithCancel(context.Background())
		return c
	}, subprotocol)
}

// socket is one connection. Run reads it; every operation answers from its own goroutine.
type socket struct {
	wire      *stream.Wire
	transport *socketTransport
	exec      graphql.GraphExecutor
	header    http.Header // of the request that was upgraded
	token     string      // of its address, in place of a key
	key       *access.Key // nil until the client has shown it
	account   *usage.Account

	unwatch func() // ends the checks of the key
	release func() // takes the connection off the key's limit of connections

	ending context.Context // ends when the server shuts down
	end    func()

	mu         sync.Mutex
	draining   bool
	operations map[string]*socketOperation
	running    sync.WaitGroup
}

// Drain lets the operations send what is pending, and then closes.
func (c *socket) Drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
	c.end()
	go func() {
		c.running.Wait()
		c.wire.Close(stream.GoingAway)
	}()
}

// Close implements stream.Member.
func (c *socket) Close(with stream.Closing) { c.wire.Close(with) }

// Run serves the connection until it and its operations have ended.
func (c *socket) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer c.running.Wait()
	defer c.wire.Cut() // so that no operation waits for the client
	defer c.end()
	defer cancel()
	defer func() { c.unwatch(); c.release() }()
	if c.wire.Subprotocol() != subprotocol {
		c.wire.Finish(closeNoSubprotocol)
		return
	}
	c.wire.Expect(stream.AuthWait)
	for {
		frame, text, err := c.wire.Read()
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() && c.key == nil {
			c.wire.Finish(closeInitTimeout)
		}
		if err != nil {
			return
		}
		m, wrong := readClientMessage(frame)
		switch {
		case !text:
			c.wire.Close(closeInvalid("must be text"))
		case wrong != "":
			c.wire.Close(closeInvalid(wrong))
		default:
			c.handle(ctx, m)
		}
	}
}

// handle carries out a message.
func (c *socket) handle(ctx context.Context, m clientMessage) {
	switch m.Type {
	case "connection_init":
		c.initialise(ctx, m)
	case "ping":
		_ = c.wire.Send(line(plainMessage{"pong", m.Payload}))
	case "subscribe":
		if c.key == nil {
			c.wire.Close(closeUnauthorized)
			return
		}
		c.subscribe(ctx, m)
	case "complete":
		c.stop(m.ID)
	}
}

// initialise admits a client with a live key.
func (c *socket) initialise(ctx context.Context, m clientMessage) {
	if c.key != nil {
		c.wire.Close(closeTooManyInits)
		return
	}
	key, err := keyIn(c.transport.tokens, m.Payload, c.header, c.token)
	switch {
	case err != nil && problem.From(err).Kind != problem.StoreUnavailable:
		c.wire.Close(closeUnauthorized)
		return
	case err != nil, !c.transport.streams.Available():
		c.wire.Close(closeUnavailable)
		return
	}
	answer.NoteKey(ctx, key)
	if !c.transport.streams.Keep(c) {
		return // the socket is being closed
	}
	release, _, ok := c.transport.door.Gate.Hold(key, access.Connections)
	if !ok {
		c.wire.Close(closeTooMany)
		return
	}
	c.release = release
	c.key, c.account = key, c.transport.streams.Meter.Of(key)
	c.wire.Expect(0)
	c.unwatch = c.transport.streams.Watch(key, func() { c.wire.Close(closeUnauthorized) })
	_ = c.wire.Send(line(plainMessage{Type: "connection_ack"}))
}

// subscribe begins an operation, which takes a token like a request. What has ended no longer
// counts against the limit and may still wait to be sent, so subscribe waits for that.
func (c *socket) subscribe(ctx context.Context, m clientMessage) {
	c.wire.Await()
	o := &socketOperation{socket: c, id: m.ID}
	c.mu.Lock()
	if c.draining {
		c.mu.Unlock()
		return
	}
	running, again := len(c.operations), c.operations[m.ID] != nil
	c.mu.Unlock() // only this goroutine adds operations
	if again {
		c.wire.Close(closeDuplicate(m.ID))
		return
	}
	o.ctx, o.cancel = context.WithCancel(ctx)
	var refused error
	var paid *usage.Reservation
	if a := c.transport.door.Take(ctx, c.key); !a.Allowed {
		refused = admission.RateLimited(a)
	} else if limit := c.transport.door.Gate.Plan(c.key).Operations; limit > 0 && running >= limit {
		refused = tooManyOperations(limit)
	} else {
		o.ctx, paid, refused = c.account.Reserve(o.ctx)
	}
	c.mu.Lock()
	if c.draining {
		c.mu.Unlock()
		o.cancel()
		paid.Settle()
		return
	}
	c.operations[m.ID] = o
	c.running.Add(1)
	c.mu.Unlock()
	if refused != nil {
		o.run(m.request, paid, refused) // here, so that the next message waits until it is sent
		return
	}
	go o.run(m.request, paid, nil)
}

// stop ends an operation at the client's request; it sends nothing more.
func (c *socket) stop(id string) {
	c.mu.Lock()
	o := c.operations[id]
	c.mu.Unlock()
	if o != nil {
		o.finish(nil) // before its goroutine notices the end
		o.cancel()
	}
}
