package stream

import (
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/access"
)

// Sockets holds the long-lived connections of a server.
type Sockets struct {
	Gate      *access.Gate
	Available func() bool                // whether the log is being followed
	Origin    func(r *http.Request) bool // whether a page of this origin may connect
	Max       int                        // connections at once; 0: any number
	// Refuse answers a request that cannot become a connection; nil: in plain
	// text.
	Refuse func(w http.ResponseWriter, r *http.Request, status int, why error)

	mu       sync.Mutex
	open     map[Member]struct{}
	draining bool
	idle     []chan struct{} // of each Drain; closed when all connections have left
}

// Member is a long-lived connection of any protocol.
type Member interface {
	// Drain sends what is pending and then closes; it does not wait.
	Drain()
	// Close ends the connection at once.
	Close(Closing)
}

// Enter adds a connection; if it must close, why is the reason.
func (s *Sockets) Enter(m Member) (why Closing, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[Member]struct{}{}
	}
	s.open[m] = struct{}{}
	switch {
	case s.draining:
		return GoingAway, false
	case s.Max > 0 && len(s.open) > s.Max:
		return tooMany, false
	}
	return Closing{}, true
}

// Leave removes a connection.
func (s *Sockets) Leave(m Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, m)
	s.rest()
}

// rest signals that draining is done; s.mu is locked.
func (s *Sockets) rest() {
	if !s.draining || len(s.open) > 0 {
		return
	}
	for _, all := range s.idle {
		close(all)
	}
	s.idle = nil
}

// Drain asks every connection to send what is pending and close with 1001, and
// closes the remaining ones when ctx ends. It returns when all have left. It may
// be called more than once.
func (s *Sockets) Drain(ctx context.Context) {
	each := func(do func(Member)) {
		s.mu.Lock()
		members := slices.Collect(maps.Keys(s.open))
		s.mu.Unlock()
		for _, m := range members {
			do(m)
		}
	}
	all := make(chan struct{})
	s.mu.Lock()
	s.draining, s.idle = true, append(s.idle, all)
	s.rest()
	s.mu.Unlock()
	each(Member.Drain)
	select {
	case <-all:
		return
	case <-ctx.Done():
	}
	each(func(m Member) { go m.Close(GoingAway) })
	<-all
}

// Watch checks the key every KeyRecheck until stop is called, and calls revoked,
// once, when it is no longer alive.
func (s *Sockets) Watch(key *access.Key, revoked func()) (stop func()) {
	return watch(func() bool { return s.Gate.Alive(key) }, revoked)
}

func watch(alive func() bool, revoked func()) (stop func()) {
	var (
		again   *time.Timer
		stopped atomic.Bool
	)
	again = time.AfterFunc(math.MaxInt64, func() {
		switch {
		case stopped.Load():
		case alive():
			again.Reset(KeyRecheck)
		default:
			revoked()
		}
	})
	again.Reset(KeyRecheck)
	return func() {
		stopped.Store(true)
		again.Stop()
	}
}

// Conversation is a connection with its protocol.
type Conversation interface {
	Member
	// Run serves the connection until it ends.
	Run(context.Context)
}

var writeBuffers sync.Pool

// Serve upgrades a request to a WebSocket and runs the conversation that begin
// opens on it; stalled closes one whose client receives nothing for WriteWait.
func (s *Sockets) Serve(w http.ResponseWriter, r *http.Request, stalled Closing, begin func(*Wire) Conversation, subprotocols ...string) {
	upgrader := websocket.Upgrader{
		CheckOrigin: s.Origin, Subprotocols: subprotocols, ReadBufferSize: 1 << 10, WriteBufferSize: 4 << 10, WriteBufferPool: &writeBuffers, Error: s.Refuse,
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has been answered
	}
	defer ws.Close()
	ws.SetReadLimit(maxMessage)
	wire := newWire(ws, stalled)
	c := begin(wire)
	why, ok := s.Enter(c)
	defer s.Leave(c)
	if !ok {
		wire.Finish(why)
		return
	}
	c.Run(context.WithoutCancel(r.Context()))
}

// Handler returns the handler of a channel.
func Handler[E any](s *Sockets, channel Channel[E]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, slowConsumer, func(wire *Wire) Conversation { return newConnection(s, channel, wire) })
	})
}
