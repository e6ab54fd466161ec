package graphqlhttp

import (
	"net/http"
	"time"

	"piyasa/serve/stream"
)

// retryAfter tells a browser how long to wait before it connects again.
const retryAfter = 2 * time.Second

// eventWriter writes the messages of a stream.
type eventWriter struct {
	form    eventForm
	to      http.ResponseWriter
	control *http.ResponseController
}

func newEventWriter(form eventForm, w http.ResponseWriter) eventWriter {
	return eventWriter{form, w, http.NewResponseController(w)}
}

// begin sends the head.
func (w eventWriter) begin() error {
	h := w.to.Header()
	h.Add("Vary", "Accept")
	h.Set("Content-Type", w.form.media())
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.to.WriteHeader(http.StatusOK)
	return w.write(w.form.begin())
}

// write sends text. The server's timeout is for requests with one answer; here each write has
// its own timeout.
func (w eventWriter) write(text []byte) error {
	_ = w.control.SetWriteDeadline(time.Now().Add(stream.WriteWait))
	if _, err := w.to.Write(text); err != nil {
		return err
	}
	return w.control.Flush()
}

// notNow is the refusal of a stream that cannot be opened now.
var notNow = refusal{http.StatusServiceUnavailable, "streams are not available now; try again"}

// tell answers a request with the refusal.
func (f *refusal) tell(w http.ResponseWriter) {
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	refuse(w, mediaJSON, f.status, f.message)
}

// refusedStream returns the refusal of a stream above the limits of connections.
func refusedStream(why stream.Closing) *refusal {
	if why != stream.TooManyOfAddress {
		return &notNow
	}
	return &refusal{http.StatusTooManyRequests,
		"your address has as many streams as the server allows one address; close one, or wait until one ends"}
}
