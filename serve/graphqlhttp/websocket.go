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

// socketTransport is GraphQL over graphql-transport-ws. It replaces gqlgen's
// own transport, which sends complete after error (clients then end the next
// operation), lets duplicate ids pass and closes with codes of its own.
type socketTransport struct {
	documents *documents
	door      admission.Door
	tokens    admission.StreamTokens
	streams   *stream.Sockets
}

// Supports implements graphql.Transport.
func (*socketTransport) Supports(r *http.Request) bool {
	return r.Method == http.MethodGet && websocket.IsWebSocketUpgrade(r) // a POST that offers an upgrade is answered as it is
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

// socket is one connection. It is read by Run; every operation answers from a
// goroutine of its own.
type socket struct {
	wire      *stream.Wire
	transport *socketTransport
	exec      graphql.GraphExecutor
	header    http.Header // of the request that became the socket
	token     string      // of its address, in place of a key
	key       *access.Key // nil until the client has shown it
	account   *usage.Account

	unwatch func() // ends the watch over the key
	release func() // gives back what the key's limit of connections counts

	ending context.Context // ends when the server goes down
	end    func()

	mu         sync.Mutex
	draining   bool
	operations map[string]*socketOperation
	running    sync.WaitGroup
}

// Drain lets the operations send what waits, and then closes.
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

// Run serves the connection to its end, and that of its operations.
func (c *socket) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer c.running.Wait()
	defer c.wire.Cut() // none waits for the client any more
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

// handle does what a message says.
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

// initialise lets a client with a live key in.
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
		return // it is being closed
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

// subscribe begins an operation. Like a request it takes a token.
func (c *socket) subscribe(ctx context.Context, m clientMessage) {
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
	go o.run(m.request, paid, refused)
}

// stop ends an operation at the client's request; it sends nothing further.
func (c *socket) stop(id string) {
	c.mu.Lock()
	o := c.operations[id]
	c.mu.Unlock()
	if o != nil {
		o.finish(nil) // before its goroutine can find that it has ended
		o.cancel()
	}
}
