package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

// Client follows disclosures over one transport, reconnects with its last position,
// hangs up now and then, and records everything.
type Client struct {
	Name string

	way      way
	gateways []*Gateway // it takes any of them for each connection
	address  string     // of the one that it took
	key      string
	topics   []string
	random   *rand.Rand
	record   *history.Recorder
	cancel   context.CancelFunc
	done     chan struct{}

	mu   sync.Mutex
	has  map[int]bool
	cuts int // connections that ended, other than by the client's wish
	gaps int // announcements that something is missing

	position history.Position
}

// patience is how long a client waits for a sign of life.
const patience = 3 * time.Second

// Why a client ended a connection.
var (
	errSilent    = fmt.Errorf("silent for %s", patience)
	errStopped   = errors.New("the client was stopped")
	errHungUp    = errors.New("the client hung up")
	errTruncated = errors.New("the rest comes with the next connection")
)

// message is what a server says, whatever the transport.
type message struct {
	kind      history.Kind // Subscribed, Event, ReplayDone, Gap, or "" for a sign of life
	number    int
	position  *history.Position // of the row, or of what the message is about
	resume    *history.Position // where the client goes on if it is cut off here; nil: where it did before
	replay    bool
	truncated bool
	text      string
}

// refusal is an answer that says that a position cannot be resumed.
type refusal struct {
	text string
	from *history.Position // where to go on; nil: at the beginning
}

// Error returns what the server said.
func (r *refusal) Error() string { return "refused: " + r.text }

// NewClient starts a client of gateways that has everything up to a position: "0" for
// one that wants everything.
func (w *World) NewClient(key string, gateways []*Gateway, way way, position string, topics ...string) *Client {
	w.T.Helper()
	from, err := history.ParsePosition(position)
	need.NoError(w.T, err)
	n := len(w.clients) + 1
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{
		Name: fmt.Sprintf("client %d (%s)", n, way.name), way: way, gateways: gateways, key: key, topics: append(topics, "type:"+lastKind),
		random: rand.New(rand.NewPCG(w.seed, uint64(n))), record: w.Recorder, cancel: cancel, done: make(chan struct{}),
		has: map[int]bool{}, position: from,
	}
	w.clients = append(w.clients, c)
	go c.run(ctx)
	w.T.Cleanup(c.Stop)
	return c
}

// NewClients starts clients of every transport, with different topics, that want
// everything.
func (w *World) NewClients(key string, gateways ...*Gateway) {
	w.T.Helper()
	for _, way := range ways {
		w.NewClient(key, gateways, way, "0", "all")
		w.NewClient(key, gateways, way, "0", [][]string{{"type:ODA"}, {"symbol:AAA"}, {"symbol:BBB", "type:DG"}}[w.Random.IntN(3)]...)
	}
}

// AwaitCuts makes something happen and waits until every client has lost a connection
// by it.
func (w *World) AwaitCuts(happen func()) {
	w.T.Helper()
	before := make([]int, len(w.clients))
	for i, c := range w.clients {
		before[i] = c.Cuts()
	}
	happen()
	for i, c := range w.clients {
		w.Wait(c.Name+" loses its connection", func(context.Context) bool { return c.Cuts() > before[i] })
	}
}

// AwaitAll waits until every client that follows all disclosures has one.
func (w *World) AwaitAll(number int) {
	w.T.Helper()
	for _, c := range w.clients {
		if c.topics[0] == "all" {
			w.Wait(fmt.Sprintf("%s receives number %d", c.Name, number), func(context.Context) bool { return c.Has(number) })
		}
	}
}

// Stop ends the client.
func (c *Client) Stop() {
	c.cancel()
	<-c.done
}

// Has reports whether the client ever received a number.
func (c *Client) Has(number int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.has[number]
}

// Cuts returns how often the client lost a connection.
func (c *Client) Cuts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cuts
}

// Gaps returns how often the client was told that something is missing.
func (c *Client) Gaps() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gaps
}

func (c *Client) count(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !errors.Is(err, errHungUp) && !errors.Is(err, errTruncated) {
		c.cuts++
	}
}

func (c *Client) run(ctx context.Context) {
	defer close(c.done)
	for n := 1; ctx.Err() == nil; n++ {
		after := c.position
		if c.way.by == history.ByNumber {
			after.Epoch = ""
		}
		c.say(history.Entry{Kind: history.Connect, Connection: n, Transport: c.way.name, By: c.way.by, Topics: c.topics, After: &after})
		err := c.follow(ctx, n)
		if r, ok := errors.AsType[*refusal](err); ok {
			c.take(n, message{kind: history.Gap, text: r.text, position: r.from, resume: r.from})
		}
		c.say(history.Entry{Kind: history.Close, Connection: n, Text: err.Error()})
		c.count(err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(20+c.random.IntN(200)) * time.Millisecond): // the backoff of a client
		}
	}
}

func (c *Client) say(e history.Entry) {
	e.Actor = c.Name
	c.record.Record(e)
}

// follow follows one connection and says why it ended.
func (c *Client) follow(ctx context.Context, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.address = c.gateways[c.random.IntN(len(c.gateways))].Network.Address
	messages, err := c.way.open(ctx, c)
	if err != nil {
		return err
	}
	events := -1 // until it hangs up
	if c.random.IntN(3) == 0 {
		events = 1 + c.random.IntN(60)
	}
	silence := time.NewTimer(patience)
	defer silence.Stop()
	for events != 0 {
		select {
		case m := <-messages:
			if m.err != nil {
				return m.err
			}
			c.take(n, m.message)
			switch m.kind {
			case history.Event:
				events--
			case history.ReplayDone:
				if m.truncated {
					return errTruncated
				}
			}
			silence.Reset(patience)
		case <-silence.C:
			return errSilent
		case <-ctx.Done():
			return errStopped
		}
	}
	return errHungUp
}

// take records a message and keeps the position from which to resume.
func (c *Client) take(n int, m message) {
	if m.kind != "" {
		c.say(history.Entry{
			Kind: m.kind, Connection: n, Number: m.number, Position: m.position, Replay: m.replay, Truncated: m.truncated, Text: m.text,
		})
	}
	switch {
	case m.kind == history.Event && c.way.by == history.ByNumber:
		c.position.Seq = max(c.position.Seq, int64(m.number))
	case c.way.by == history.ByNumber:
	case m.resume != nil:
		c.position = *m.resume
	case m.kind == history.Gap: // nothing says where to go on
		c.position = history.Position{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.kind {
	case history.Event:
		c.has[m.number] = true
	case history.Gap:
		c.gaps++
	}
}
