package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"piyasa/internal/problem"
	"piyasa/serve/stream"
)

// handshakeTime is the timeout of the TLS handshake, which may have to obtain a certificate.
const handshakeTime = 10 * time.Second

// protocolsOverTLS are the protocols offered to clients, best first.
var protocolsOverTLS = []string{"h2", "http/1.1"}

// secureListener is a listener whose connections have completed the TLS handshake. net/http
// could do the handshake, but only on connections of crypto/tls, on which it would itself
// answer the requests that it cannot read.
type secureListener struct {
	net.Listener
	config   *tls.Config
	baseURL  string
	accepted chan accepted
	closed   chan struct{}
	once     sync.Once
}

// accepted is a connection, or the error of accepting one.
type accepted struct {
	conn net.Conn
	err  error
}

func newSecureListener(below net.Listener, config *tls.Config, baseURL string) *secureListener {
	config = config.Clone()
	config.NextProtos = append(slices.Clone(protocolsOverTLS), config.NextProtos...)
	l := &secureListener{Listener: below, config: config, baseURL: baseURL, accepted: make(chan accepted), closed: make(chan struct{})}
	go l.run()
	return l
}

// run accepts connections until the listener is closed, and starts a handshake on each. It
// passes errors to the accepting goroutine, which knows whether they are temporary and how
// long to wait.
func (l *secureListener) run() {
	for {
		conn, err := l.Listener.Accept()
		if err == nil {
			go l.shakeHands(conn)
		} else if !l.pass(nil, err) {
			return
		}
	}
}

// pass hands a connection to the accepting goroutine; false: the listener is closed.
func (l *secureListener) pass(conn net.Conn, err error) bool {
	select {
	case l.accepted <- accepted{conn, err}:
		return true
	case <-l.closed:
		return false
	}
}

// Accept implements net.Listener.
func (l *secureListener) Accept() (net.Conn, error) {
	select {
	case next := <-l.accepted:
		return next.conn, next.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *secureListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// shakeHands does the TLS handshake on a connection, and passes it on.
func (l *secureListener) shakeHands(below net.Conn) {
	conn := tls.Server(&stream.Steady{Conn: below}, l.config)
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	err := conn.HandshakeContext(ctx)
	cancel()
	if err != nil {
		if plain, ok := errors.AsType[tls.RecordHeaderError](err); ok && plain.Conn != nil && looksLikeHTTP(plain.RecordHeader) {
			_ = below.SetWriteDeadline(time.Now().Add(refusalWait))
			e := problem.New(problem.MalformedRequest, "This port speaks TLS: use https:// or wss:// instead.")
			_, _ = below.Write(unread(e, l.baseURL, ""))
		}
		slog.Debug("a TLS handshake failed", "client", peerOf(below), "error", err)
		_ = below.Close()
		return
	}
	if p := conn.ConnectionState().NegotiatedProtocol; p != "" && !slices.Contains(protocolsOverTLS, p) {
		// The client only wanted the handshake, as for validating a name (ACME).
		_ = conn.Close()
		return
	}
	// net/http detects HTTP/2 by its preface, as in cleartext: it does not know of the TLS.
	if !l.pass(&problemConn{Conn: conn, baseURL: l.baseURL}, nil) {
		_ = conn.Close()
	}
}

// looksLikeHTTP reports whether the bytes where the header of a TLS record should be begin an
// HTTP request.
func looksLikeHTTP(head [5]byte) bool {
	return slices.ContainsFunc([]string{"GET ", "HEAD ", "POST ", "OPTIO", "PUT ", "DELET", "PATCH", "PRI *"}, func(method string) bool {
		return bytes.HasPrefix(head[:], []byte(method))
	})
}
