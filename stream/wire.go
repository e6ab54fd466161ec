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

// Wire is one WebSocket: messages go out whole and one at a time, and one close
// frame ends it.
type Wire struct {
	ws      *websocket.Conn
	stalled Closing // ends a wire of which nothing is taken for WriteWait
	closing atomic.Bool
	writing chan struct{} // holds a token while somebody writes
	stall   *time.Timer   // of whoever writes
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

// wait is how long a close frame is kept ready for a client that does not read.
func (c Closing) wait() time.Duration {
	if c == GoingAway { // nobody waits for a server that is gone
		return closeWait
	}
	return CloseWait
}

// errClosing says that the connection is being closed.
var errClosing = errors.New("closing")

// Subprotocol is the one agreed on; empty when there is none.
func (w *Wire) Subprotocol() string { return w.ws.Subprotocol() }

// Expect bounds the wait for the client's messages; 0 lifts the bound.
func (w *Wire) Expect(within time.Duration) {
	var deadline time.Time
	if within > 0 {
		deadline = time.Now().Add(within)
	}
	_ = w.ws.SetReadDeadline(deadline)
}

// Read waits for the client's next message. Once the wire is being closed
// there are no more; the error is its end.
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

// linger takes in the rest of a message that is too long: with unread bytes
// the close frame, which has gone out already, would be lost in a reset.
func (w *Wire) linger() {
	w.closing.Store(true)
	w.Expect(closeWait)
	_, _ = io.Copy(io.Discard, w.ws.NetConn())
}

// Send sends a text message, unless the wire is being closed.
func (w *Wire) Send(text []byte) error {
	return w.write(func() error { return w.ws.WriteMessage(websocket.TextMessage, text) })
}

func (w *Wire) sendPrepared(frame *websocket.PreparedMessage) error {
	return w.write(func() error { return w.ws.WritePreparedMessage(frame) })
}

// write waits for its turn and for the client. Without a deadline of its own: a
// message that was cut in the middle could not be followed by a close frame.
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

// maxReason is how many bytes of a reason fit into a close frame.
const maxReason = 123

// Close ends the wire: nothing is sent any more but the message that is on its
// way and the close frame behind it, which waits for a client that does not
// read. It returns when the frame is out, or the connection is cut. It is safe
// to call at any moment; the first call says why.
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
	limit.Reset(closeWait) // for the client's own close frame
}

// Cut ends the connection without a close frame.
func (w *Wire) Cut() { _ = w.ws.Close() }

// Finish closes a wire that nobody reads: it waits for the client's close frame
// itself, so that ours is not lost with a reset.
func (w *Wire) Finish(with Closing) {
	w.Close(with)
	for {
		if _, _, err := w.ws.ReadMessage(); err != nil {
			return
		}
	}
}
