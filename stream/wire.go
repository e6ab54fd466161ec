package stream

import (
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Wire is one WebSocket: messages go out whole and one at a time, each with a
// deadline, and one close frame ends it.
type Wire struct {
	ws      *websocket.Conn
	closing atomic.Bool
	writing sync.Mutex
}

// Closing is a close code and its reason.
type Closing struct {
	Code   int
	Reason string
}

func (c Closing) Error() string { return c.Reason }

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

func (w *Wire) write(frame func() error) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.closing.Load() {
		return errClosing
	}
	_ = w.ws.SetWriteDeadline(time.Now().Add(WriteWait))
	err := frame()
	if err != nil {
		_ = w.ws.Close() // the reader ends too
	}
	return err
}

// maxReason is how many bytes of a reason fit into a close frame.
const maxReason = 123

// Close sends a close frame, once, and cuts the connection when it does not go
// out. It is safe to call at any moment.
func (w *Wire) Close(with Closing) {
	if w.closing.Swap(true) {
		return
	}
	reason := strings.ToValidUTF8(with.Reason[:min(len(with.Reason), maxReason)], "")
	if w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(with.Code, reason), time.Now().Add(closeWait)) != nil {
		_ = w.ws.Close()
		return
	}
	w.Expect(closeWait)
}

// Finish closes a wire that nobody reads: it waits for the client's close frame
// itself, so that ours is not lost with a reset.
func (w *Wire) Finish(with Closing) {
	w.Close(with)
	w.Expect(closeWait)
	for {
		if _, _, err := w.ws.ReadMessage(); err != nil {
			return
		}
	}
}
