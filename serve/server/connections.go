package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/internal/problem"
	"piyasa/serve/stream"
)

// Connections holds the limits of connections of the public listener.
type Connections struct {
	Max        int // at once; 0: any number
	PerAddress int // of one client address (IPv6: /64) other than a proxy's; 0: any number
}

// Bounds of the connections above those limits: they are accepted and then refused, since a
// refused client can try another server at once. In the kernel's backlog a client would
// believe that it is connected, and wait for an answer until it times out.
const (
	maxRefused  = 64              // refused connections that get an answer at a time; more are closed at once
	maxPrivate  = 64              // connections of the private listener, which answers no refused ones
	refusalWait = 2 * time.Second // for the request that the refusal answers
	retryFull   = 2               // Retry-After, in seconds
)

// connections counts the connections of a listener and refuses those above the limits.
type connections struct {
	Connections
	proxies Proxies
	tells   int // how many refused connections get an answer at a time; the others are closed without one

	mu      sync.Mutex
	served  int
	sites   map[netip.Prefix]int // served connections by client; those of unknown clients are not counted
	refused int                  // refused connections that get an answer now

	refusedFull, refusedSite atomic.Int64 // since the start
}

// open returns how many connections are served.
func (c *connections) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.served
}

// site returns what counts as one client for limits by address: an IPv4 address, or the /64
// of an IPv6 address, since a client has a whole /64. It is invalid for an invalid address.
func site(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	out, _ := a.Prefix(bits)
	return out
}

// take counts a connection and returns it, to be served or refused with an answer; nil: close
// it at once.
func (c *connections) take(conn net.Conn) *connection {
	taken := &connection{Conn: conn, of: c}
	if peer := peerOf(conn); c.PerAddress > 0 && !c.proxies.trust(peer) {
		taken.site = site(peer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.Max > 0 && c.served >= c.Max:
		c.refusedFull.Add(1)
		taken.refusal = problem.New(problem.ServerFull, "The server has reached its limit of connections; try again in %d s.", retryFull)
		taken.refusal.RetryAfter = retryFull
	case taken.site.IsValid() && c.sites[taken.site] >= c.PerAddress:
		c.refusedSite.Add(1)
		taken.refusal = problem.New(problem.TooManyConnections,
			"Your address may have %d connections at once; use fewer, or wait until one is closed.", c.PerAddress)
		taken.refusal.Members.Limit = new(c.PerAddress)
	default:
		c.served++
		if taken.site.IsValid() {
			if c.sites == nil {
				c.sites = map[netip.Prefix]int{}
			}
			c.sites[taken.site]++
		}
		return taken
	}
	if c.refused >= c.tells {
		return nil // the connection has not been counted
	}
	c.refused++
	taken.limit = time.AfterFunc(refusalWait, func() { _ = taken.Close() })
	return taken
}

// leave stops counting a connection.
func (c *connections) leave(gone *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if gone.refusal != nil {
		gone.limit.Stop()
		c.refused--
		return
	}
	c.served--
	if gone.site.IsValid() {
		if c.sites[gone.site]--; c.sites[gone.site] == 0 {
			delete(c.sites, gone.site)
		}
	}
}

// connection is a connection that counts until it is closed.
type connection struct {
	net.Conn
	of      *connections
	site    netip.Prefix   // of the client; invalid: unknown
	refusal *problem.Error // why it is refused; nil: it is served
	limit   *time.Timer    // of a refused connection
	once    sync.Once
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() { c.of.leave(c) })
	return c.Conn.Close()
}

// limitedListener is a listener that counts its connections.
type limitedListener struct {
	net.Listener
	connections *connections
}

// Accept implements net.Listener.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if taken := l.connections.take(conn); taken != nil {
			return taken, nil
		}
		_ = conn.Close()
	}
}

// Listener returns the listener to serve in place of l. It limits connections, speaks TLS if
// secure is not nil, and answers requests that net/http cannot read with problems. Its
// http.Server must use ConnContext.
func (s *Server) Listener(l net.Listener, secure *tls.Config) net.Listener {
	limited := limitedListener{l, s.connections}
	if secure == nil {
		return problemListener{limited, s.services.BaseURL}
	}
	return newSecureListener(limited, secure, s.services.BaseURL)
}

// PrivateListener returns the listener to serve in place of a private one. It limits its
// connections separately from those of the public listener.
func PrivateListener(l net.Listener) net.Listener {
	return problemListener{limitedListener{l, &connections{Connections: Connections{Max: maxPrivate}}}, ""}
}

type refusalKey struct{}

// ConnContext is the ConnContext of the http.Server that serves Listener.
func (s *Server) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	if c := limitedBelow(conn); c != nil && c.refusal != nil {
		return context.WithValue(ctx, refusalKey{}, c.refusal)
	}
	return ctx
}

// limitedBelow returns the counted connection below conn, or nil.
func limitedBelow(conn net.Conn) *connection {
	for {
		switch outer := conn.(type) {
		case *connection:
			return outer
		case interface{ NetConn() net.Conn }:
			conn = outer.NetConn()
		case *stream.Steady:
			conn = outer.Conn
		default:
			return nil
		}
	}
}

// closing answers requests on a refused connection with the reason. It asks for the end of
// every connection while the server shuts down, and after every chunked body: if a proxy goes
// by a Content-Length beside, which net/http drops, the two see different ends of the body,
// and only one of them would take what follows for a request (RFC 9112, 6.1). A full server
// still answers that it is alive.
func (s *Server) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, refused := r.Context().Value(refusalKey{}).(*problem.Error)
		if refused || s.leaving.Load() || len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if refused && r.URL.Path != healthPath {
			s.problems.Write(w, r, refusal)
			return
		}
		next.ServeHTTP(w, r)
	})
}
