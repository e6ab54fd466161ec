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

// Channel describes what one kind of WebSocket serves: where its events come from, which
// topics a client may follow, and how an event becomes a frame. Handler serves it.
type Channel[E any] struct {
	Hub   *Hub[E]
	Scope access.Scope
	// Costs reports whether the frame of an event costs a unit; nil: none does.
	Costs func(e E) bool
	// Batches reports whether a client may ask for events in batches: they cost no unit.
	Batches bool
	// Topic reads one of a message's ids.
	Topic func(key *access.Key, text string) (topic string, ok bool)
	// Successors returns the new ids of instruments that had one of ids before; may be nil.
	Successors func(ids []string) []*Succession
	// NewEncoder returns the encoder of events for one connection. The encoder may remember
	// what it encoded; it returns a nil frame if nothing is new.
	NewEncoder func() Encode[E]
	// Current returns the events that a new subscription begins with; may be nil.
	Current func(topics []string) []E
	// Replay passes the texts of stored events to send, page by page; each costs a unit. They
	// have an index above afterIndex, which clients know, and a number of the feed up to and
	// including upToSeq. Nil if the channel cannot resume.
	Replay func(ctx context.Context, topics []string, afterIndex, upToSeq int64, send func(page [][]byte) error) (last int64,
		truncated bool, err error)
}

// Encode returns the frame of an event, or nil if nothing is new and again is not set.
type Encode[E any] func(e E, again bool) (frame *sharedFrame, err error)

// The cost of an event's frame in work, in fields of an answer.
const (
	costLive     = 1 // the frame is made once for all clients
	costReplayed = 5
)

// connection is one client. Its goroutine reads: it parses messages and answers pings.
// A task does everything else in order, including sending events, so live events wait while
// a replay runs. The task has a goroutine only while there is something to do.
//
// Before the task answers a command, it sends all events published before it took the
// command. So at a replay_done the client has everything published before its
// subscribed, and nothing later: it can safely resume from the highest number that it has.
type connection[E any] struct {
	*Wire
	sockets               *Sockets
	channel               *Channel[E]
	key                   *access.Key
	account               *usage.Account
	release               func()          // takes the connection off the key's limit of connections
	token                 string          // of the address, in place of a key; "" after an auth message
	operation, delivering string          // names under which the connection and its events are metered
	ctx                   context.Context // of the request that was upgraded

	task     task
	rejected int          // bad messages so far
	frames   []byte       // the piece that gathers
	batches  bool         // whether events come in batches
	batch    []byte       // the batch that gathers
	batched  int32        // messages in batch
	inPiece  atomic.Int32 // messages in frames
	paid     []int        // ends, in frames, of the frames that cost a unit
	spent    int          // the cost of frames in work
	failed   bool         // nothing is sent any more
	encode   Encode[E]

	mu        sync.Mutex
	sub       *Subscription[E] // nil before authentication
	drained   bool
	over      bool   // the reader has ended
	endReplay func() // cancels the replay that runs; nil: none runs
	commands  []command
	room      chan struct{} // closed when commands have been taken; nil: the reader does not wait
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
	defer func() { c.account.Free(int64(len(c.paid)) * access.Unit) }() // for frames that were not written
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

// firstFrame waits for the client's first frame and returns the key in it. If there is none,
// it closes the connection and returns false.
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

// authenticate admits a client with a token in its address or a key in its first frame. It
// closes the connection of any other client and returns false.
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
		return false // the connection is being closed
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
	_ = c.flush() // the reader sees an error, too
	c.account.Pay(access.Unit, access.Used{Operation: c.operation, Units: access.Unit})
	buffers.put(&c.frames)
	return true
}

// closingFor returns the close frame for a rejected key.
func closingFor(err error) Closing {
	if problem.From(err).Kind == problem.StoreUnavailable {
		return unavailable
	}
	return invalidKey
}

// read reads until the connection ends. It answers pings at once and queues the
// rest.
func (c *connection[E]) read() {
	defer c.Cut() // nobody reads what the client may still send
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
