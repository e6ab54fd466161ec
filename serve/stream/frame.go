package stream

import (
	"encoding/binary"

	"github.com/gorilla/websocket"
)

// The server's frames are not masked, and each holds a whole message, so that one frame
// serves every connection.

// appendFrame appends the frame of a message; kind is its opcode.
func appendFrame(to []byte, kind byte, text []byte) []byte {
	to = append(to, 1<<7|kind) // FIN: the only frame of its message
	switch n := len(text); {
	case n < 126:
		to = append(to, byte(n))
	case n < 1<<16:
		to = binary.BigEndian.AppendUint16(append(to, 126), uint16(n))
	default:
		to = binary.BigEndian.AppendUint64(append(to, 127), uint64(n))
	}
	return append(to, text...)
}

// maxHeader is the longest header of a frame in bytes.
const maxHeader = 10

// textFrame returns the frame of a text.
func textFrame(text []byte) []byte {
	return appendFrame(make([]byte, 0, maxHeader+len(text)), websocket.TextMessage, text)
}

// frameLength returns the length in bytes of the first frame.
func frameLength(frames []byte) int {
	switch n := int(frames[1]); n {
	case 126:
		return 4 + int(binary.BigEndian.Uint16(frames[2:]))
	case 127:
		return 10 + int(binary.BigEndian.Uint64(frames[2:]))
	default:
		return 2 + n
	}
}

// wholeFrames returns the length of the most whole frames that fit into limit bytes, or of
// the first frame, if that is longer.
func wholeFrames(frames []byte, limit int) int {
	if len(frames) <= limit {
		return len(frames)
	}
	n := frameLength(frames)
	for n < len(frames) {
		next := n + frameLength(frames[n:])
		if next > limit {
			break
		}
		n = next
	}
	return n
}

// begunFrames returns the length of the frames that have begun once sent bytes are sent:
// at least the first, and all up to the one with the last byte sent.
func begunFrames(frames []byte, sent int) int {
	n := frameLength(frames)
	for n < sent {
		n += frameLength(frames[n:])
	}
	return n
}
