package command_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture/need"
)

// masked returns a frame as clients send it, with a mask that changes nothing.
func masked(first byte, payload string) string {
	frame := []byte{first}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	default:
		frame = append(frame, 0x80|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return string(append(frame, 0, 0, 0, 0)) + payload
}

// Beginnings of frames.
const (
	final, text, binaryFrame, ping = 0x80, 0x1, 0x2, 0x9
)

// join opens a socket with the key of a plan and waits until that is known.
func (s *siege) join(t *testing.T, path, plan string) *websocket.Conn {
	t.Helper()
	hello, protocols := fmt.Sprintf(`{"action":"auth","api_key":%q}`, s.keys[plan]), []string(nil)
	if path == "/graphql" {
		hello, protocols = fmt.Sprintf(`{"type":"connection_init","payload":{"X-API-Key":%q}}`, s.keys[plan]),
			[]string{"graphql-transport-ws"}
	}
	ws, err := dial(t.Context(), s.base, path, protocols...)
	need.NoError(t, err)
	t.Cleanup(func() { _ = ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(deadline))
	need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(hello)))
	if _, frame, err := ws.ReadMessage(); err != nil || !bytes.Contains(frame, []byte("_ok")) && !bytes.Contains(frame, []byte("_ack")) {
		t.Fatalf("%s, %v", frame, err)
	}
	return ws
}

// Frames that no client may send end the socket with the code that says so.
func TestHostileFrames(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	for name, c := range map[string]struct {
		frames string
		code   int
	}{
		"a packed frame that was not agreed on": {masked(final|0x40|text, "x"), 1002},
		"a frame without a mask":                {"\x81\x01x", 1002},
		"an unknown frame":                      {masked(final|0x3, "x"), 1002},
		"a ping of 126 bytes":                   {masked(final|ping, strings.Repeat("x", 126)), 1002},
		"a ping in parts":                       {masked(ping, "x"), 1002},
		"a part of nothing":                     {masked(final, "x"), 1002},
		"a message within another":              {masked(text, "x") + masked(final|text, "x"), 1002},
		"a length of 2^63":                      {"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", 1009},
		"a length of a terabyte":                {"\x81\xff\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1009},
		"a long message":                        {masked(final|text, strings.Repeat(" ", 1<<20)), 1009},
		"a long message in parts": {masked(text, " ") +
			strings.Repeat(masked(0, strings.Repeat(" ", 1000)), 1000), 1009},
		"a long message in parts of one byte": {masked(text, " ") + strings.Repeat(masked(0, " "), 100_000), 1009},
		"a long message after many parts of nothing": {masked(text, "") + strings.Repeat(masked(0, ""), 100_000) +
			masked(final, strings.Repeat(" ", 1<<20)), 1009},
	} {
		for _, path := range []string{"/v1/kap-feed/stream", "/v1/ws", "/graphql"} {
			s.attack(name+path, func(t *testing.T) {
				ws := s.join(t, path, "internal")
				go func() { _, _ = io.WriteString(ws.NetConn(), c.frames) }() // it is not listened to until its end
				if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, c.code) {
					t.Errorf("%s, %v; want %d", frame, err, c.code)
				}
			})
		}
	}
}

// Every socket agrees to compress, and inflates no more of a message than it would read.
func TestInflatedFrames(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	for _, path := range []string{"/v1/kap-feed/stream", "/v1/ws", "/graphql"} {
		s.attack(path, func(t *testing.T) {
			dialer := websocket.Dialer{EnableCompression: true, Subprotocols: []string{"graphql-transport-ws"}}
			ws, res, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.base, "http")+path, nil)
			need.NoError(t, err)
			defer ws.Close()
			_ = ws.SetReadDeadline(time.Now().Add(deadline))
			if res.Header.Get("Sec-WebSocket-Extensions") == "" {
				t.Error("it does not compress")
			}
			go func() { _ = ws.WriteMessage(websocket.TextMessage, make([]byte, 10<<20)) }()
			if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, 1009) {
				t.Errorf("%s, %v; want 1009", frame, err)
			}
		})
	}
}

