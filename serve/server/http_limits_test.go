package server_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/serve/server"
	"piyasa/test/fixture/need"
)

// Clients that keep a connection without using it are let go, each after its time, from
// either listener.
func TestIdleAndSlowClientsAreLetGo(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
		for r.URL.Path == "/endless" {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	const (
		http2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00" // and its first settings
		post  = "\x00\x00\x09\x01\x04\x00\x00\x00\x01\x83\x86\x84\x41\x04test"         // POST http://test/
		get   = "\x00\x00\x09\x01\x05\x00\x00\x00\x01\x82\x86\x84\x41\x04test"
	)
	for listener, of := range map[string]struct {
		server *http.Server
		body   time.Duration
	}{"public": {server.NewHTTP(handler), 30 * time.Second}, "private": {server.NewPrivateHTTP(handler), time.Minute}} {
		for client, c := range map[string]struct {
			sends string // at once
			drips string // again and again, second by second
			reads bool   // what is answered
			after time.Duration
		}{
			"says nothing":        {"", "", true, 10 * time.Second},
			"half a header":       {"GET / HTTP/1.1\r\nHost: te", "", true, 10 * time.Second},
			"a header that drips": {"GET / HTTP/1.1\r\nX-Long: ", "a", true, 10 * time.Second},
			"half a body":         {"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nab", "", true, of.body},
			"a body that drips": {"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100000\r\n\r\n", "a",
				true, of.body},
			"nothing after a while":          {"GET / HTTP/1.1\r\nHost: test\r\n\r\n", "", true, 2 * time.Minute},
			"half a preface (HTTP/2)":        {http2[:20], "", true, 10 * time.Second},
			"no request (HTTP/2)":            {http2, "", true, 10 * time.Second},
			"nothing after a while (HTTP/2)": {http2 + get, "", true, 75 * time.Second}, // a ping, and 15 s for its answer
			"half a frame (HTTP/2)":          {http2 + "\x00\x10\x00\x04\x00\x00\x00\x00\x00", "", true, 10 * time.Second},
			"headers that drip (HTTP/2)":     {http2 + "\x00\x10\x00\x01\x04\x00\x00\x00\x01", "\x84", true, 10 * time.Second},
			"headers that never end (HTTP/2)": {http2 + "\x00\x00\x01\x01\x00\x00\x00\x00\x01\x84",
				"\x00\x00\x01\x09\x00\x00\x00\x00\x01\x86", true, 10 * time.Second},
			"half a frame of a body (HTTP/2)":       {http2 + post + "\x00\x10\x00\x00\x00\x00\x00\x00\x01ab", "", true, 30 * time.Second},
			"half a frame after a request (HTTP/2)": {http2 + get + "\x00\x10\x00\x04", "", true, 10 * time.Second},
			"never reads":                           {"GET /endless HTTP/1.1\r\nHost: test\r\n\r\n", "", false, time.Minute},
		} {
			t.Run(listener+"/"+client, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					pipes, served := need.NewPipes(), copied(of.server)
					go func() { _ = served.Serve(server.PrivateListener(pipes)) }() // what reads HTTP/2 is that of the public one
					defer served.Close()
					conn, err := pipes.Dial(t.Context(), "", "")
					need.NoError(t, err)
					defer conn.Close()
					began := time.Now()
					if _, err := io.WriteString(conn, c.sends); err != nil {
						t.Fatal(err)
					}
					var ended chan struct{} // closed when the answer ends; nil: nobody reads it
					if c.reads {
						ended = make(chan struct{})
						go func() {
							defer close(ended)
							_, _ = io.Copy(io.Discard, bufio.NewReader(conn))
						}()
					}
					for limit := began.Add(10 * time.Minute); ; {
						time.Sleep(time.Second)
						if time.Now().After(limit) {
							t.Fatal("it is never let go")
						}
						if gone(conn, c.drips, ended) {
							break
						}
					}
					// A second for what the answer still takes, and one for the look.
					if took := time.Since(began); took < c.after || took > c.after+2*time.Second {
						t.Errorf("let go after %s, want %s", took, c.after)
					}
				})
			})
		}
	}
}

// copied returns a server like one, in the bubble of its caller.
func copied(s *http.Server) *http.Server {
	return &http.Server{
		Handler: s.Handler, ReadHeaderTimeout: s.ReadHeaderTimeout, ReadTimeout: s.ReadTimeout, WriteTimeout: s.WriteTimeout,
		IdleTimeout: s.IdleTimeout,
		Protocols:   s.Protocols, HTTP2: s.HTTP2,
	}
}

// gone sends a drop and reports whether the other end has closed the connection.
func gone(conn net.Conn, drop string, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
	}
	_ = conn.SetWriteDeadline(time.Now().Add(time.Millisecond))
	if drop == "" {
		drop = "x"
		if ended != nil {
			return false
		}
	}
	_, err := io.WriteString(conn, drop)
	return errors.Is(err, io.ErrClosedPipe)
}
