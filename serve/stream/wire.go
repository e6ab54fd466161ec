package stream

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Wire is one WebSocket: it sends frames whole and in turns, and one close frame at the
// end. The library upgrades and reads; everything that is written passes here, also the
// control frames with which the library answers.
type Wire struct {
	ws      *websocket.Conn
	conn    net.Conn
	stalled Closing                // closes a wire whose client receives nothing for WriteWait
	closing atomic.Pointer[[]byte] // the close frame, once there is to be one
	why     atomic.Pointer[string] // there is, in a word
	writing chan struct{}          // has a token while frames are written
	closed  bool                   // the close frame's turn has come; only the writer changes it
	waiting atomic.Int64           // since when a write has had no progress, by clock; 0: nothing is written
	full    func() bool            // whether too many frames wait for a client that has stopped reading; nil: they never are
	cut     atomic.Bool            // the connection has been closed, or is about to be

	deflates bool // whether messages may be compressed
	inflated pace // of what the client sends then
}

// Closing is a close code and its reason.
type Closing struct {
	Code   int
	Reason string
}

func (c Closing) Error() string { return c.Reason }

// wait returns how long a close frame waits for a client that does not read.
func (c Closing) wait() time.Duration {
	switch c {
	case GoingAway, tooMany, TooManyOfAddress: // shutdown must not wait long, and a refused client must not stay
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
		kind, frame, err := w.next()
		switch {
		case err != nil:
			if errors.Is(err, websocket.ErrReadLimit) {
				w.Close(tooLong)
			}
			if _, corrupt := errors.AsType[flate.CorruptInputError](err); corrupt || err == io.ErrUnexpectedEOF {
				w.Close(invalidDeflate)
			}
			if w.isClosing() && !isClose(err) {
				w.linger()
			}
			return nil, false, err
		case w.isClosing():
		case kind == websocket.TextMessage && !utf8.Valid(frame):
			w.Close(invalidUTF8)
		default:
			return frame, kind == websocket.TextMessage, nil
		}
	}
}

// next reads a message. The library limits what a client sends; what a compressed message
// becomes is limited here, and what many do: a client could have a thousand times of what it
// sends read.
func (w *Wire) next() (kind int, message []byte, err error) {
	kind, from, err := w.ws.NextReader()
	if err != nil {
		return kind, nil, err
	}
	message, err = io.ReadAll(io.LimitReader(from, maxMessage+1))
	if len(message) > maxMessage {
		err = websocket.ErrReadLimit
	}
	if w.deflates {
		time.Sleep(w.inflated.take(len(message)))
	}
	return kind, message, err
}

func (w *Wire) isClosing() bool { return w.closing.Load() != nil }

// isClose reports whether err is the client's close frame.
func isClose(err error) bool {
	_, ok := errors.AsType[*websocket.CloseError](err)
	return ok
}

// linger discards what follows a message that cannot be read: unread bytes would turn
// the close frame, which has already been sent, into a reset.
func (w *Wire) linger() {
	w.Expect(shortCloseWait)
	_, _ = io.Copy(io.Discard, w.conn)
}

// tooLong is what the library says itself of a message that is too long, but not of a frame
// whose length has 64 bits.
var tooLong = Closing{websocket.CloseMessageTooBig, ""}

// Send sends a text message, unless the wire is being closed.
func (w *Wire) Send(text []byte) error {
	_, err := w.write(w.frameOf(text))
	return err
}

// maxPiece is how many bytes leave in one write, if no frame is longer. Answers to
// pings go between pieces.
const maxPiece = 16 << 10

// write sends frames, unless the wire is being closed, and returns how many bytes of
// them it has sent. It waits for its turn and for the client.
func (w *Wire) write(frames []byte) (sent int, err error) {
	for sent < len(frames) && err == nil {
		var n int
		n, err = w.writePiece(frames[sent:][:wholeFrames(frames[sent:], maxPiece)])
		sent += n
	}
	return sent, err
}

func (w *Wire) writePiece(frames []byte) (sent int, err error) {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if w.isClosing() {
		return 0, errClosing
	}
	return w.push(frames, false)
}

// began is where the wires' clock begins; it knows no jumps of the machine's time.
var began = time.Now()

func clock() int64 { return int64(time.Since(began)) }

