package stream

import (
	"encoding/binary"
	"regexp"

	"github.com/gorilla/websocket"
)

// Why a stream ended if not by a Closing of the server's.
const (
	EndedByClient = "client"    // it said so, or went away from its stream of events
	EndedCut      = "cut"       // the connection broke
	EndedComplete = "completed" // all that a stream of events was for is said
	endedWrong    = "bad_message"
)

// ownReason matches the reasons that are words of the server's own, always the same.
var ownReason = regexp.MustCompile("^[a-z_]+$")

// Label returns a short word for the reason; there are few.
func (c Closing) Label() string {
	if ownReason.MatchString(c.Reason) {
		return c.Reason
	}
	switch c.Code {
	case 4401:
		return invalidKey.Reason
	case 4408:
		return authTimeout.Reason
	}
	return endedWrong
}

// endOf returns why a wire ends with a close frame that the library writes: it echoes the
// client's, or rejects a message.
func endOf(frame []byte) string {
	if len(frame) >= 4 {
		switch binary.BigEndian.Uint16(frame[2:]) {
		case websocket.CloseProtocolError, websocket.CloseMessageTooBig, websocket.CloseInvalidFramePayloadData:
			return endedWrong
		}
	}
	return EndedByClient
}

// ended returns why the wire has ended.
func (w *Wire) ended() string {
	if why := w.why.Load(); why != nil {
		return *why
	}
	return EndedCut
}

// Count counts the end of a stream, if anybody does.
func (s *Sockets) Count(transport Transport, why string) {
	if s.Closed != nil {
		s.Closed(string(transport), why)
	}
}