// A client that sends and never reads is read no further than a buffer reaches.
func TestFloodsOfFrames(t *testing.T) {
	s := besiege(t)
	for name, flood := range map[string]string{
		"pings":              masked(final|ping, strings.Repeat("x", 125)),
		"pings of our own":   masked(final|text, `{"action":"ping"}`),
		"subscriptions":      masked(final|text, `{"action":"subscribe","ids":["all"],"last_seen_index":0}`),
		"parts of nothing":   masked(0, ""),
		"binary messages":    masked(final|binaryFrame, "x"),
		"pings of GraphQL's": masked(final|text, `{"type":"ping"}`),
		"operations and ends": masked(final|text, `{"id":"1","type":"subscribe","payload":{"query":"{ __typename }"}}`) +
			masked(final|text, `{"id":"1","type":"complete"}`),
	} {
		path := "/v1/kap-feed/stream"
		if strings.Contains(flood, `"type"`) {
			path = "/graphql"
		}
		s.attack(name, func(t *testing.T) {
			var flooding sync.WaitGroup
			for range 8 {
				conn := s.join(t, path, "internal").NetConn()
				if name == "parts of nothing" {
					_, _ = io.WriteString(conn, masked(text, ""))
				}
				flooding.Go(func() {
					_ = conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)) // how long the flood lasts
					piece := strings.Repeat(flood, 1000)
					for err := error(nil); err == nil; {
						if _, err = io.WriteString(conn, piece); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !isReset(err) {
							t.Error(err)
						}
					}
				})
			}
			flooding.Wait()
		})
	}
}

// isReset reports whether the other end has closed the connection.
func isReset(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok
}

// Keys that nobody has are refused, and leave nothing behind: neither memory nor series of
// metrics.
func TestFloodOfBadKeys(t *testing.T) {
	s := besiege(t)
	series := func() int { return strings.Count(s.privately(t, "/metrics"), "\npiyasa_") }
	ask := func(n int) int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.base+"/v1/quotes/bist:DMOST", nil)
		need.NoError(t, err)
		r.Header.Set("X-API-Key", fmt.Sprintf("piyasa_live_%040d", n))
		res, err := honestClient.Do(r)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		return res.StatusCode
	}
	if status := ask(0); status != 401 {
		t.Fatal(status)
	}
	before := series()
	s.attack("over HTTP", func(t *testing.T) {
		var asking sync.WaitGroup
		for client := range 8 {
			asking.Go(func() {
				for n := range 500 {
					if status := ask(1 + client*500 + n); status != 401 {
						t.Errorf("status %d", status)
						return
					}
				}
			})
		}
		asking.Wait()
	})
	s.attack("on sockets", func(t *testing.T) {
		for n := range 200 {
			ws, err := dial(t.Context(), s.base, "/v1/kap-feed/stream")
			need.NoError(t, err)
			_ = ws.SetReadDeadline(time.Now().Add(deadline))
			if err := ws.WriteMessage(websocket.TextMessage,
				fmt.Appendf(nil, `{"action":"auth","api_key":"piyasa_live_%040d"}`, n)); err != nil {
				t.Fatal(err)
			}
			if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, 4401) {
				t.Fatalf("%s, %v", frame, err)
			}
			_ = ws.Close()
		}
	})
	if after := series(); after > before+40 { // those of the honest client and of the sockets' routes
		t.Errorf("%d series of metrics, %d before", after, before)
	}
}

// costly returns a document that is heavy, another one for each n, so that no answer is given
// again: a test key may ask for 21 of them at once.
func costly(n int) string {
	document := "{"
	for list := range 4 {
		document += fmt.Sprintf(" list%d_%d: instruments(limit: 500) { instruments { symbol name quote { last open high low bid ask } } }",
			n, list)
	}
	return document + " }"
}

