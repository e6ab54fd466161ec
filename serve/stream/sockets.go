package stream

import (
	"bufio"
	"container/list"
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/account/usage"
)

// Sockets holds the long-lived connections of a server, of all kinds. It enforces the limits of
// connections (of the server and of each client), ends connections whose key is revoked, counts
// them, and drains all of them at shutdown.
type Sockets struct {
	Gate      *access.Gate
	Meter     *usage.Meter               // counts usage; nil: nothing is metered
	Available func() bool                // whether the server follows the log
	Origin    func(r *http.Request) bool // whether a page of this origin may connect
	Max       int                        // most connections at once; 0: any number
	Deflating int                        // most WebSockets at once whose messages may be compressed; 0: none

	// Authenticate returns the live key of a secret or a token; nil: only secrets are accepted.
	Authenticate func(secret string) (*access.Key, error)
	// AddressToken returns the token in the address of a request, or ""; nil: addresses have
	// no tokens.
	AddressToken func(r *http.Request) string

	PerAddress int                                // most connections of one client at once; 0: any number
	Client     func(context.Context) netip.Prefix // the client of a request; nil or an invalid prefix: unknown
	// Shown is called once a connection has shown a live key, with the context of its request;
	// may be nil.
	Shown func(context.Context, *access.Key)
	// Closed is called when a stream has ended, with its transport and the reason, which is one
	// of a few words; may be nil.
	Closed func(transport, why string)
	// Refuse answers a request that cannot become a connection; nil: it is answered in plain
	// text.
	Refuse func(w http.ResponseWriter, r *http.Request, status int, why error)

	traffic [3]Traffic

	mu        sync.Mutex
	open      map[Member]place
	taken     int                  // how many of open count against the limits
	deflating int                  // how many WebSockets may compress
	keyless   list.List            // the counted connections without a key, the oldest first
	each      map[netip.Prefix]int // counted connections by client
	draining  bool
	idle      []chan struct{} // one for each Drain; closed when all connections have left

	once  sync.Once
	keys  keyWatch
	wires *rounds[*Wire]
}

// Member is a long-lived connection of any protocol.
type Member interface {
	// Drain sends what is pending and then closes; it does not wait.
	Drain()
	// Close ends the connection at once.
	Close(Closing)
}

// place is what an open connection takes of the limits.
type place struct {
	taken   bool          // false: it does not count, and is closed at once
	keyless *list.Element // nil: it has shown a key, and keeps its place
	of      netip.Prefix
	traffic *Traffic
}

// Enter adds the connection of the request of ctx; if it must close, ok is false and why is
// the reason. Until a socket has shown a key (see Keep), it may lose its place to others.
func (s *Sockets) Enter(ctx context.Context, m Member, over Transport) (why Closing, ok bool) {
	p := place{traffic: s.Traffic(over)}
	p.traffic.open.Add(1)
	if s.PerAddress > 0 && s.Client != nil {
		p.of = s.Client(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open, s.each = map[Member]place{}, map[netip.Prefix]int{}
	}
	switch {
	case s.draining:
		why = GoingAway
	case p.of.IsValid() && s.each[p.of] >= s.PerAddress && !s.giveWay(p.of, TooManyOfAddress):
		why = TooManyOfAddress
	case s.Max > 0 && s.taken >= s.Max && !s.giveWay(netip.Prefix{}, tooMany):
		why = tooMany
	default:
		p.taken = true
		s.taken++
		if p.of.IsValid() {
			s.each[p.of]++
		}
		if over != TransportEvents {
			p.keyless = s.keyless.PushBack(m)
		}
	}
	s.open[m] = p
	return why, p.taken
}

// giveWay closes the oldest connection without a key, of one address if of is valid; false:
// there is none. s.mu is locked.
func (s *Sockets) giveWay(of netip.Prefix, why Closing) bool {
	for e := s.keyless.Front(); e != nil; e = e.Next() {
		m := e.Value.(Member)
		if p := s.open[m]; !of.IsValid() || p.of == of {
			s.open[m] = s.leavePlace(p)
			go m.Close(why)
			return true
		}
	}
	return false
}

// leavePlace takes p off the limits and returns it without a place; s.mu is locked.
func (s *Sockets) leavePlace(p place) place {
	if p.taken {
		s.taken--
		if p.of.IsValid() {
			if s.each[p.of]--; s.each[p.of] == 0 {
				delete(s.each, p.of)
			}
		}
	}
	if p.keyless != nil {
		s.keyless.Remove(p.keyless)
	}
	p.taken, p.keyless = false, nil
	return p
}

// Keep records that the client of a connection has shown a live key. It returns false if the
// connection has already lost its place.
func (s *Sockets) Keep(m Member) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.open[m]
	if p.keyless != nil {
		s.keyless.Remove(p.keyless)
		p.keyless = nil
		s.open[m] = p
	}
	return p.taken
}

