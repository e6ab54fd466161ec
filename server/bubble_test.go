package server_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/server"
	"piyasa/value"
)

// pipes is a listener of connections within the process, whose time a bubble
// can turn. They hold nothing back: a write waits for its reader.
type pipes struct {
	coming chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.coming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.coming <- theirs
	return ours, nil
}

// bubble is a server with the timeouts of a real one, in a bubble: time passes
// when everybody waits. Its test fails when a goroutine outlives it.
type bubble struct {
	t      *testing.T
	config server.Config
	stored []*kap.Stored
	pipes  *pipes
}

// DisclosuresAfter implements stream.DisclosureStore.
func (b *bubble) DisclosuresAfter(_ context.Context, seq, head int64, limit int) ([]*kap.Stored, error) {
	return b.stored[seq:min(head, seq+int64(limit))], nil
}

// Replay implements stream.DisclosureStore.
func (b *bubble) Replay(context.Context, kap.Replay) ([]*kap.Stored, error) { return nil, nil }

// publish stores n disclosures more.
func (b *bubble) publish(n int) {
	before := int64(len(b.stored))
	for range n {
		b.stored = append(b.stored, &kap.Stored{Seq: int64(len(b.stored) + 1), Live: true, Disclosure: kap.Disclosure{Type: kap.ODA, Summary: &kap.Localized{}}})
	}
	if err := b.config.Disclosures.Apply(b.t.Context(), before, int64(len(b.stored))); err != nil {
		b.t.Error(err)
	}
}

func inBubble(t *testing.T, run func(t *testing.T, b *bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{t: t, pipes: &pipes{coming: make(chan net.Conn), closed: make(chan struct{})}}
		live := market.NewLive()
		fill(live)
		b.config = configOf(b, live)
		b.config.KAP.Now = func() value.Instant { return value.At(time.Now()) }
		b.publish(0)
		s := &http.Server{Handler: server.New(b.config), ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute}
		go func() { _ = s.Serve(b.pipes) }()
		defer s.Close()
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			b.config.Sockets.Drain(ctx)
		}()
		run(t, b)
	})
}

// dial connects to the GraphQL socket.
func (b *bubble) dial() *talker {
	b.t.Helper()
	dialer := websocket.Dialer{NetDialContext: b.pipes.dial, Subprotocols: []string{"graphql-transport-ws"}}
	ws, _, err := dialer.Dial("ws://test/graphql", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return &talker{b.t, ws}
}

// send asks with a key, or with the token of a reserved stream.
func (b *bubble) send(method, path, body string) (status int, text string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, "http://test"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.Contains(path, "token=") {
		r.Header.Set("X-API-Key", all)
	}
	r.Header.Set("Content-Type", "application/json")
	l := b.roundTrip(r)
	defer l.Body.Close()
	return l.StatusCode, l.text()
}

// get asks without any header but these.
func (b *bubble) get(path string, header ...string) *listener {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, "http://test"+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.roundTrip(r)
}

func (b *bubble) roundTrip(r *http.Request) *listener {
	b.t.Helper()
	res, err := (&http.Transport{DialContext: b.pipes.dial, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return &listener{b.t, res, bufio.NewReader(res.Body)}
}
