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

	"piyasa/test/torture/history"
)

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
			return c.graphQLMessage(frame.Payload)
		default:
			return m, readRefusal(frame.Payload, fmt.Errorf("%s: %s", frame.Type, frame.Payload))
		}
	}), nil
}

// document returns the subscription of a client by GraphQL.
func (c *Client) document() string {
	topics, _ := json.Marshal(c.topics) // strings always work
	resume := ""
	switch c.way.resume {
	case "":
	case "after":
		resume = fmt.Sprintf(", after: %q", c.position)
	default:
		resume = fmt.Sprintf(", %s: %d", c.way.resume, c.position.Seq)
	}
	return fmt.Sprintf(`subscription { disclosureStream(topics: %s%s) { __typename
		... on DisclosureEvent { replay seq position data { disclosureIndex } } ... on ReplayDone { lastSeq position truncated }
		... on StoreWentBack { position lost } ... on StreamError { code message } } }`, topics, resume)
}

// graphQLMessage reads an answer of a subscription, of which the client keeps the
// position or, with bare, its number.
func (c *Client) graphQLMessage(text []byte) (m message, err error) {
	var answer struct {
		Data struct {
			DisclosureStream struct {
				Type      string `json:"__typename"`
				Replay    bool
				Seq       int64
				LastSeq   int64
				Position  *history.Position
				Truncated bool
				Lost      []int
				Code      string
				Data      struct{ DisclosureIndex int }
			}
		}
		Errors json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return m, err
	}
	d := answer.Data.DisclosureStream
	m = message{number: d.Data.DisclosureIndex, position: d.Position, resume: d.Position, replay: d.Replay, truncated: d.Truncated}
	switch d.Type {
	case "Subscribed":
		m.kind = history.Subscribed
	case "DisclosureEvent":
		m.kind = history.Event
		if m.position == nil {
			m.position = &history.Position{Seq: d.Seq}
		}
	case "ReplayDone":
		m.kind = history.ReplayDone
		if m.position == nil {
			m.position = &history.Position{Seq: d.LastSeq}
		}
	case "StoreWentBack":
		m = message{kind: history.Gap, position: d.Position, resume: d.Position, text: fmt.Sprintf("lost: %d", d.Lost)}
	default:
		return m, readRefusal(answer.Errors, fmt.Errorf("%s %s", d.Code, answer.Errors))
	}
	if c.way.resume == "afterSeq" && m.position != nil { // without the epoch
		m.position = &history.Position{Seq: m.position.Seq}
		m.resume = m.position
	}
	return m, nil
}

// readRefusal returns the refusal that the errors of an answer contain, or else.
func readRefusal(text []byte, otherwise error) error {
	var refusals []struct {
		Message    string
		Extensions struct {
			Problem struct {
				Status     int
				ResumeFrom *history.Position `json:"resume_from"`
			}
		}
	}
	if json.Unmarshal(text, &refusals) != nil || len(refusals) == 0 {
		return otherwise
	}
	switch p := refusals[0].Extensions.Problem; p.Status {
	case http.StatusConflict, http.StatusGone:
		return &refusal{refusals[0].Message, p.ResumeFrom}
	}
	return otherwise
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
		var body struct{ Errors json.RawMessage }
		_ = json.Unmarshal(text, &body) // what is no such answer is no refusal
		return nil, readRefusal(body.Errors, fmt.Errorf("status %d: %s", answer.StatusCode, text))
	}
	lines := bufio.NewScanner(answer.Body)
	return listen(ctx, func() { _ = answer.Body.Close() }, func() (message, error) { return c.readEvent(lines) }), nil
}

// readEvent reads the next of the server-sent events. Like an EventSource, the client
// resumes from the last id, which also comes on events without data.
func (c *Client) readEvent(lines *bufio.Scanner) (m message, err error) {
	var id *history.Position
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			id = new(history.Position)
			if err := id.UnmarshalText([]byte(value)); err != nil {
				return m, err
			}
		case name == "data":
			if m, err = c.graphQLMessage([]byte(value)); err != nil {
				return m, err
			}
		case lines.Text() == "": // the end of an event
			if m.kind == history.Event && id != nil && id.Seq != m.position.Seq {
				return m, fmt.Errorf("the event at %s has the id %s", m.position, id)
			}
			m.resume = id
			return m, nil
		}
	}
	return m, errors.Join(lines.Err(), io.EOF)
}
