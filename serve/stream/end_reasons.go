package stream

import (
	"encoding/binary"
	"regexp"

	"github.com/gorilla/websocket"
)

// Why a stream ended that the server did not end with a Closing.
const (
	EndedByClient = "client"    // it closed, or left its server-sent events
	EndedCut      = "cut"       // the connection broke
	EndedComplete = "completed" // its server-sent events were complete
	endedWrong    = "bad_message"
)

// ownReason matches the server's own fixed reasons.
var ownReason = regexp.MustCompile("^[a-z_]+$")

// Label returns a short word for the reason, one of a few, as a label of metrics.
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

// endOf returns why a wire ends whose close frame the library writes: to echo the client's,
// or to reject a message.
func endOf(frame []byte) string {
	if len(frame) >= 4 {
		switch binary.BigEndian.Uint16(frame[2:]) {
		case websocket.CloseProtocolError, websocket.CloseMessageTooBig, websocket.CloseInvalidFramePayloadData:
			return endedWrong
		}
	}
	return EndedByClient
}

// ended returns why the wire ended.
func (w *Wire) ended() string {
	if why := w.why.Load(); why != nil {
		return *why
	}
	return EndedCut
}

// Count passes the end of a stream to Closed, if that is set.
func (s *Sockets) Count(transport Transport, why string) {
	if s.Closed != nil {
		s.Closed(string(transport), why)
	}
}
