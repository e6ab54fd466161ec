package world

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/torture/history"
)

// way is a transport and how its clients resume.
type way struct {
	name string
	by   string
	byID bool // the position is a header, Last-Event-ID
	open func(context.Context, *Client) (<-chan heard, error)
}

// heard is a message, or the error that ended a connection.
type heard struct {
	message
	err error
}

// The transports.
var (
	kapSocket       = way{"kap socket", history.ByNumber, false, openKAP}
	graphQLSocket   = way{"graphql-transport-ws", history.BySeq, false, openGraphQL}
	serverSent      = way{"server-sent events", history.BySeq, true, openEvents}
	graphQLByNumber = way{"graphql-transport-ws by number", history.ByNumber, false, openGraphQL}
	ways            = []way{kapSocket, graphQLSocket, serverSent, graphQLByNumber}
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
	case "error": // a truncated replay_done follows
	default:
		return m, fmt.Errorf("unknown frame %s", text)
	}
	return m, nil
}

func openGraphQL(ctx context.Context, c *Client) (<-chan heard, error) {
	ws, err := dial(ctx, c, "/graphql", map[string]any{"type": "ping"}, []any{
		map[string]any{"type": "connection_init", "payload": map[string]any{"X-API-Key": c.key}},
	}, "graphql-transport-ws")
	if err != nil {
		return nil, err
	}
	return listen(ctx, func() { _ = ws.Close() }, func() (m message, err error) {
		var frame struct {
			Type    string
			Payload json.RawMessage
		}
		if err := ws.ReadJSON(&frame); err != nil {
			return m, err
		}
		switch frame.Type {
		case "connection_ack":
			payload := map[string]any{"query": c.document()}
			return m, ws.say(map[string]any{"id": "1", "type": "subscribe", "payload": payload})
		case "pong":
			return m, nil
		case "next":
			return graphQLMessage(frame.Payload)
		default:
			return m, fmt.Errorf("%s: %s", frame.Type, frame.Payload)
		}
	}), nil
}

// document returns the subscription of a client by GraphQL.
func (c *Client) document() string {
	topics, _ := json.Marshal(c.topics) // strings always work
	resume := fmt.Sprintf(", afterSeq: %d", c.position.Seq)
	switch {
	case c.way.by == history.ByNumber:
		resume = fmt.Sprintf(", lastSeenIndex: %d", c.position.Seq)
	case c.way.byID:
		resume = ""
	}
	return fmt.Sprintf(`subscription { disclosureStream(topics: %s%s) { __typename
		... on DisclosureEvent { replay seq data { disclosureIndex } } ... on ReplayDone { lastSeq truncated } ... on StreamError { code message } } }`, topics, resume)
}

// graphQLMessage reads an answer of a subscription.
func graphQLMessage(text []byte) (m message, err error) {
	var answer struct {
		Data struct {
			DisclosureStream struct {
				Type      string `json:"__typename"`
				Replay    bool
				Seq       int64
				LastSeq   int64
				Truncated bool
				Code      string
				Data      struct{ DisclosureIndex int }
			}
		}
		Errors json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return m, err
	}
	switch d := answer.Data.DisclosureStream; d.Type {
	case "Subscribed":
		m.kind = history.Subscribed
	case "DisclosureEvent":
		m = message{kind: history.Event, number: d.Data.DisclosureIndex, position: &history.Position{Seq: d.Seq}, replay: d.Replay}
	case "ReplayDone":
		m = message{kind: history.ReplayDone, position: &history.Position{Seq: d.LastSeq}, truncated: d.Truncated}
	default:
		return m, fmt.Errorf("%s %s", d.Code, answer.Errors)
	}
	return m, nil
}

func openEvents(ctx context.Context, c *Client) (<-chan heard, error) {
	body, err := json.Marshal(map[string]string{"query": c.document()})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.address+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "text/event-stream", "X-API-Key": c.key, "Last-Event-ID": c.position.String(),
	} {
		r.Header.Set(name, value)
	}
	transport := &http.Transport{
		DisableKeepAlives: true, ResponseHeaderTimeout: patience, DialContext: (&net.Dialer{Timeout: patience}).DialContext,
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10)) // the status is enough
		return nil, fmt.Errorf("status %d: %s", answer.StatusCode, text)
	}
	lines := bufio.NewScanner(answer.Body)
	id := ""
	return listen(ctx, func() { _ = answer.Body.Close() }, func() (m message, err error) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			if m, err = graphQLMessage([]byte(data)); err != nil || m.position == nil {
				return m, err
			}
			position, err := history.ParsePosition(id) // what an EventSource would send back
			if err != nil {
				return m, err
			}
			if m.kind == history.Event && m.position.Seq != position.Seq {
				return m, fmt.Errorf("the event at %s has the id %s", m.position, id)
			}
			m.position = &position
			return m, nil
		}
		return m, errors.Join(lines.Err(), io.EOF)
	}), nil
}
