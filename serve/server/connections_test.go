package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// listening serves a server as a real one does, and returns its address and that of
// its private listener.
func listening(t *testing.T, changes ...func(*fixture.Setup)) (a *fixture.Server, public, private string) {
	t.Helper()
	a = fixture.New(t, changes...)
	serve := func(srv *http.Server, of func(net.Listener) net.Listener) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		need.NoError(t, err)
		go func() { _ = srv.Serve(of(l)) }()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), fixture.Patience)
			defer cancel()
			a.Drain(ctx)
			_ = srv.Close()
		})
		return l.Addr().String()
	}
	public = serve(&http.Server{Handler: a, ConnContext: a.ConnContext, ReadHeaderTimeout: fixture.Patience},
		func(l net.Listener) net.Listener { return a.Listener(l, nil) })
	return a, public, serve(&http.Server{Handler: a.Private("test"), ReadHeaderTimeout: fixture.Patience}, server.PrivateListener)
}

// wired is one connection of a client.
type wired struct {
	t *testing.T
	net.Conn
	lines *bufio.Reader
}

func wire(t *testing.T, address string) *wired {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	need.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(fixture.Patience))
	return &wired{t, conn, bufio.NewReader(conn)}
}

// ask sends a request and returns the answer with its body.
func (c *wired) ask(path string, header ...string) (*http.Response, string) {
	c.t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: test\r\n"+strings.Join(append(header, "\r\n"), "\r\n")); err != nil {
		c.t.Fatal(err)
	}
	res, err := http.ReadResponse(c.lines, nil)
	need.NoError(c.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	need.NoError(c.t, err)
	return res, string(body)
}

// ended waits for the end of the connection.
func (c *wired) ended() {
	c.t.Helper()
	if _, err := io.Copy(io.Discard, c.lines); errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Error("the connection stays open")
	}
}

