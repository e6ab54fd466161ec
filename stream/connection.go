package stream

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/problem"
)

// Channel is what a kind of WebSocket serves.
type Channel[E any] struct {
	Hub   *Hub[E]
	Scope access.Scope
	// Topic reads one of a message's ids.
	Topic func(key *access.Key, text string) (topic string, ok bool)
	// NewEncoder returns the encoder of events for one connection. It may remember
	// what it encoded; a nil frame means that nothing is new.
	NewEncoder func() Encode[E]
	// Current returns the events that a new subscription begins with; may be nil.
	Current func(topics []string) []E
	// Replay passes stored frames above after, up to the event numbered upTo, to
	// send; nil when the channel cannot resume.
	Replay func(ctx context.Context, topics []string, after, upTo int64, send func(frame []byte) error) (last int64, truncated bool, err error)
}

// Encode returns the frame of an event; again asks for one even if nothing is new.
type Encode[E any] func(e E, again bool) (*websocket.PreparedMessage, error)

// Times of a connection. A revoked key ends within KeyRecheck + CloseWait.
const (
	AuthWait       = 10 * time.Second // until the first frame
	WriteWait      = 30 * time.Second // for the client to receive a message
	KeyRecheck     = 10 * time.Second // between two looks at the key
	CloseWait      = 45 * time.Second // for a client that has stopped reading to receive a close frame
	shortCloseWait = 3 * time.Second  // the same during shutdown; also for the client's own close frame
	maxPending     = 64               // commands that wait while a replay runs
)

// connection is one client. A reader goroutine parses messages and answers pings;
// serve does everything else in order, also sending events, so live events wait
// while a replay runs.
//
// Before serve answers a command, it sends all events published until it began with
// the command. So at a replay_done the client has everything published before its
// subscribed, and nothing later: the highest number that it has is a safe place to
// resume from.
type connection[E any] struct {
	*Wire
	sockets  *Sockets
	channel  Channel[E]
	key      *access.Key
	commands chan command
	ended    chan struct{} // closed with the reader
	rejected int           // messages
	encode   Encode[E]

	mu      sync.Mutex
	sub     *Subscription[E] // nil until authenticated
	drained bool
}

// command is a message to be handled in order; wrong says why one could not be
// read.
type command struct {
	message
	wrong error
}

func newConnection[E any](s *Sockets, channel Channel[E], wire *Wire) *connection[E] {
	return &connection[E]{Wire: wire, sockets: s, channel: channel, encode: channel.NewEncoder(), commands: make(chan command, maxPending), ended: make(chan struct{})}
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
	c.sub = c.channel.Hub.Join(func() { c.Close(slowConsumer) })
	if c.drained {
		c.sub.End()
	}
}

// Run serves the connection until it ends.
func (c *connection[E]) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !c.authenticate() {
		return
	}
	c.join()
	defer c.sub.Leave()
	defer c.sockets.Watch(c.key, func() { c.Close(invalidKey) })()
	over := make(chan struct{})
	go c.read(over)
	err := c.serve(ctx)
	close(over)
	var stop Closing
	switch {
	case errors.As(err, &stop):
		c.Close(stop)
	case err != nil && !c.closing.Load() && !isNetwork(err):
		slog.Error("a stream failed", "error", err)
		c.Close(serverError)
	}
	if !c.closing.Load() { // else the reader waits for the client's close frame
		c.Cut()
	}
	<-c.ended
}

func isNetwork(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, net.ErrClosed) || errors.Is(err, errClosing) || errors.Is(err, websocket.ErrCloseSent)
}

// authenticate waits for the first frame; false: the connection is closed.
func (c *connection[E]) authenticate() bool {
	c.Expect(AuthWait)
	kind, frame, err := c.ws.ReadMessage()
	if err != nil {
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			c.Finish(authTimeout)
		}
		return false
	}
	m, err := parseMessage(frame)
	if kind != websocket.TextMessage || err != nil || m.action != "auth" {
		c.Finish(authRequired)
		return false
	}
	if c.key, err = c.sockets.Gate.Authenticate(m.apiKey); err != nil {
		c.Finish(closingFor(err))
		return false
	}
	switch {
	case !c.key.Has(c.channel.Scope):
		c.Finish(missingScope)
		return false
	case !c.sockets.Available():
		c.Finish(unavailable)
		return false
	}
	c.Expect(0)
	return c.sendFrame(authFrame{"auth_ok", c.key.Plan}) == nil
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
func (c *connection[E]) read(over <-chan struct{}) {
	defer close(c.ended)
	defer c.Cut() // nobody is there to take what may be on its way
	for {
		frame, text, err := c.Read()
		if err != nil {
			return
		}
		var cmd command
		if text {
			cmd.message, cmd.wrong = parseMessage(frame)
		} else {
			cmd.wrong = errors.New("a message must be a text frame")
		}
		if cmd.wrong == nil && cmd.action == "ping" {
			_ = c.sendFrame(pongFrame{"pong"})
			continue
		}
		select {
		case c.commands <- cmd:
		case <-over: // serve has ended
		case <-time.After(WriteWait): // a replay is stuck
			c.Close(slowConsumer)
		}
	}
}

