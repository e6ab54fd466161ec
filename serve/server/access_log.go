package server

import (
	"bufio"
	"context"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/serve/answer"
)

// accessLog logs each answer, if configured: one line for a request, and one each for the
// beginning and the end of a stream. Of the client's text it logs only the method and the
// pattern of the route, since keys and tokens may be anywhere else.
func (s *Server) accessLog(next http.Handler) http.Handler {
	if !s.config.AccessLog {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &accessWriter{statusWriter: statusWriter{w, http.StatusOK}, request: r, server: s, began: time.Now()}
		returned := false
		defer func() { seen.end(!returned) }()
		next.ServeHTTP(seen, r)
		returned = true
	})
}

// accessWriter observes what is logged about an answer.
type accessWriter struct {
	statusWriter
	request  *http.Request
	server   *Server
	began    time.Time
	begun    bool // the headers have been sent
	bytes    int64
	protocol string // of a stream; empty: it is not a stream
	hijacked bool
}

// The protocols of streams, as logged.
const (
	protocolWebSocket = "websocket"
	protocolEvents    = "sse"
)

// WriteHeader implements http.ResponseWriter.
func (w *accessWriter) WriteHeader(status int) {
	w.begin(status)
	w.statusWriter.WriteHeader(status)
}

func (w *accessWriter) begin(status int) {
	if w.begun || status < http.StatusOK {
		return
	}
	w.begun = true
	if media, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type")); media == "text/event-stream" {
		w.opened(protocolEvents)
	}
}

// Write implements http.ResponseWriter.
func (w *accessWriter) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	if w.request.Method != http.MethodHead { // net/http sends no body to HEAD
		w.bytes += int64(n)
	}
	return n, err
}

// Hijack implements http.Hijacker: the request becomes a socket, which ends when its
// connection is closed.
func (w *accessWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.hijacked = true
	w.opened(protocolWebSocket)
	ctx, attrs, began := context.WithoutCancel(w.request.Context()), w.attrs(), w.began // keeps nothing else of the request in memory
	return &accessConn{Conn: conn, ended: func(bytes int64) { ended(ctx, attrs, began, bytes) }}, buffers, nil
}

// opened logs the beginning of a stream.
func (w *accessWriter) opened(protocol string) {
	w.protocol = protocol
	slog.LogAttrs(w.request.Context(), slog.LevelInfo, "stream opened", w.attrs()...)
}

// ended logs the end of a stream.
func ended(ctx context.Context, attrs []slog.Attr, began time.Time, bytes int64) {
	slog.LogAttrs(ctx, slog.LevelInfo, "stream ended", append(attrs, slog.Int64("bytes", bytes), duration(began))...)
}

// end logs an answer that is complete or was aborted.
func (w *accessWriter) end(aborted bool) {
	ctx, attrs := w.request.Context(), w.attrs()
	switch {
	case w.hijacked: // its connection logs the end
		return
	case w.protocol != "":
		ended(ctx, attrs, w.began, w.bytes)
		return
	}
	attrs = append(attrs, slog.Int("status", w.status), slog.Int64("bytes", w.bytes), duration(w.began))
	if call := answer.NotedCall(ctx); call != nil && w.status != http.StatusAccepted { // an accepted operation still runs
		attrs = append(attrs, slog.Int("cost", call.Cost.Granted), slog.Int64("units", call.Units()))
	}
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	slog.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

// duration returns the time since an answer began, to a microsecond.
func duration(began time.Time) slog.Attr {
	return slog.Float64("duration_ms", float64(time.Since(began).Microseconds())/1000)
}

// attrs returns the attributes of all lines, besides the ids that answer.Logged adds.
func (w *accessWriter) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.Any("client", answer.ClientOf(w.request.Context())),
		slog.String("method", loggedMethod(w.request.Method)), slog.String("route", w.server.routeOf(w.request)),
	}
	if w.protocol != "" {
		attrs = append(attrs, slog.String("protocol", w.protocol))
	}
	return attrs
}

// routeOf returns the pattern that the mux chose for a request, or, for requests that do not
// reach the mux, the path if it is one of the server's own, or else "".
func (s *Server) routeOf(r *http.Request) string {
	if r.Pattern != "" || !slices.Contains(s.patterns, r.URL.Path) {
		return r.Pattern
	}
	return r.URL.Path
}

// loggedMethod keeps invented methods out of the log.
func loggedMethod(method string) string {
	switch method {
	case http.MethodPut, http.MethodDelete: // of streams, which metrics do not time
		return method
	}
	return knownMethod(method)
}

// accessConn is the connection of a socket until it is closed.
type accessConn struct {
	net.Conn
	ended   func(bytes int64)
	written atomic.Int64
	once    sync.Once
}

// NetConn returns the counted connection.
func (c *accessConn) NetConn() net.Conn { return c.Conn }

// Write implements net.Conn.
func (c *accessConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
}

// Close implements net.Conn.
func (c *accessConn) Close() error {
	c.once.Do(func() { c.ended(c.written.Load()) })
	return c.Conn.Close()
}
