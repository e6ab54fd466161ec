package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// talker is a client of the GraphQL socket.
type talker struct {
	t testing.TB
	*websocket.Conn
}

// dial connects without having said anything.
func (b *broadcast) dial(header http.Header, protocols ...string) *talker {
	b.t.Helper()
	dialer := websocket.Dialer{Subprotocols: protocols}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(b.url, "http")+"/graphql", header)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(patience))
	return &talker{b.t, ws}
}

// join connects with a key.
func (b *broadcast) join(secret string) *talker {
	b.t.Helper()
	c := b.dial(nil, "graphql-transport-ws")
	c.say(`{"type":"connection_init","payload":{"X-API-Key":"` + secret + `"}}`)
	c.hears("connection_ack")
	return c
}

func (c *talker) say(messages ...string) {
	c.t.Helper()
	for _, m := range messages {
		if err := c.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
			c.t.Fatalf("say %.100s: %v", m, err)
		}
	}
}

// ask begins an operation.
func (c *talker) ask(id, document string) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"id": id, "type": "subscribe", "payload": map[string]any{"query": document}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.say(string(text))
}

// hear is the next message in short, "close 4401 Unauthorized" at the end.
func (c *talker) hear() string {
	c.t.Helper()
	_, text, err := c.ReadMessage()
	if e, ok := errors.AsType[*websocket.CloseError](err); ok {
		return strings.TrimSpace(fmt.Sprintf("close %d %s", e.Code, e.Text))
	}
	if err != nil {
		return "cut: " + err.Error()
	}
	var m struct {
		ID, Type string
		Payload  json.RawMessage
	}
	if err := json.Unmarshal(text, &m); err != nil {
		c.t.Errorf("message %q: %v", text, err)
	}
	said := strings.TrimSpace(m.Type + " " + m.ID)
	switch {
	case m.Type == "error":
		return said + " " + short(c.t, json.RawMessage(`{"errors":`+string(m.Payload)+`}`))
	case m.Type == "next":
		return said + " " + short(c.t, m.Payload)
	case m.Payload != nil:
		return said + " " + string(m.Payload)
	}
	return said
}

func (c *talker) hears(want ...string) {
	c.t.Helper()
	for i, w := range want {
		if got := c.hear(); got != w {
			c.t.Fatalf("message %d is %q, want %q", i+1, got, w)
		}
	}
}
