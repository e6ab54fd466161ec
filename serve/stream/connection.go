package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
)

// Channel is what a kind of WebSocket serves.
type Channel[E any] struct {
	Hub   *Hub[E]
	Scope access.Scope
	// Costs reports whether the frame of an event costs a unit; nil: none does.
	Costs func(e E) bool
	// Batches reports whether a client may ask for events in batches: they cost no unit.
	Batches bool
	// Topic reads one of a message's ids.
	Topic func(key *access.Key, text string) (topic string, ok bool)
	// Successors returns which ids are now what some that are not followed were; may be nil.
	Successors func(ids []string) []*Succession
	// NewEncoder returns the encoder of events for one connection. It may remember
	// what it encoded; a nil frame means that nothing is new.
	NewEncoder func() Encode[E]
	// Current returns the events that a new subscription begins with; may be nil.
	Current func(topics []string) []E
	// Replay passes the texts of stored events above after, up to the one numbered
	// upTo, to send, page by page; each costs a unit. Nil when the channel cannot resume.
	Replay func(ctx context.Context, topics []string, after, upTo int64, send func(page [][]byte) error) (last int64,
		truncated bool, err error)
}

// Encode returns the frame of an event; again asks for one even if nothing is new.
type Encode[E any] func(e E, again bool) (frame *sharedFrame, err error)

// What the frames of events cost in work, in fields of an answer.
const (
	costLive     = 1 // it was made once for all
	costReplayed = 5
)

// connection is one client. Its goroutine reads: it parses messages and answers pings.
// A task does everything else in order, also sending events, so live events wait while a
// replay runs; it has a goroutine only while there is something to do.
//
// Before the task answers a command, it sends all events published until it began with
// the command. So at a replay_done the client has everything published before its
// subscribed, and nothing later: the highest number that it has is a safe place to
// resume from.
type connection[E any] struct {
	*Wire
	sockets               *Sockets
	channel               *Channel[E]
	key                   *access.Key
	account               *usage.Account
	release               func()          // gives back what the key's limit of connections counts
	token                 string          // of the address, in place of a key; "" when auth has been said
	operation, delivering string          // under which it, and what it delivers, are metered
	ctx                   context.Context // of the request that it was

	task     task
	rejected int          // messages
	frames   []byte       // that wait to leave together
	batches  bool         // whether events come in batches
	batch    []byte       // the one that gathers
	batched  int32        // how many it has
	inPiece  atomic.Int32 // how many they are
	paid     []int        // where those end that cost a unit
	spent    int          // on them, in work
	failed   bool         // nothing is sent any more
	encode   Encode[E]

	mu        sync.Mutex
	sub       *Subscription[E] // nil until authenticated
	drained   bool
	over      bool   // the reader has ended
	endReplay func() // nil: none runs
	commands  []command
	room      chan struct{} // closed when commands have been taken; nil: nobody waits
}

func newConnection[E any](s *Sockets, channel *Channel[E], operation, token string, wire *Wire) *connection[E] {
	c := &connection[E]{
		Wire: wire, sockets: s, operation: operation, delivering: operation + EventsSuffix, channel: channel,
		encode: channel.NewEncoder(), release: func() {}, token: token,
	}
	c.task.prepare(c.work)
	wire.full = c.isFull
	return c
}

// Drain sends pending events and then closes the connection; it does not wait.
func (c *connection[E]) Drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drained = true
	if c.sub != nil {
		c.sub.End()
		return
	}
	go c.Close(GoingAway)
}

// join starts the subscription.
func (c *connection[E]) join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sub = c.channel.Hub.Join(func(ended error) {
		c.task.wake()
		if ended != nil { // the task may wait for the client
			go c.Close(slowConsumer)
		}
	})
	if c.drained {
		c.sub.End()
	}
}

// Run serves the connection until it ends.
func (c *connection[E]) Run(ctx context.Context) {
	c.ctx = ctx
	defer func() { c.release() }()
	if !c.authenticate() {
		return
	}
	defer func() { c.account.Free(int64(len(c.paid)) * access.Unit) }() // what was not written
	defer c.task.stop()
	c.join()
	defer c.sub.Leave()
	defer c.sockets.Watch(c.key, func() { c.Close(invalidKey) })()
	defer c.cancel()
	c.read()
}

func isNetwork(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, net.ErrClosed) || errors.Is(err, errClosing) || errors.Is(err, websocket.ErrCloseSent)
}

// firstFrame waits for the client's first frame and returns the key that it shows; false:
// the connection is closed.
func (c *connection[E]) firstFrame() (secret string, ok bool) {
	c.Expect(AuthWait)
	frame, text, err := c.Read()
	if err != nil {
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			c.Finish(authTimeout)
		}
		return "", false
	}
	m, err := parseMessage(frame, false)
	if !text || err != nil || m.action != "auth" {
		c.Finish(authRequired)
		return "", false
	}
	return m.apiKey, true
}

// authenticate lets a client in whose address has a token, or whose first frame has a
// key; false: the connection is closed.
func (c *connection[E]) authenticate() bool {
	secret := c.token
	if secret == "" {
		var ok bool
		if secret, ok = c.firstFrame(); !ok {
			return false
		}
	}
	var err error
	if c.key, err = c.sockets.keyOf(secret); err != nil {
		c.Finish(closingFor(err))
		return false
	}
	c.sockets.shown(c.ctx, c.key)
	if !c.sockets.Keep(c) {
		return false // it is being closed
	}
	switch {
	case !c.key.Has(c.channel.Scope):
		c.Finish(missingScope)
		return false
	case !c.sockets.Available():
		c.Finish(unavailable)
		return false
	}
	release, limit, ok := c.sockets.Gate.Hold(c.key, access.Connections)
	if !ok {
		_ = c.sendFrame(errorFrame{"error", "connection_limit", fmt.Sprintf("This key may have %d connections open at once.", limit)})
		_ = c.flush()
		c.Finish(keysTooMany)
		return false
	}
	c.release = release
	c.account = c.sockets.Meter.Of(c.key)
	if err := c.account.Hold(access.Unit); err != nil {
		_ = c.sendFrame(errorFrame{"error", "quota_exceeded", problem.From(err).Detail})
		_ = c.flush()
		c.Finish(quotaUsedUp)
		return false
	}
	c.Expect(0)
	_ = c.sendFrame(authFrame{"auth_ok", c.key.Plan})
	_ = c.flush() // the reader sees whether it failed
	c.account.Pay(access.Unit, access.Used{Operation: c.operation, Units: access.Unit})
	buffers.put(&c.frames)
	return true
}

// closingFor returns the close frame for a key that was refused.
func closingFor(err error) Closing {
	if problem.From(err).Kind == problem.StoreUnavailable {
		return unavailable
	}
	return invalidKey
}

// read reads until the connection ends. It answers pings at once and queues the
// rest.
func (c *connection[E]) read() {
	defer c.Cut() // nobody is there to take what may be on its way
	for {
		frame, text, err := c.Read()
		if err != nil {
			return
		}
		var cmd command
		if text {
			cmd.message, cmd.wrong = parseMessage(frame, c.channel.Batches)
		} else {
			cmd.wrong = errors.New("a message must be a text frame")
		}
		if cmd.wrong == nil && cmd.action == "ping" {
			_ = c.Send(pong)
			continue
		}
		for room := c.push(cmd); room != nil; room = c.push(cmd) {
			select {
			case <-room:
				continue
			case <-time.After(WriteWait): // a replay is stuck
				c.Close(slowConsumer)
			}
			break
		}
	}
}

var pong, _ = json.Marshal(pongFrame{"pong"})
