package soak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// way is a transport of disclosures.
type way struct {
	name    string
	metered string // the operation under which its disclosures are
	open    func(ctx context.Context, f *follower) (connection, error)
}

// connection is an open stream of disclosures.
type connection interface {
	// next waits for a message. What follows on hangUp comes, too; then an error.
	next() (message, error)
	// hangUp tells the server that the client goes, and lets it finish.
	hangUp()
	close()
}

// message is what a server says, whatever the transport.
type message struct {
	number     int    // of a disclosure; 0: it is something else
	position   string // from which to resume, if it states one
	incomplete bool   // the replay left something out
}

var ways = []*way{
	{"kap socket", "/v1/kap-feed/stream:events", openKAP},
	{"graphql-transport-ws", "/graphql:disclosureStream:events", openGraphQL},
	{"server-sent events", "/graphql:disclosureStream:events", openEvents},
}

// socket is a WebSocket whose frames read understands.
type socket struct {
	*websocket.Conn
	read func(text []byte) (message, error)
}

// dial opens a WebSocket that ends at the deadline of ctx, and sends a first message.
func dial(ctx context.Context, f *follower, path string, first any, read func([]byte) (message, error),
	subprotocols ...string) (*socket, error) {
	dialer := websocket.Dialer{Subprotocols: subprotocols, HandshakeTimeout: patience, ReadBufferSize: 1 << 10, WriteBufferSize: 256}
	conn, _, err := dialer.DialContext(ctx, "ws://"+f.world.address+path, nil)
	if err != nil {
		return nil, err
	}
	end, _ := ctx.Deadline()
	_ = conn.SetReadDeadline(end)
	_ = conn.SetWriteDeadline(end)
	if err := conn.WriteJSON(first); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &socket{conn, read}, nil
}

func (s *socket) next() (message, error) {
	_, text, err := s.ReadMessage()
	if err != nil {
		return message{}, err
	}
	return s.read(text)
}

func (s *socket) hangUp() {
	end := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = s.WriteControl(websocket.CloseMessage, end, time.Now().Add(patience)) // who reads sees whether it failed
}

func (s *socket) close() { _ = s.Close() }

func openKAP(ctx context.Context, f *follower) (connection, error) {
	ws, err := dial(ctx, f, "/v1/kap-feed/stream", map[string]any{"action": "auth", "api_key": f.key.secret},
		func(text []byte) (m message, err error) {
			var frame struct {
				Type      string
				Code      string
				Truncated bool
				Data      struct {
					Number int `json:"disclosure_index"`
				}
			}
			if err := json.Unmarshal(text, &frame); err != nil {
				return m, err
			}
			switch frame.Type {
			case "disclosure":
				m.number = frame.Data.Number
			case "replay_done":
				m.incomplete = frame.Truncated
			case "auth_ok", "subscribed":
			case "error":
				if frame.Code != "server_error" { // of a replay, without a database; replay_done follows
					err = fmt.Errorf("%w: %s", errUnexpected, text)
				}
			default:
				err = fmt.Errorf("%w: %s", errUnexpected, text)
			}
			return m, err
		})
	if err != nil {
		return nil, err
	}
	if err := ws.WriteJSON(map[string]any{"action": "subscribe", "ids": f.topics, "last_seen_index": f.last}); err != nil {
		ws.close()
		return nil, err
	}
	return ws, nil
}

// errUnexpected is a message that no server should send here.
var errUnexpected = errors.New("unexpected")

func openGraphQL(ctx context.Context, f *follower) (connection, error) {
	init := map[string]any{"type": "connection_init", "payload": map[string]any{"X-API-Key": f.key.secret}}
	ws, err := dial(ctx, f, "/graphql", init, func(text []byte) (message, error) {
		var frame struct {
			Type    string
			Payload json.RawMessage
		}
		if err := json.Unmarshal(text, &frame); err != nil {
			return message{}, err
		}
		switch frame.Type {
		case "next":
			return readResponse(frame.Payload)
		case "connection_ack", "complete":
			return message{}, nil
		}
		return message{}, refusal(text)
	}, "graphql-transport-ws")
	if err != nil {
		return nil, err
	}
	if _, err = ws.next(); err == nil { // the acknowledgement
		payload := map[string]any{"query": document, "variables": map[string]any{"topics": f.topics, "after": f.position}}
		err = ws.WriteJSON(map[string]any{"type": "subscribe", "id": "1", "payload": payload})
	}
	if err != nil {
		ws.close()
		return nil, err
	}
	return ws, nil
}

const document = `subscription($topics: [String!]!, $after: String) { disclosureStream(topics: $topics, after: $after) { __typename
	... on DisclosureEvent { position data { disclosureIndex type symbols subject { tr } } }
	... on ReplayDone { position truncated } ... on StoreWentBack { lost } ... on StreamError { code message } } }`

// readResponse reads a response of the subscription.
func readResponse(text []byte) (m message, err error) {
	var response struct {
		Data struct {
			DisclosureStream struct {
				Type      string `json:"__typename"`
				Position  string
				Truncated bool
				Code      string
				Data      struct{ DisclosureIndex int }
			}
		}
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return m, err
	}
	d := response.Data.DisclosureStream
	m = message{number: d.Data.DisclosureIndex, position: d.Position, incomplete: d.Truncated}
	switch d.Type {
	case "DisclosureEvent", "ReplayDone", "Subscribed":
	case "StreamError":
		if m.incomplete = true; d.Code != "SERVER_ERROR" {
			err = fmt.Errorf("%w: %s", errUnexpected, text)
		}
	default:
		err = refusal(text)
	}
	return m, err
}

// refusal returns the error of a text that refuses a stream: without a database it may, and
// after it, when all come back at once.
func refusal(text []byte) error {
	if bytes.Contains(text, []byte(`"STORE_UNAVAILABLE"`)) || bytes.Contains(text, []byte(`"RATE_LIMITED"`)) {
		return fmt.Errorf("refused: %s", text)
	}
	return fmt.Errorf("%w: %s", errUnexpected, text)
}

// events is a stream of server-sent events. Its connection is closed in halves, so that
// what is on its way when the client goes still arrives.
type events struct {
	conn  *net.TCPConn
	lines *bufio.Scanner
}

func openEvents(ctx context.Context, f *follower) (connection, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"topics": f.topics}})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+f.world.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "text/event-stream", "X-API-Key": f.key.secret, "Last-Event-ID": f.position,
	} {
		r.Header.Set(name, value)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", f.world.address)
	if err != nil {
		return nil, err
	}
	end, _ := ctx.Deadline()
	_ = conn.SetDeadline(end)
	var answer *http.Response
	if err = r.Write(conn); err == nil {
		answer, err = http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), r)
	}
	if err == nil && answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)) // the status is enough
		err = fmt.Errorf("status %d: %s", answer.StatusCode, text)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &events{conn.(*net.TCPConn), bufio.NewScanner(answer.Body)}, nil
}

func (e *events) next() (m message, err error) {
	id := ""
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			if m, err = readResponse(value); err != nil {
				return m, err
			}
		} else if value, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			id = string(value)
		} else if len(line) == 0 { // the end of an event
			m.position = id
			return m, nil
		}
	}
	return m, errors.Join(e.lines.Err(), io.EOF)
}

func (e *events) hangUp() { _ = e.conn.CloseWrite() }

func (e *events) close() { _ = e.conn.Close() }