// Open returns how many connections there are.
func (s *Sockets) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Compressed returns how many WebSockets there are whose messages may be compressed.
func (s *Sockets) Compressed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deflating
}

// Leave removes a connection.
func (s *Sockets) Leave(m Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.open[m]
	delete(s.open, m)
	if p.traffic != nil {
		p.traffic.open.Add(-1)
	}
	s.leavePlace(p)
	s.rest()
}

// rest signals the end of draining once no connection is open; s.mu is locked.
func (s *Sockets) rest() {
	if !s.draining || len(s.open) > 0 {
		return
	}
	for _, all := range s.idle {
		close(all)
	}
	s.idle = nil
}

// Drain asks every connection to send what is pending and close with 1001, and closes the
// remaining ones when ctx ends. It returns when all have left, and may be called more than
// once.
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

// Watch checks the key every KeyRecheck until stop is called, and calls revoked once, when
// the key is no longer alive.
func (s *Sockets) Watch(key *access.Key, revoked func()) (stop func()) {
	s.prepare()
	return s.keys.watch(func() bool { return s.Gate.Alive(key) }, revoked)
}

// keyOf returns the live key of a secret or a token.
func (s *Sockets) keyOf(secret string) (*access.Key, error) {
	if s.Authenticate != nil {
		return s.Authenticate(secret)
	}
	return s.Gate.Authenticate(secret)
}

// addressToken returns the token in the address of a request, or "".
func (s *Sockets) addressToken(r *http.Request) string {
	if s.AddressToken == nil {
		return ""
	}
	return s.AddressToken(r)
}

// shown calls Shown, if that is set.
func (s *Sockets) shown(ctx context.Context, key *access.Key) {
	if s.Shown != nil {
		s.Shown(ctx, key)
	}
}

// prepare sets up the checks that the first connection needs.
func (s *Sockets) prepare() {
	s.once.Do(func() {
		s.keys, s.wires = newKeyWatch(), newRounds(stallCheck, (*Wire).check)
	})
}

// Conversation is a connection that speaks a protocol.
type Conversation interface {
	Member
	// Run serves the connection until it ends.
	Run(context.Context)
}

// Serve upgrades a request to a WebSocket and runs the conversation that begin returns for
// it; stalled closes a wire whose client receives nothing for WriteWait. Serve returns
// without waiting for the end, so that the handler's stack and buffers are freed.
func (s *Sockets) Serve(w http.ResponseWriter, r *http.Request, stalled Closing, begin func(*Wire) Conversation, subprotocols ...string) {
	upgrader := websocket.Upgrader{
		CheckOrigin: s.Origin, Subprotocols: subprotocols, ReadBufferSize: 256, WriteBufferSize: 256, WriteBufferPool: noBuffers{},
		Error: s.Refuse, EnableCompression: s.mayDeflate(r.Header),
	}
	hijacker := &hijacker{ResponseWriter: w}
	ws, err := upgrader.Upgrade(hijacker, r, nil)
	deflates := err == nil && hijacker.conn.deflates
	if upgrader.EnableCompression && !deflates {
		s.leaveDeflating()
	}
	if err != nil {
		return // the request has been answered
	}
	ws.SetReadLimit(maxMessage)
	wire := &Wire{ws: ws, conn: hijacker.conn.Conn, stalled: stalled, writing: make(chan struct{}, 1), deflates: deflates}
	hijacker.conn.wire = wire
	wire.steady()
	c := begin(wire)
	s.prepare()
	s.wires.add(wire)
	transport := TransportSocket
	if len(subprotocols) > 0 {
		transport = TransportGraphQL
	}
	why, ok := s.Enter(r.Context(), c, transport)
	ctx := context.WithoutCancel(r.Context())
	go func() {
		s.converse(ctx, c, wire, why, ok)
		s.Count(transport, wire.ended())
	}()
}

// converse runs a conversation, or closes it with why if it is not ok.
func (s *Sockets) converse(ctx context.Context, c Conversation, wire *Wire, why Closing, ok bool) {
	defer s.Leave(c)
	if wire.deflates {
		defer s.leaveDeflating()
	}
	defer s.wires.remove(wire)
	defer wire.Cut()
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "panic", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	if !ok {
		wire.Finish(why)
		return
	}
	c.Run(ctx)
}

// hijacker gives the library a connection whose writes the wire can order.
type hijacker struct {
	http.ResponseWriter
	conn *libraryConn
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = &libraryConn{Conn: conn}
	return h.conn, buffers, nil
}

// noBuffers is a pool that stays empty: the library writes no messages.
type noBuffers struct{}

// Get implements websocket.BufferPool.
func (noBuffers) Get() any { return nil }

// Put implements websocket.BufferPool.
func (noBuffers) Put(any) {}

// Handler returns the handler of a channel.
func Handler[E any](s *Sockets, channel Channel[E]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, slowConsumer, func(wire *Wire) Conversation {
			return newConnection(s, &channel, r.URL.Path, s.addressToken(r), wire)
		})
	})
}
