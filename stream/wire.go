package stream

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Wire is one WebSocket: it sends messages whole and one at a time, and one close
// frame at the end.
type Wire struct {
	ws      *websocket.Conn
	stalled Closing // closes a wire whose client receives nothing for WriteWait
	closing atomic.Bool
	writing chan struct{} // has a token while a message is written
	stall   *time.Timer   // of the message that is written
}

func newWire(ws *websocket.Conn, stalled Closing) *Wire {
	w := &Wire{ws: ws, stalled: stalled, writing: make(chan struct{}, 1)}
	w.stall = time.AfterFunc(WriteWait, func() { w.Close(w.stalled) })
	w.stall.Stop()
	return w
}

// Closing is a close code and its reason.
type Closing struct {
	Code   int
	Reason string
}

func (c Closing) Error() string { return c.Reason }

// wait returns how long a close frame waits for a client that does not read.
func (c Closing) wait() time.Duration {
	if c == GoingAway { // shutdown must not wait long
		return shortCloseWait
	}
	return CloseWait
}

// errClosing reports that the connection is being closed.
var errClosing = errors.New("closing")

// Subprotocol returns the negotiated one; empty when there is none.
func (w *Wire) Subprotocol() string { return w.ws.Subprotocol() }

// Expect sets a deadline for the client's next messages; 0 removes it.
func (w *Wire) Expect(within time.Duration) {
	var deadline time.Time
	if within > 0 {
		deadline = time.Now().Add(within)
	}
	_ = w.ws.SetReadDeadline(deadline)
}

// Read waits for the client's next message. It ignores messages while the wire is
// being closed, until the connection's end, which is an error.
func (w *Wire) Read() (frame []byte, text bool, err error) {
	for {
		kind, frame, err := w.ws.ReadMessage()
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			w.linger()
			return nil, false, err
		case err != nil:
			return nil, false, err
		case w.closing.Load():
		case kind == websocket.TextMessage && !utf8.Valid(frame):
			w.Close(invalidUTF8)
		default:
			return frame, kind == websocket.TextMessage, nil
		}
	}
}

// linger discards the rest of an oversized message: unread bytes would turn the
// close frame, which has already been sent, into a reset.
func (w *Wire) linger() {
	w.closing.Store(true)
	w.Expect(shortCloseWait)
	_, _ = io.Copy(io.Discard, w.ws.NetConn())
}

// Send sends a text message, unless the wire is being closed.
func (w *Wire) Send(text []byte) error {
	return w.write(func() error { return w.ws.WriteMessage(websocket.TextMessage, text) })
}

func (w *Wire) sendPrepared(frame *websocket.PreparedMessage) error {
	return w.write(func() error { return w.ws.WritePreparedMessage(frame) })
}

// write waits for its turn and for the client. It has no deadline: no close frame
// could follow a message that was cut off in the middle.
func (w *Wire) write(frame func() error) error {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if w.closing.Load() {
		return errClosing
	}
	w.stall.Reset(WriteWait)
	err := frame()
	w.stall.Stop()
	if err != nil {
		w.Cut() // the reader ends too
	}
	return err
}

// maxReason is the longest reason, in bytes, that fits into a close frame.
const maxReason = 123

// Close ends the wire: after the message that is being written it sends only the
// close frame, which waits for a client that does not read. It returns when the
// frame is sent or the connection is cut. It is safe to call at any moment; the
// first call's reason counts.
func (w *Wire) Close(with Closing) {
	limit := time.AfterFunc(with.wait(), w.Cut)
	if w.closing.Swap(true) {
		return
	}
	reason := strings.ToValidUTF8(with.Reason[:min(len(with.Reason), maxReason)], "")
	if w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(with.Code, reason), time.Time{}) != nil {
		w.Cut()
		return
	}
	limit.Reset(shortCloseWait) // for the client's own close frame
}

// Cut ends the connection without a close frame.
func (w *Wire) Cut() { _ = w.ws.Close() }

// Finish closes a wire that has no reader goroutine: it sends our close frame and
// waits for the client's, so that a reset does not lose ours.
func (w *Wire) Finish(with Closing) {
	w.Close(with)
	for {
		if _, _, err := w.ws.ReadMessage(); err != nil {
			return
		}
	}
}