// A server that is full says so to every client, is alive all the same, and answers its
// private listener; who leaves makes room.
func TestFullServer(t *testing.T) {
	_, public, private := listening(t, func(s *fixture.Setup) { s.Config.Connections.Max = 2 })
	first, second := wire(t, public), wire(t, public)
	for _, c := range []*wired{first, second} {
		if res, body := c.ask("/readyz"); res.StatusCode != 200 || res.Close {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
	}
	for _, path := range []string{"/v1/quotes/bist:DMOST", "/readyz", "/graphql", "/v1/ws", "/docs"} {
		late := wire(t, public)
		res, body := late.ask(path, "X-API-Key: "+fixture.All)
		if res.StatusCode != 503 || !strings.Contains(body, "/problems/server-full") || res.Header.Get("Retry-After") == "" ||
			res.Header.Get("Content-Type") != "application/problem+json" || !res.Close {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
		late.ended()
	}
	late := wire(t, public)
	if res, body := late.ask("/healthz"); res.StatusCode != 200 || !res.Close {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	for path, want := range map[string]string{
		"/healthz": "alive", "/readyz": "ready", "/metrics": `piyasa_connections_refused_total{why="full"} 6`,
		"/": "piyasa_connections_open 2", "/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "heap profile",
	} {
		if res, body := wire(t, private).ask(path); res.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("private %s: %d %.200s", path, res.StatusCode, body)
		}
	}
	if res, body := wire(t, private).ask("/debug/pprof/cmdline"); res.StatusCode != 404 || strings.Contains(body, os.Args[0]) {
		t.Errorf("the command line is shown: %d %s", res.StatusCode, body)
	}
	_ = first.Close()
	fixture.Eventually(t, "room", func() bool {
		res, _ := wire(t, public).ask("/readyz")
		return res.StatusCode == 200
	})
	if res, _ := second.ask("/readyz"); res.StatusCode != 200 {
		t.Error("who was there first is refused")
	}
}

// Those who are refused and say nothing are let go, and only so many of them are listened
// to: they cannot keep others from being told.
func TestRefusedConnectionsAreFew(t *testing.T) {
	_, public, _ := listening(t, func(s *fixture.Setup) { s.Config.Connections.Max = 1 })
	served := wire(t, public)
	if res, body := served.ask("/readyz"); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	silent := make([]*wired, 80)
	for i := range silent {
		silent[i] = wire(t, public)
	}
	for _, c := range silent {
		c.ended()
	}
	res, body := wire(t, public).ask("/readyz")
	if res.StatusCode != 503 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := served.ask("/readyz"); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// One address has its share of connections, unless it is a proxy's.
func TestConnectionsOfOneAddress(t *testing.T) {
	_, public, private := listening(t, func(s *fixture.Setup) { s.Config.Connections = server.Connections{Max: 10, PerAddress: 2} })
	first := wire(t, public)
	_, _ = first.ask("/readyz")
	_, _ = wire(t, public).ask("/readyz")
	late := wire(t, public)
	res, body := late.ask("/v1/quotes/bist:DMOST", "X-API-Key: "+fixture.All, "X-Forwarded-For: 198.51.100.1")
	if res.StatusCode != 429 || !strings.Contains(body, "/problems/too-many-connections") ||
		!strings.Contains(body, `"limit":2`) || !res.Close {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	late.ended()
	if _, body := wire(t, private).ask("/metrics"); !strings.Contains(body, `piyasa_connections_refused_total{why="address"} 1`) {
		t.Error("the metrics do not say so")
	}
	_ = first.Close()
	fixture.Eventually(t, "room", func() bool {
		res, _ := wire(t, public).ask("/readyz")
		return res.StatusCode == 200
	})

	_, public, _ = listening(t, func(s *fixture.Setup) {
		s.Config.Connections = server.Connections{Max: 10, PerAddress: 2}
		s.Config.Proxies, _ = server.ParseProxies("127.0.0.0/8")
	})
	for range 5 {
		if res, body := wire(t, public).ask("/readyz"); res.StatusCode != 200 {
			t.Errorf("a proxy: %d %s", res.StatusCode, body)
		}
	}
}

// A WebSocket counts for as long as it is open, and no longer.
func TestSocketsAreConnections(t *testing.T) {
	_, public, _ := listening(t, func(s *fixture.Setup) { s.Config.Connections.Max = 1 })
	for range 3 {
		ws, _, err := websocket.DefaultDialer.Dial("ws://"+public+"/v1/ws", nil)
		need.NoError(t, err)
		if res, _ := wire(t, public).ask("/readyz"); res.StatusCode != 503 {
			t.Errorf("beside a socket: %d", res.StatusCode)
		}
		_ = ws.Close()
		fixture.Eventually(t, "room", func() bool {
			c := wire(t, public)
			res, _ := c.ask("/readyz", "Connection: close")
			c.ended()
			return res.StatusCode == 200
		})
	}
}

// The streams of one client are limited by the address that the proxies tell, in both
// kinds: WebSockets and server-sent events.
func TestStreamsOfOneAddress(t *testing.T) {
	_, public, _ := listening(t, func(s *fixture.Setup) {
		s.Config.Streams.PerAddress = 2
		s.Config.Proxies, _ = server.ParseProxies("127.0.0.0/8")
	})
	dial := func(client string) *websocket.Conn {
		ws, _, err := websocket.DefaultDialer.Dial("ws://"+public+"/v1/ws", http.Header{"X-Forwarded-For": {"8.8.8.8, " + client}})
		need.NoError(t, err)
		t.Cleanup(func() { _ = ws.Close() })
		_ = ws.SetReadDeadline(time.Now().Add(fixture.Patience))
		need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(`{"action":"auth","api_key":"`+fixture.All+`"}`)))
		return ws
	}
	lets := func(ws *websocket.Conn) {
		t.Helper()
		if _, text, err := ws.ReadMessage(); err != nil || !strings.Contains(string(text), "auth_ok") {
			t.Errorf("%s %v", text, err)
		}
	}
	first := dial("2001:db8::1")
	lets(first)
	lets(dial("2001:db8::2")) // of the same network
	_, _, err := dial("2001:db8::3").ReadMessage()
	if e, ok := errors.AsType[*websocket.CloseError](err); !ok || e.Code != 1013 || e.Text != "too_many_connections_of_address" {
		t.Errorf("a third socket: %v", err)
	}
	events := func(client string) (*http.Response, string) {
		c := wire(t, public)
		return c.ask("/graphql/stream?query=%7B__typename%7D", "X-API-Key: "+
			fixture.All, "Accept: text/event-stream", "X-Forwarded-For: "+client)
	}
	if res, body := events("2001:db8::3"); res.StatusCode != 429 || !strings.Contains(body, "your address") {
		t.Errorf("a third stream: %d %s", res.StatusCode, body)
	}
	lets(dial("2001:db8:0:1::1"))
	if res, body := events("198.51.100.7"); res.StatusCode != 200 {
		t.Errorf("another client's: %d %s", res.StatusCode, body)
	}
	_ = first.Close()
	fixture.Eventually(t, "room", func() bool {
		res, _ := events("2001:db8::3")
		return res.StatusCode == 200
	})
}

// A server that leaves says so in /readyz, answers everything, and asks for the end of
// connections; it knows whether anybody follows /readyz.
func TestLeaving(t *testing.T) {
	if fixture.New(t).Leave() {
		t.Error("nobody has asked, and somebody is said to have")
	}
	a, public, private := listening(t)
	if res, _ := wire(t, private).ask("/readyz"); res.StatusCode != 200 {
		t.Errorf("%d", res.StatusCode)
	}
	open := wire(t, public)
	if res, _ := open.ask("/healthz"); res.Close {
		t.Error("the connection ends too early")
	}
	if !a.Leave() {
		t.Error("somebody asks /readyz, and nobody is said to")
	}
	for _, address := range []string{public, private} {
		if res, body := wire(t, address).ask("/readyz"); res.StatusCode != 503 || !strings.Contains(body, `"reason":"shutting down"`) {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
	if res, body := open.ask("/v1/quotes/bist:DMOST", "X-API-Key: "+fixture.All); res.StatusCode != 200 || !res.Close {
		t.Errorf("%d %v %s", res.StatusCode, res.Close, body)
	}
	open.ended()
}
