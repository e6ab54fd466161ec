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

// Wire is one WebSocket. It sends frames whole and one after the other, and one close frame
// at the end. The library upgrades and reads; all writes go through the Wire, including the
// control frames with which the library answers.
type Wire struct {
	ws      *websocket.Conn
	conn    net.Conn
	stalled Closing                // closes a wire whose client receives nothing for WriteWait
	closing atomic.Pointer[[]byte] // the close frame to send; nil: the wire is not being closed
	why     atomic.Pointer[string] // the reason for the close, in a word
	writing chan struct{}          // has a token while frames are written
	closed  bool                   // whether the close frame is next to be sent; only the writer changes it
	waiting atomic.Int64           // since when a write has made no progress, by clock; 0: no write runs
	full    func() bool            // whether too many frames wait for a client that has stopped reading; may be nil
	cut     atomic.Bool            // the connection has been closed, or is about to be

	deflates bool // whether messages may be compressed
	inflated pace // the pace of decompressed messages
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
	case GoingAway, tooMany, TooManyOfAddress: // shutdown must not take long, and a rejected client must not stay
		return shortCloseWait
	}
	return CloseWait
}

// errClosing reports that the connection is being closed.
var errClosing = errors.New("closing")

// Subprotocol returns the negotiated subprotocol, or "".
func (w *Wire) Subprotocol() string { return w.ws.Subprotocol() }

// Expect sets a deadline for the client's next messages; 0 removes it.
func (w *Wire) Expect(within time.Duration) {
	var deadline time.Time
	if within > 0 {
		deadline = time.Now().Add(within)
	}
	_ = w.ws.SetReadDeadline(deadline)
}

// Read waits for the client's next message. While the wire is being closed, it discards
// messages until the connection ends, which is an error.
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

// next reads a message. The library limits the bytes that a client sends; next limits the
// length of a decompressed message, and the rate of decompressed bytes: they may be a
// thousand times of what the client sends.
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

// tooLong closes a wire whose message is too long. The library does so itself, except for a
// frame with a length of 64 bits.
var tooLong = Closing{websocket.CloseMessageTooBig, ""}

// Send sends a text message, unless the wire is being closed.
func (w *Wire) Send(text []byte) error {
	_, err := w.write(w.frameOf(text))
	return err
}

// Await waits until everybody who waits to send has had a turn. A caller that does so before work
// for the client does no more of it than the client reads of.
func (w *Wire) Await() {
	w.writing <- struct{}{}
	<-w.writing
}

// maxPiece is the most bytes of one write, unless a single frame is longer. Answers to pings
// go between pieces.
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

// began is the zero of the wires' clock, which is monotonic.
var began = time.Now()

func clock() int64 { return int64(time.Since(began)) }

// push writes frames; the caller has the token of writing. It has no deadline: no close frame
// could follow a frame that was cut off in the middle. But it wakes when nudged. If the wire
// is being closed then, it leaves out the frames that have not begun, unless last is set; if
// the client has stopped reading, it closes the wire.
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

// noteNudge records whether a nudged write has made progress. If it has waited for too long,
// noteNudge closes the wire.
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

// check nudges a write that has waited for at least stallCheck, so that it sees whether the
// client receives anything.
func (w *Wire) check() {
	if since := w.waiting.Load(); since != 0 && clock()-since >= int64(stallCheck) {
		w.nudge()
	}
}

// maxReason is the longest reason, in bytes, that fits into a close frame.
const maxReason = 123

// Close ends the wire: after the current frame it sends only the close frame, and waits some
// time for a client that does not read. It returns when the close frame is sent or the
// connection is cut. It is safe to call at any moment; the reason of the first call counts.
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

// libraryConn is the connection that the library uses: after the upgrade, its writes go
// through the wire.
type libraryConn struct {
	net.Conn
	wire *Wire // nil during the upgrade
	read pace

	deflates bool // whether the library has agreed to compress
}

// Read implements net.Conn. It slows down a client that sends more than any use of a stream
// needs: frames that make up no message also cost processor time, and nothing else limits
// them.
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
			err = nil // the close frame replaces it, and the library reads on
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
