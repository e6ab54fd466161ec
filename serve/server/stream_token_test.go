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

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// A page that has a stream token and no key opens every WebSocket with it: in the
// address, where no first frame is needed, or in the frame that has the key otherwise.
func TestStreamTokenOpensSockets(t *testing.T) {
	b := fixture.NewBroadcast(t)
	var given struct{ Token string }
	if err := json.Unmarshal([]byte(b.Request("GET", "/v1/stream-token", "", "X-API-Key", fixture.All).Text()), &given); err != nil ||
		given.Token == "" {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/kap-feed/stream", "/v1/kap/stream", "/v1/ws"} {
		for name, c := range map[string]struct{ query, say, want string }{
			"in the address": {"?token=" + given.Token, "", `{"type":"auth_ok","plan":"unlimited"}`},
			"in the address, and auth": {"?token=" + given.Token, `{"action":"auth"}`,
				`{"type":"auth_ok","plan":"unlimited"} {"type":"pong"}`},
			"in auth, as token": {"", `{"action":"auth","token":"` + given.Token + `"}`,
				`{"type":"auth_ok","plan":"unlimited"} {"type":"pong"}`},
			"in auth, as the key": {"", `{"action":"auth","api_key":"` + given.Token + `"}`,
				`{"type":"auth_ok","plan":"unlimited"} {"type":"pong"}`},
			"a wrong one":          {"?token=" + given.Token + "x", "", "close 4401 invalid_key"},
			"a wrong one in auth":  {"", `{"action":"auth","token":"` + given.Token + `x"}`, "close 4401 invalid_key"},
			"a key is no token":    {"", `{"action":"auth","token":"st_` + fixture.All + `"}`, "close 4401 invalid_key"},
			"a key in the address": {"?token=" + fixture.All, `{"action":"ping"}`, "close 4401 auth_required"},
			"auth with another key": {"?token=" + given.Token, `{"action":"auth","api_key":"` + fixture.None + `"}`,
				`{"type":"auth_ok","plan":"unlimited"} {"type":"error","code":"bad_message","message":"auth must be sent first and only once"}`},
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				if got := talk(t, b.URL+path+c.query, "", c.say, strings.Count(c.want, `"type"`),
					strings.Contains(c.want, "pong")); got != c.want {
					t.Errorf("heard %s, want %s", got, c.want)
				}
			})
		}
	}
	for name, c := range map[string]struct{ query, payload, want string }{
		"in the address":      {"?token=" + given.Token, ``, `{"type":"connection_ack"}`},
		"in connection_init":  {"", `,"payload":{"token":"` + given.Token + `"}`, `{"type":"connection_ack"}`},
		"as the key":          {"", `,"payload":{"X-API-Key":"` + given.Token + `"}`, `{"type":"connection_ack"}`},
		"a wrong one":         {"?token=" + given.Token + "x", ``, "close 4401 Unauthorized"},
		"a wrong one in init": {"", `,"payload":{"token":"st_"}`, "close 4401 Unauthorized"},
	} {
		t.Run("/graphql "+name, func(t *testing.T) {
			if got := talk(t, b.URL+"/graphql"+c.query, "graphql-transport-ws", `{"type":"connection_init"`+c.payload+`}`, 1,
				false); got != c.want {
				t.Errorf("heard %s, want %s", got, c.want)
			}
		})
	}
	for _, header := range []string{"X-API-Key", "Authorization"} { // and opens nothing else
		if res := b.Request("GET", "/v1/sectors", "", header, "Bearer "+given.Token); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("a token in %s opens a request: %d", header, res.StatusCode)
		}
	}
}

// talk connects, says a frame and perhaps a ping, and returns the first frames that it hears,
// or how the connection was closed.
func talk(t *testing.T, address, protocol, say string, frames int, ping bool) string {
	t.Helper()
	dialer := websocket.Dialer{}
	if protocol != "" {
		dialer.Subprotocols = []string{protocol}
	}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(address, "http"), nil)
	need.NoError(t, err)
	defer ws.Close()
	_ = ws.SetReadDeadline(time.Now().Add(fixture.Patience))
	if say != "" {
		_ = ws.WriteMessage(websocket.TextMessage, []byte(say))
	}
	if ping {
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"action":"ping"}`))
	}
	var heard []string
	for range max(frames, 1) {
		_, text, err := ws.ReadMessage()
		if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
			return strings.Join(append(heard, fmt.Sprintf("close %d %s", closed.Code, closed.Text)), " ")
		}
		if err != nil {
			return err.Error()
		}
		heard = append(heard, string(text))
	}
	return strings.Join(heard, " ")
}
