package command_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/command"
	"piyasa/fixture"
)

// A client that sends next to nothing, or reads nothing, holds a connection for a bounded
// time.
func TestSlowRequestsEnd(t *testing.T) {
	trickle := func(conn net.Conn, head, piece string) {
		_, err := io.WriteString(conn, head)
		for err == nil {
			time.Sleep(time.Second) // of the bubble
			_, err = io.WriteString(conn, piece)
		}
	}
	for _, c := range []struct {
		name   string
		within time.Duration
		client func(conn net.Conn)
	}{
		{"a head that does not end", 11 * time.Second, func(conn net.Conn) { trickle(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-A: ", "a") }},
		{"nothing at all", 11 * time.Second, func(net.Conn) {}},
		{"a body that does not end", 32 * time.Second, func(conn net.Conn) { trickle(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", "a") }},
		{"silence after a request", 2*time.Minute + time.Second, func(conn net.Conn) { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }},
		{"an answer that is not read", time.Minute + 2*time.Second, func(conn net.Conn) {
			_, _ = io.WriteString(conn, "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			time.Sleep(time.Hour)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener, ended := fixture.NewPipes(), make(chan time.Duration, 1)
				began := time.Now()
				server := command.HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if r.URL.Path == "/large" {
						_, err := io.WriteString(w, strings.Repeat("a", 1<<20))
						if err != nil {
							ended <- time.Since(began)
						}
					}
				}))
				go func() { _ = server.Serve(listener) }()
				conn, err := listener.Dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				if c.name != "an answer that is not read" {
					go func() {
						_, _ = io.Copy(io.Discard, conn)
						ended <- time.Since(began)
					}()
				}
				go c.client(conn)
				select {
				case took := <-ended:
					if took > c.within {
						t.Errorf("it took %s", took)
					}
				case <-time.After(time.Hour / 2):
					t.Error("it holds the connection still")
				}
				_ = conn.Close()
				_ = server.Close()
				time.Sleep(2 * time.Hour) // until the clients have gone
			})
		})
	}
}
