package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// dial opens a WebSocket that ends with ctx.
func dial(ctx context.Context, base, path string, subprotocols ...string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Subprotocols: subprotocols, HandshakeTimeout: 5 * time.Second}
	ws, _, err := dialer.DialContext(ctx, strings.Replace(base, "http", "ws", 1)+path, nil)
	if err == nil {
		context.AfterFunc(ctx, func() { _ = ws.Close() })
	}
	return ws, err
}

// pass hands an event on unless ctx has ended.
func pass(ctx context.Context, out chan<- streamed, e streamed) bool {
	select {
	case out <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

func openSocket(path string) func(context.Context, string, string, []string, int64) (<-chan streamed, error) {
	return func(ctx context.Context, base, key string, topics []string, after int64) (<-chan streamed, error) {
		ws, err := dial(ctx, base, path)
		if err != nil {
			return nil, err
		}
		for _, say := range []string{
			fmt.Sprintf(`{"action":"auth","api_key":%q}`, key),
			fmt.Sprintf(`{"action":"subscribe","ids":[%s],"last_seen_index":%d}`, quoted(topics), after),
		} {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(say)); err != nil {
				return nil, err
			}
		}
		out := make(chan streamed)
		go func() {
			defer close(out)
			for {
				var frame struct {
					Type string
					Data struct {
						Number int `json:"disclosure_index"`
					}
					Truncated bool
				}
				if ws.ReadJSON(&frame) != nil {
					return
				}
				switch frame.Type {
				case "disclosure":
					if !pass(ctx, out, streamed{number: frame.Data.Number}) {
						return
					}
				case "replay_done":
					if !pass(ctx, out, streamed{done: true, truncated: frame.Truncated}) {
						return
					}
				}
			}
		}()
		return out, nil
	}
}

// streamDocument is the subscription that every GraphQL client sends.
func streamDocument(topics []string, resume string) string {
	return fmt.Sprintf(`subscription { disclosureStream(topics: [%s]%s) { __typename
		... on DisclosureEvent { seq data { disclosureIndex } } ... on ReplayDone { lastSeq truncated } ... on StreamError { code } } }`,
		quoted(topics), resume)
}

// answer is the part of a GraphQL answer that the clients read.
type answer struct {
	Data struct {
		DisclosureStream struct {
			Type      string `json:"__typename"`
			Seq       int64
			LastSeq   int64
			Truncated bool
			Data      struct {
				Number int `json:"disclosureIndex"`
			}
		}
	}
}

// event is what an answer says; ok is false when it is nothing to count.
func (a answer) event() (e streamed, ok bool) {
	d := a.Data.DisclosureStream
	switch d.Type {
	case "DisclosureEvent":
		return streamed{number: d.Data.Number, seq: d.Seq}, true
	case "ReplayDone":
		return streamed{done: true, truncated: d.Truncated, lastSeq: d.LastSeq}, true
	}
	return e, false
}

func openGraphQLSocket(resume string) func(context.Context, string, string, []string, int64) (<-chan streamed, error) {
	return func(ctx context.Context, base, key string, topics []string, after int64) (<-chan streamed, error) {
		ws, err := dial(ctx, base, "/graphql", "graphql-transport-ws")
		if err != nil {
			return nil, err
		}
		start := map[string]any{"id": "1", "type": "subscribe",
			"payload": map[string]any{"query": streamDocument(topics, fmt.Sprintf(", %s: %d", resume, after))}}
		if err := ws.WriteJSON(map[string]any{"type": "connection_init", "payload": map[string]any{"X-API-Key": key}}); err != nil {
			return nil, err
		}
		out := make(chan streamed)
		go func() {
			defer close(out)
			for {
				var m struct {
					Type    string
					Payload json.RawMessage
				}
				if ws.ReadJSON(&m) != nil {
					return
				}
				switch m.Type {
				case "connection_ack":
					if ws.WriteJSON(start) != nil {
						return
					}
				case "next":
					var a answer
					_ = json.Unmarshal(m.Payload, &a)
					if e, ok := a.event(); ok && !pass(ctx, out, e) {
						return
					}
				default:
					return
				}
			}
		}()
		return out, nil
	}
}

func openEvents(byID bool) func(context.Context, string, string, []string, int64) (<-chan streamed, error) {
	return func(ctx context.Context, base, key string, topics []string, after int64) (<-chan streamed, error) {
		resume := fmt.Sprintf(", lastSeenIndex: %d", after)
		if byID {
			resume = ""
		}
		body, err := json.Marshal(map[string]string{"query": streamDocument(topics, resume)})
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/graphql", strings.NewReader(string(body)))
		if err != nil {
			return nil, err
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream", "X-API-Key": key} {
			r.Header.Set(name, value)
		}
		if byID {
			r.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusOK {
			_ = res.Body.Close()
			return nil, fmt.Errorf("status %d", res.StatusCode)
		}
		out := make(chan streamed)
		go func() {
			defer close(out)
			defer res.Body.Close()
			id := int64(0)
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
					_, seq, _ := strings.Cut(text, ":") // after its epoch
					id, _ = strconv.ParseInt(seq, 10, 64)
				}
				data, ok := strings.CutPrefix(lines.Text(), "data: ")
				if !ok {
					continue
				}
				var a answer
				_ = json.Unmarshal([]byte(data), &a)
				if e, ok := a.event(); ok {
					if byID { // what an EventSource would send back
						e.seq, e.lastSeq = id, id
					}
					if !pass(ctx, out, e) {
						return
					}
				}
			}
		}()
		return out, nil
	}
}