// push writes frames in the turn of its caller. It has no deadline: no close frame
// could follow a frame that was cut off in the middle. But it wakes when nudged. If the
// wire is being closed then, it leaves out the frames that have not begun, unless last
// is set; if the client has stopped reading, it closes the wire.
func (w *Wire) push(frames []byte, last bool) (sent int, err error) {
	w.waiting.Store(clock())
	defer w.waiting.Store(0)
	for {
		n, err := w.conn.Write(frames[sent:])
		sent += n
		if err == nil {
			return sent, nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			w.Cut() // the reader ends too
			return sent, err
		}
		_ = w.conn.SetWriteDeadline(time.Time{})
		if !w.isClosing() || last {
			w.noteNudge(n > 0)
		} else if frames = frames[:begunFrames(frames, sent)]; sent == len(frames) {
			return sent, errClosing
		}
	}
}

// noteNudge notes how a write that was nudged is: it has had progress, or has waited for
// too long, which closes the wire.
func (w *Wire) noteNudge(progress bool) {
	switch now, since := clock(), w.waiting.Load(); {
	case progress:
		w.waiting.Store(now)
	case since != 0 && w.hasStopped(time.Duration(now-since)):
		w.waiting.Store(now) // so that this happens once
		go w.Close(w.stalled)
	}
}

// nudge wakes the write that waits for the client, if there is one.
func (w *Wire) nudge() { _ = w.conn.SetWriteDeadline(time.Unix(1, 0)) }

// stallCheck is how often writes that wait are nudged.
const stallCheck = time.Second

// check nudges a write that has waited for long, so that it sees whether the client
// receives anything.
func (w *Wire) check() {
	if since := w.waiting.Load(); since != 0 && clock()-since >= int64(stallCheck) {
		w.nudge()
	}
}

// maxReason is the longest reason, in bytes, that fits into a close frame.
const maxReason = 123

// Close ends the wire: after the frame that is being written it sends only the
// close frame, which waits for a client that does not read. It returns when the
// frame is sent or the connection is cut. It is safe to call at any moment; the
// first call's reason counts.
func (w *Wire) Close(with Closing) {
	reason := strings.ToValidUTF8(with.Reason[:min(len(with.Reason), maxReason)], "")
	_ = w.close(appendFrame(nil, websocket.CloseMessage, websocket.FormatCloseMessage(with.Code, reason)), with.wait(), with.Label())
}

func (w *Wire) close(frame []byte, wait time.Duration, why string) error {
	limit := time.AfterFunc(wait, w.Cut)
	w.why.CompareAndSwap(nil, &why)
	w.closing.CompareAndSwap(nil, &frame)
	w.nudge()
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	if !w.closed {
		w.closed = true
		if _, err := w.push(*w.closing.Load(), true); err != nil {
			return err
		}
	}
	limit.Reset(shortCloseWait) // for the client's own close frame
	return nil
}

// Cut ends the connection without a close frame.
func (w *Wire) Cut() {
	w.cut.Store(true)
	_ = w.conn.Close()
}

// Finish closes a wire that has no reader goroutine: it sends our close frame and
// waits for the client's, so that a reset does not lose ours.
func (w *Wire) Finish(with Closing) {
	w.Close(with)
	for err := error(nil); err == nil; {
		_, _, err = w.Read()
	}
}

// libraryConn is the connection as the library sees it: what it writes after the
// upgrade goes through the wire.
type libraryConn struct {
	net.Conn
	wire *Wire // nil during the upgrade
	read pace

	deflates bool // whether the library has agreed to it
}

// Read implements net.Conn. It slows down a client that sends more than any use of a
// stream needs: frames that make no message cost processor time, too, and nothing else
// limits them.
func (c *libraryConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if wait := c.read.take(n); wait > 0 {
		time.Sleep(wait)
	}
	return n, err
}

// Write implements net.Conn. The library writes whole control frames.
func (c *libraryConn) Write(frame []byte) (int, error) {
	var err error
	switch {
	case c.wire == nil:
		c.deflates = bytes.Contains(frame, []byte("permessage-deflate"))
		return c.Conn.Write(frame)
	case frame[0]&0xf == websocket.CloseMessage:
		err = c.wire.close(frame, shortCloseWait, endOf(frame))
	default:
		if _, err = c.wire.write(frame); errors.Is(err, errClosing) {
			err = nil // the close frame takes its place, and the library reads on
		}
	}
	if err != nil {
		return 0, err
	}
	return len(frame), nil
}

// SetWriteDeadline implements net.Conn: the wire has its own.
func (c *libraryConn) SetWriteDeadline(t time.Time) error {
	if c.wire == nil {
		return c.Conn.SetWriteDeadline(t)
	}
	return nil
}
