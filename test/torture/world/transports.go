package world

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/torture/history"
)

// way is a transport and how its clients resume.
type way struct {
	name   string
	by     string
	resume string // argument that takes the position; "": the header Last-Event-ID
	open   func(context.Context, *Client) (<-chan heard, error)
}

// heard is a message, or the error that ended a connection.
type heard struct {
	message
	err error
}

// The transports.
var (
	kapSocket       = way{"kap socket", history.ByNumber, "last_seen_index", openKAP}
	graphQLSocket   = way{"graphql-transport-ws", history.BySeq, "afterSeq", openGraphQL}
	graphQLPosition = way{"graphql-transport-ws by position", history.BySeq, "after", openGraphQL}
	serverSent      = way{"server-sent events", history.BySeq, "", openEvents}
	graphQLByNumber = way{"graphql-transport-ws by number", history.ByNumber, "lastSeenIndex", openGraphQL}
	ways            = []way{kapSocket, graphQLSocket, graphQLPosition, serverSent, graphQLByNumber}
)

// pingInterval is how often a client asks for a sign of life.
const pingInterval = time.Second

// socket is a WebSocket to which several goroutines may write.
type socket struct {
	*websocket.Conn
	writing sync.Mutex
}

// say sends a message.
func (s *socket) say(m any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.SetWriteDeadline(time.Now().Add(patience)) // it then ends the connection
	return s.WriteJSON(m)
}

// dial opens a WebSocket that ends with ctx, sends first, and then ping again and
// again.
func dial(ctx context.Context, c *Client, path string, ping map[string]any, first []any, subprotocols ...string) (*socket, error) {
	dialer := websocket.Dialer{Subprotocols: subprotocols, HandshakeTimeout: patience}
	connection, answer, err := dialer.DialContext(ctx, "ws://"+c.address+path, nil)
	if err != nil {
		if answer != nil {
			err = fmt.Errorf("%w: %s", err, answer.Status)
		}
		return nil, err
	}
	ws := &socket{Conn: connection}
	context.AfterFunc(ctx, func() { _ = ws.Close() })
	for _, m := range first {
		if err := ws.say(m); err != nil {
			_ = ws.Close()
			return nil, err
		}
	}
	go func() {
		tick := time.NewTicker(pingInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if ws.say(ping) != nil {
					return
				}
			}
		}
	}()
	return ws, nil
}

// listen passes on what read returns until it fails or ctx ends.
func listen(ctx context.Context, end func(), read func() (message, error)) <-chan heard {
	out := make(chan heard)
	go func() {
		defer end()
		for {
			m, err := read()
			select {
			case out <- heard{m, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func openKAP(ctx context.Context, c *Client) (<-chan heard, error) {
	ws, err := dial(ctx, c, "/v1/kap-feed/stream", map[string]any{"action": "ping"}, []any{
		map[string]any{"action": "auth", "api_key": c.key},
		map[string]any{"action": "subscribe", "ids": c.topics, "last_seen_index": c.position.Seq},
	})
	if err != nil {
		return nil, err
	}
	return listen(ctx, func() { _ = ws.Close() }, func() (message, error) {
		_, text, err := ws.ReadMessage()
		if err != nil {
			return message{}, err
		}
		return kapMessage(text)
	}), nil
}

// kapMessage reads a frame of the socket of disclosures.
func kapMessage(text []byte) (m message, err error) {
	var frame struct {
		Type      string
		Replay    bool
		Truncated bool
		Code      string
		Data      struct {
			Number int `json:"disclosure_index"`
		}
	}
	if err := json.Unmarshal(text, &frame); err != nil {
		return m, err
	}
	switch frame.Type {
	case "auth_ok", "pong":
	case "subscribed":
		m.kind = history.Subscribed
	case "disclosure":
		m = message{kind: history.Event, number: frame.Data.Number, replay: frame.Replay}
	case "replay_done":
		m = message{kind: history.ReplayDone, truncated: frame.Truncated}
	case "error":
		if frame.Code == "store_went_back" {
			m = message{kind: history.Gap, text: string(text)}
		} // else a truncated replay_done follows
	default:
		return m, fmt.Errorf("unknown frame %s", text)
	}
	return m, nil
}