// serve handles commands and sends events until something ends it. Commands come
// first, but each is preceded by the events published before it; so neither delays
// the other for longer than it takes to empty the queue once.
func (c *connection[E]) serve(ctx context.Context) error {
	for {
		var cmd command
		select {
		case cmd = <-c.commands:
		default:
			select {
			case <-c.ended:
				return nil
			case cmd = <-c.commands:
			case <-c.sub.Wake():
				if err := c.deliver(c.sub.Mark()); err != nil {
					return err
				}
				continue
			}
		}
		if err := c.deliver(c.sub.Mark()); err != nil {
			return err
		}
		if err := c.handle(ctx, cmd); err != nil {
			return err
		}
	}
}

// deliver sends the pending events that were published before the mark.
func (c *connection[E]) deliver(before Mark) error {
	for {
		e, ok, ended := c.sub.Next(before)
		switch {
		case ended == ErrSlow:
			return slowConsumer
		case ended != nil:
			return GoingAway
		case !ok:
			return nil
		}
		if err := c.sendEvent(e, false); err != nil {
			return err
		}
	}
}

func (c *connection[E]) sendEvent(e E, again bool) error {
	frame, err := c.encode(e, again)
	if err != nil || frame == nil {
		return err
	}
	return c.sendPrepared(frame)
}

// sendFrame encodes and sends a frame of the protocol.
func (c *connection[E]) sendFrame(frame any) error {
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return c.Send(text)
}

// handle executes a command.
func (c *connection[E]) handle(ctx context.Context, cmd command) error {
	switch {
	case cmd.wrong != nil:
		return c.rejectMessage(cmd.wrong.Error())
	case cmd.action == "subscribe":
		return c.subscribe(ctx, cmd.message)
	case cmd.action == "unsubscribe":
		topics, _ := c.topics(cmd.ids)
		return c.sendFrame(unsubscribedFrame{"unsubscribed", append([]string{}, c.sub.Unfollow(topics)...)})
	}
	return c.rejectMessage("auth must be sent first and only once")
}

// rejectMessage answers a bad message; the last one allowed ends the connection.
func (c *connection[E]) rejectMessage(what string) error {
	c.rejected++
	if err := c.sendFrame(errorFrame{"error", "bad_message", what}); err != nil {
		return err
	}
	if c.rejected == maxBadMessages {
		return badMessages
	}
	return nil
}

// topics returns the valid topics of a message, and the other ids.
func (c *connection[E]) topics(ids []string) (valid, invalid []string) {
	return topicsOf(ids, func(text string) (string, bool) { return c.channel.Topic(c.key, text) })
}

func (c *connection[E]) subscribe(ctx context.Context, m message) error {
	valid, invalid := c.topics(m.ids)
	active := c.sub.Topics()
	for _, topic := range valid {
		if !c.sub.Follows(topic) {
			active++
		}
	}
	if active > maxTopics {
		return c.sendFrame(limitError)
	}
	position, now := c.sub.Follow(valid)
	if err := c.deliver(now); err != nil {
		return err
	}
	if err := c.sendFrame(subscribedFrame{"subscribed", valid, invalid}); err != nil {
		return err
	}
	if c.channel.Current != nil {
		for _, e := range c.channel.Current(valid) {
			if err := c.sendEvent(e, true); err != nil {
				return err
			}
		}
	}
	if m.after == nil || c.channel.Replay == nil {
		return nil
	}
	return c.replay(ctx, valid, *m.after, position.Seq)
}

// replay sends stored events; new ones wait in the subscription.
func (c *connection[E]) replay(ctx context.Context, topics []string, after, upTo int64) error {
	done := replayDoneFrame{"replay_done", after, false}
	if len(topics) > 0 {
		var sending error
		last, truncated, err := c.channel.Replay(ctx, topics, after, upTo, func(frame []byte) error {
			sending = c.Send(frame)
			return sending
		})
		if sending != nil {
			return sending
		}
		done.LastIndex, done.Truncated = last, truncated
		if err != nil {
			slog.Error("a replay failed", "error", err)
			done.Truncated = true
			if err := c.sendFrame(replayError); err != nil {
				return err
			}
		}
	}
	return c.sendFrame(done)
}
