package stream

import "sync/atomic"

// Transport is what carries a stream.
type Transport string

// The transports of streams.
const (
	TransportSocket  Transport = "websocket"
	TransportGraphQL Transport = "graphql_websocket"
	TransportEvents  Transport = "sse"
)

// Transports lists all transports.
var Transports = []Transport{TransportSocket, TransportGraphQL, TransportEvents}

// Traffic counts the streams of a transport and what they carry. A nil one counts nothing.
type Traffic struct {
	open, delivered, replays atomic.Int64
}

// Open returns how many streams are open.
func (t *Traffic) Open() int64 { return t.open.Load() }

// Delivered returns how many disclosures clients have received since the start.
func (t *Traffic) Delivered() int64 { return t.delivered.Load() }

// Replays returns how many replays have begun since the start.
func (t *Traffic) Replays() int64 { return t.replays.Load() }

func (t *Traffic) deliver(disclosures int) {
	if t != nil {
		t.delivered.Add(int64(disclosures))
	}
}

func (t *Traffic) replay() {
	if t != nil {
		t.replays.Add(1)
	}
}

// Traffic returns the counts of a transport.
func (s *Sockets) Traffic(of Transport) *Traffic {
	switch of {
	case TransportSocket:
		return &s.traffic[0]
	case TransportGraphQL:
		return &s.traffic[1]
	default:
		return &s.traffic[2]
	}
}
