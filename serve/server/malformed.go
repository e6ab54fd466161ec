package server

import (
	"bytes"
	"fmt"
	"net"
	"net/url"

	"github.com/google/uuid"

	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// problemListener is a listener whose connections answer requests that net/http
// cannot read with a problem.
type problemListener struct {
	net.Listener
	baseURL string
}

// Accept implements net.Listener.
func (l problemListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &problemConn{Conn: conn, baseURL: l.baseURL}, nil
}

// problemConn is a connection that answers HTTP/1 requests that net/http cannot read with a
// problem, and on which frames of HTTP/2 must end in time. net/http answers such requests
// itself, before any handler, by writing a constant text to the connection: problemConn
// replaces that text.
type problemConn struct {
	net.Conn
	baseURL string
	read    []byte // the last read: has the request line if that could not be parsed
	begun   []byte // the first read, if it was only as long as prefaceLine
	started bool
	frames  frames
}

// prefaceLine is how many bytes net/http reads first to detect HTTP/2 in cleartext.
const prefaceLine = len("PRI * HTTP/2.0")

// NetConn returns the connection below.
func (c *problemConn) NetConn() net.Conn { return c.Conn }

// Read implements net.Conn.
func (c *problemConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.frames.follow(p[:n], c.Conn)
	if n > 1 && !c.frames.areSpoken() { // net/http reads one byte while a handler runs, to detect a hang-up
		switch {
		case c.begun != nil:
			c.read, c.begun = append(c.begun, p[:n]...), nil
		case !c.started && n <= prefaceLine:
			c.begun = bytes.Clone(p[:n])
			c.read = c.begun
		default:
			c.read = p[:n]
		}
		c.started = true
	}
	return n, err
}

// plainHeaders follows the status line of the answers that net/http writes itself.
const plainHeaders = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write implements net.Conn.
func (c *problemConn) Write(p []byte) (int, error) {
	if c.frames.areSpoken() {
		return c.Conn.Write(p)
	}
	status, _, plain := bytes.Cut(p, []byte(plainHeaders))
	if !plain || !bytes.HasPrefix(status, []byte("HTTP/1.1 4")) || bytes.Contains(status, []byte("\r\n")) {
		return c.Conn.Write(p)
	}
	e := problem.New(problem.MalformedRequest,
		"The request is not valid HTTP%s. In a path, two hexadecimal digits must follow a percent sign; write %%25 for the sign itself.",
		reason(status))
	if bytes.HasPrefix(status, []byte("HTTP/1.1 431")) {
		e = problem.New(problem.HeadersTooLarge, "The request line and headers are too large.")
	}
	if _, err := c.Conn.Write(unread(e, c.baseURL, malformedTarget(c.read))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unread returns the HTTP/1 answer to a request that cannot be read; it closes the connection.
func unread(e *problem.Error, baseURL, target string) []byte {
	id := uuid.NewString()
	body := answer.Encoded(e.Document(baseURL, target, id))
	return fmt.Appendf(nil,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: private, no-store\r\nContent-Security-Policy: "+
			"%s\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
		e.Kind.Status(), e.Kind.Title(), problem.MediaType, len(body), harmlessPolicy, id, body)
}

// reason returns net/http's explanation after the status, as part of a sentence.
func reason(status []byte) string {
	if _, why, explained := bytes.Cut(status, []byte(": ")); explained {
		return " (" + string(why) + ")"
	}
	return ""
}

// malformedTarget returns the path, without the query, of the request line in an unreadable
// request; "" if there is none.
func malformedTarget(lines []byte) string {
	for line := range bytes.Lines(lines) {
		_, after, found := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		last := bytes.LastIndex(after, []byte(" HTTP/"))
		if !found || last < 0 {
			continue
		}
		target := string(after[:last])
		if _, err := url.ParseRequestURI(target); err != nil {
			path, _, _ := bytes.Cut(after[:last], []byte("?"))
			return string(path)
		}
	}
	return ""
}
