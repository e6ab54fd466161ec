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

// Feed is what a socket serves.
type Channel[E any] struct {
	Hub   *Hub[E]
	Scope access.Scope
	// Topic reads one of a message's ids.
	Topic func(key *access.Key, text string) (topic string, ok bool)
	// Teller returns what makes frames of events for one connection. It may
	// remember what it told; nil says that there is nothing new to tell.
	Teller func() Tell[E]
	// Current are the events that a new subscription begins with; may be nil.
	Current func(topics []string) []E
	// Replay hands stored frames above after, up to the event with the number
	// upTo, to send; nil when there is no resume.
	Replay func(ctx context.Context, topics []string, after, upTo int64, send func(frame []byte) error) (last int64, truncated bool, err error)
}

// Tell makes the frame of an event; again, also when it is what was told last.
type Tell[E any] func(e E, again bool) (*websocket.PreparedMessage, error)

// Times of a connection. A revoked key ends within KeyRecheck + CloseWait.
const (
	AuthWait   = 10 * time.Second // until the first frame
	WriteWait  = 30 * time.Second // a message that the client does not take
	KeyRecheck = 10 * time.Second // between two looks at the key
	CloseWait  = 45 * time.Second // a close frame that the client does not take
	closeWait  = 3 * time.Second  // the same when the server goes down; and for the client's close frame
	maxPending = 64               // commands that wait while a replay runs
)

// connection is one client. Its reader parses what the client says and answers
// pings; everything else is done in order by serve, which is also what sends
// events. A replay therefore holds live events back by itself.
//
// Before a command is answered, everything published before it was taken up
// goes out. So whatever has been sent up to a replay_done was published before
// its subscribed, and nothing published before that is left behind: the highest
// number that a client has then is a safe place to resume from.
type connection[E any] struct {
	*Wire
	sockets  *Sockets
	feed     Channel[E]
	key      *access.Key
	commands chan command
	ended    chan struct{} // closed with the reader
	strikes  int
	tell     Tell[E]

	mu      sync.Mutex
	sub     *Subscription[E] // nil until authenticated
	drained bool
}

// command is a message to be handled in order; one that could not be read
// carries what is wrong.
type command struct {
	message
	wrong error
}

func newConnection[E any](s *Sockets, feed Channel[E], wire *Wire) *connection[E] {
	return &connection[E]{Wire: wire, sockets: s, feed: feed, tell: feed.Teller(), commands: make(chan command, maxPending), ended: make(chan struct{})}
}

// Drain lets the connection come to its end.
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

// join begins the subscription.
func (c *connection[E]) join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sub = c.feed.Hub.Join(func() { c.Close(slowConsumer) })
	if c.drained {
		c.sub.End()
	}
}

// Run serves the connection to its end.
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

// authenticate waits for the first frame; false means that the connection is
// closed.
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
	case !c.key.Has(c.feed.Scope):
		c.Finish(missingScope)
		return false
	case !c.sockets.Available():
		c.Finish(unavailable)
		return false
	}
	c.Expect(0)
	return c.say(authFrame{"auth_ok", c.key.Plan}) == nil
}

// closingFor is how a connection ends whose key was not let through.
func closingFor(err error) Closing {
	if problem.From(err).Kind == problem.StoreUnavailable {
		return unavailable
	}
	return invalidKey
}

// read reads until the connection ends. Pings are answered at once; the rest
// waits its turn.
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
			_ = c.say(pongFrame{"pong"})
			continue
		}
		select {
		case c.commands <- cmd:
		case <-over: // nobody will handle it
		case <-time.After(WriteWait): // a replay that does not get on
			c.Close(slowConsumer)
		}
	}
}

// serve handles commands and sends events until something ends it. Commands
// come first, and each lets what was published before it go ahead; so neither
// holds the other up for longer than it takes to empty the queue once.
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

// deliver sends what waits and was published before the mark.
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
	frame, err := c.tell(e, again)
	if err != nil || frame == nil {
		return err
	}
	return c.sendPrepared(frame)
}

// say sends a frame of the protocol.
func (c *connection[E]) say(frame any) error {
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return c.Send(text)
}

// handle does what a message says.
func (c *connection[E]) handle(ctx context.Context, cmd command) error {
	switch {
	case cmd.wrong != nil:
		return c.strike(cmd.wrong.Error())
	case cmd.action == "subscribe":
		return c.subscribe(ctx, cmd.message)
	case cmd.action == "unsubscribe":
		topics, _ := c.topics(cmd.ids)
		return c.say(unsubscribedFrame{"unsubscribed", append([]string{}, c.sub.Unfollow(topics)...)})
	}
	return c.strike("auth must be sent first and only once")
}

// strike answers a bad message; the last one allowed ends the connection.
func (c *connection[E]) strike(what string) error {
	c.strikes++
	if err := c.say(errorFrame{"error", "bad_message", what}); err != nil {
		return err
	}
	if c.strikes == maxStrikes {
		return badMessages
	}
	return nil
}

// topics are the valid topics of a message, and the other ids.
func (c *connection[E]) topics(ids []string) (valid, invalid []string) {
	return topicsOf(ids, func(text string) (string, bool) { return c.feed.Topic(c.key, text) })
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
		return c.say(limitError)
	}
	position, now := c.sub.Follow(valid)
	if err := c.deliver(now); err != nil {
		return err
	}
	if err := c.say(subscribedFrame{"subscribed", valid, invalid}); err != nil {
		return err
	}
	if c.feed.Current != nil {
		for _, e := range c.feed.Current(valid) {
			if err := c.sendEvent(e, true); err != nil {
				return err
			}
		}
	}
	if m.after == nil || c.feed.Replay == nil {
		return nil
	}
	return c.replay(ctx, valid, *m.after, position)
}

// replay sends stored events; what comes meanwhile waits in the subscription.
func (c *connection[E]) replay(ctx context.Context, topics []string, after, upTo int64) error {
	done := replayDoneFrame{"replay_done", after, false}
	if len(topics) > 0 {
		var sending error
		last, truncated, err := c.feed.Replay(ctx, topics, after, upTo, func(frame []byte) error {
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
			if err := c.say(replayError); err != nil {
				return err
			}
		}
	}
	return c.say(done)
}