// One key that asks for all that its bucket holds, and more, at once is answered or told to
// wait, and others do not notice.
func TestOneKeysHeavyDocuments(t *testing.T) {
	s := besiege(t)
	s.attack("forty at once", func(t *testing.T) {
		statuses := make(chan int, 40)
		var asking sync.WaitGroup
		for n := range cap(statuses) {
			body, err := json.Marshal(map[string]string{"query": costly(n)})
			need.NoError(t, err)
			asking.Go(func() {
				statuses <- s.post(t, "test", "Accept", "application/graphql-response+json", string(body)).StatusCode
			})
		}
		asking.Wait()
		close(statuses)
		of := map[int]int{}
		for status := range statuses {
			of[status]++
		}
		if of[200] == 0 || of[429] < 15 || of[200]+of[429]+of[503] != 40 {
			t.Errorf("answers by status: %v", of)
		}
	})
}

// Four subscriptions of one test key, each event of which costs much, get their events when
// they have paid for the last; another client gets its own at once.
func TestCostlySubscriptionsOfATestKey(t *testing.T) {
	const rows, document = 60, `subscription { disclosureStream(topics: ["all"]) { ... on DisclosureEvent { data { disclosureIndex
		instruments(first: 100) { symbol quote { last } disclosures(first: 5) { disclosureIndex type symbols } } } } } }`
	s := besiege(t)
	payload, err := json.Marshal(map[string]any{"id": "1", "type": "subscribe", "payload": map[string]string{"query": document}})
	need.NoError(t, err)
	s.attack("beside one that follows", func(t *testing.T) {
		dear := make([]*websocket.Conn, 4)
		for i := range dear {
			dear[i] = s.join(t, "/graphql", "test")
			need.NoError(t, dear[i].WriteMessage(websocket.TextMessage, payload))
			if _, frame, err := dear[i].ReadMessage(); err != nil || !bytes.Contains(frame, []byte(`"next"`)) { // that it has begun
				t.Fatalf("%s, %v", frame, err)
			}
		}
		honest := s.join(t, "/v1/kap-feed/stream", "internal")
		need.NoError(t, honest.WriteMessage(websocket.TextMessage, []byte(`{"action":"subscribe","ids":["all"]}`)))
		if _, frame, err := honest.ReadMessage(); err != nil || !bytes.Contains(frame, []byte("subscribed")) {
			t.Fatalf("%s, %v", frame, err)
		}
		lines := ""
		for n := range rows {
			lines += fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":["DMOST"],"published_at":"2026-03-18T11:45:00Z"}`+"\n", n+1)
		}
		if res := run(t, s.database(), lines, nil, "ingest", "-"); res.status != 0 {
			t.Fatal(res)
		}
		_ = honest.SetReadDeadline(time.Now().Add(honestSeconds * time.Second))
		for n := range rows {
			if _, frame, err := honest.ReadMessage(); err != nil ||
				!bytes.Contains(frame, fmt.Appendf(nil, `"disclosure_index":%d,`, n+1)) {
				t.Fatalf("%d: %s, %v", n+1, frame, err)
			}
		}
		got := make([]int, len(dear))
		var reading sync.WaitGroup
		for i, ws := range dear {
			reading.Go(func() {
				_ = ws.SetReadDeadline(time.Now().Add(time.Second)) // by then the bucket is empty
				for {
					_, frame, err := ws.ReadMessage()
					if err != nil {
						return
					}
					got[i]++
					if want := fmt.Appendf(nil, `"disclosureIndex":%d,`, got[i]); !bytes.Contains(frame, want) {
						t.Errorf("%s: event %d is %s", want, got[i], frame)
						return
					}
				}
			})
		}
		reading.Wait()
		if slices.Max(got) == 0 || got[0]+got[1]+got[2]+got[3] > len(dear)*rows*3/4 { // the bucket holds less than half
			t.Errorf("of %d events they got %d", rows, got)
		}
	})
}

// database returns the address of the server's database.
func (s *siege) database() string {
	for _, variable := range s.cmd.Env {
		if address, ok := strings.CutPrefix(variable, "PIYASA_DATABASE="); ok {
			return address
		}
	}
	s.t.Fatal("the server has no database")
	return ""
}
