package graphqlhttp

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"piyasa/internal/epoch"
	"piyasa/serve/stream"
)

// beatOf encodes a sign of life that clients do not see; a position becomes the last
// event id of an EventSource.
func beatOf(id epoch.Position) []byte {
	if id.Seq == 0 {
		return []byte(":\n\n")
	}
	return fmt.Appendf(nil, "id: %s\n\n", id)
}

// retryAfter tells a browser how long to wait before it connects again.
const retryAfter = 2 * time.Second

// eventWriter writes server-sent events.
type eventWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
}

func newEventWriter(w http.ResponseWriter) eventWriter {
	return eventWriter{w, http.NewResponseController(w)}
}

// begin sends the head.
func (w eventWriter) begin() error {
	h := w.to.Header()
	h.Add("Vary", "Accept")
	h.Set("Content-Type", mediaEvents+"; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	w.to.WriteHeader(http.StatusOK)
	return w.write(fmt.Appendf(nil, "retry: %d\n\n", retryAfter.Milliseconds()))
}

// write sends text. The server's own timeout is meant for requests with one
// answer; here each write has its own.
func (w eventWriter) write(text []byte) error {
	_ = w.control.SetWriteDeadline(time.Now().Add(stream.WriteWait))
	if _, err := w.to.Write(text); err != nil {
		return err
	}
	return w.control.Flush()
}

// event encodes an event; data is one line. Without the line a browser would
// not show the event to the page. The id is the position, if there is one.
func event(name string, id epoch.Position, data []byte) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "event: %s\n", name)
	if id.Seq > 0 {
		fmt.Fprintf(&out, "id: %s\n", id)
	}
	fmt.Fprintf(&out, "data: %s\n\n", data)
	return out.Bytes()
}

// notNow refuses a stream that cannot be opened now.
var notNow = refusal{http.StatusServiceUnavailable, "streams are not available now; try again"}

// tell answers a refused request for a stream.
func (f *refusal) tell(w http.ResponseWriter) {
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	refuse(w, mediaJSON, f.status, f.message)
}

// refusedStream returns the refusal of a stream for which there is no place.
func refusedStream(why stream.Closing) *refusal {
	if why != stream.TooManyOfAddress {
		return &notNow
	}
	return &refusal{http.StatusTooManyRequests,
		"your address has as many streams as the server allows one address; close one, or wait until one ends"}
}
