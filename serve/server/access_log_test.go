package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/serve/answer"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// lines are what is logged until the end of a test.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// of returns the members of the lines with a message.
func (l *lines) of(t *testing.T, message string) (found []map[string]any) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

func logged(t *testing.T) *lines {
	l, before := new(lines), slog.Default()
	slog.SetDefault(slog.New(answer.Logged(slog.NewJSONHandler(l, nil))))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}

func withAccessLog(s *fixture.Setup) { s.Config.AccessLog = true }

// secretKey is the key all with an id that is no secret.
func secretKey() *access.Key {
	k := fixture.Unlimited()
	k.ID = "key_1"
	return k
}

func TestAccessLog(t *testing.T) {
	a := fixture.New(t, withAccessLog)
	a.Keys(secretKey())
	for name, c := range map[string]struct {
		method, target, key, body string
		want                      map[string]any
	}{
		"REST": {"GET", "/v1/quotes/bist:DMOST?currency=USD", fixture.All, "",
			map[string]any{"route": "/v1/quotes/{instrument_id}", "status": 200., "key_id": "key_1", "units": 1.}},
		"GraphQL": {"POST", "/graphql", fixture.All, quoted(`{quote(id: "bist:DMOST") {last}}`),
			map[string]any{"method": "POST", "route": "/graphql", "status": 200., "key_id": "key_1", "units": 1.}},
		"HEAD": {"HEAD", "/v1/quotes/bist:DMOST", fixture.All, "", map[string]any{"method": "HEAD", "bytes": 0., "status": 200.}},
		"wrong key": {"GET", "/v1/quotes/bist:DMOST", "x", "",
			map[string]any{"route": "/v1/quotes/{instrument_id}", "status": 401., "key_id": ""}},
		"no route":   {"GET", "/nope", "", "", map[string]any{"route": "/", "status": 404., "key_id": ""}},
		"no path":    {"GET", "//nope", "", "", map[string]any{"route": "", "status": 404.}},
		"no upgrade": {"GET", "/v1/ws", "", "", map[string]any{"route": "/v1/ws", "status": 426.}},
		"odd method": {"PIYASA", "/nope", "", "", map[string]any{"method": "other"}},
		"needs none": {"GET", "/healthz", "", "", map[string]any{"route": "/healthz", "status": 200., "client": "192.0.2.1"}},
		"reservation": {"PUT", "/graphql/stream", fixture.All, "",
			map[string]any{"method": "PUT", "route": "/graphql/stream", "status": 201., "key_id": "key_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			log := logged(t)
			var res fixture.Answer
			if name == "odd method" || name == "reservation" || name == "no upgrade" || name == "no path" { // not described
				res = fixture.Answer{Response: ask(a, c.method, c.target, c.key)}
			} else {
				res = a.Send(c.method, c.target, c.key, c.body, "Content-Type", "application/json")
			}
			found := log.of(t, "request")
			if len(found) != 1 || strings.Count(log.String(), "\n") != 1 {
				t.Fatalf("logged\n%s", log)
			}
			line := found[0]
			for name, want := range c.want {
				if line[name] != want {
					t.Errorf("%s is %v, want %v", name, line[name], want)
				}
			}
			if line["request_id"] != res.Header.Get("X-Request-Id") || line["duration_ms"] == nil {
				t.Error(log)
			}
			if extensions, ok := res.JSON["extensions"].(map[string]any); ok {
				if said := extensions["cost"].(map[string]any)["granted"]; said != json.Number(fmt.Sprint(line["cost"])) {
					t.Errorf("cost %v, want %v", line["cost"], said)
				}
			}
			if bytes, _ := line["bytes"].(float64); c.method != "HEAD" && res.Text != "" && int(bytes) != len(res.Text) {
				t.Errorf("%v bytes, want %d", bytes, len(res.Text))
			}
		})
	}
}

// Unless it is switched on, nothing is logged of answers.
func TestNoAccessLog(t *testing.T) {
	a, log := fixture.New(t), logged(t)
	a.Get("/v1/quotes/bist:DMOST", fixture.All)
	if log.String() != "" {
		t.Error(log)
	}
}

// A stream has a line when it opens and one when it ends, and no other.
func TestAccessLogOfStreams(t *testing.T) {
	log := logged(t)
	b := fixture.NewBroadcast(t, func(c *server.Config) { c.AccessLog = true })
	b.Services.Gate.Replace([]*access.Key{secretKey()})
	dialed, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(b.URL, "http")+"/v1/ws", nil)
	need.NoError(t, err)
	_ = res.Body.Close()
	need.NoError(t, dialed.WriteMessage(websocket.TextMessage, []byte(`{"action":"auth","api_key":"`+fixture.All+`"}`)))
	if _, text, err := dialed.ReadMessage(); err != nil || !strings.Contains(string(text), "auth_ok") {
		t.Fatalf("%s %v", text, err)
	}
	_ = dialed.Close()
	_ = b.Join(fixture.All).Close()
	events := b.Listen(fixture.Follow(""))
	events.Hears("retry 2000", "Subscribed")
	if got := len(log.of(t, "stream opened")); got != 3 {
		t.Fatalf("%d opened:\n%s", got, log)
	}
	_ = events.Body.Close()
	fixture.Eventually(t, "the ends", func() bool { return len(log.of(t, "stream ended")) == 3 })
	ended := map[string]bool{}
	for _, line := range log.of(t, "stream ended") {
		ended[line["protocol"].(string)+" "+line["route"].(string)] = true
		if line["key_id"] != "key_1" || line["request_id"] == "" || line["client"] != "127.0.0.1" || line["duration_ms"] == nil ||
			line["bytes"].(float64) <= 0 {
			t.Error(line)
		}
	}
	for _, want := range []string{"websocket /v1/ws", "websocket /graphql", "sse /graphql"} {
		if !ended[want] {
			t.Errorf("%s has not ended: %v", want, ended)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 6 {
		t.Errorf("%d lines:\n%s", lines, log)
	}
}

// What a key is sent in is not logged: header, parameter, token, message, or where none belongs.
func TestSecretsAreNotLogged(t *testing.T) {
	log := logged(t)
	b := fixture.NewBroadcast(t, func(c *server.Config) { c.AccessLog = true })
	b.Services.Gate.Replace([]*access.Key{secretKey()})
	secrets := []string{fixture.All, "piyasa_live"}
	get := func(path string, header ...string) string {
		l := b.Request("GET", path, "", header...)
		text := l.Text()
		_ = l.Body.Close()
		return text
	}
	var token struct{ Token string }
	if err := json.Unmarshal([]byte(get("/v1/stream-token", "X-API-Key", fixture.All)), &token); err != nil || token.Token == "" {
		t.Fatal(err)
	}
	reserved := b.Reserve()
	secrets = append(secrets, token.Token, reserved)
	for _, path := range []string{
		"/v1/logos/bist:DMOST?api_key=" + fixture.All, "/v1/quotes/" + fixture.All, "/" + fixture.All, "//" + fixture.All,
		"/v1/ws?api_key=" + fixture.All,
		"/graphql?query={__typename}&token=" + token.Token, "/v1/quotes/bist:DMOST?token=" + token.Token, "/graphql/stream/" + reserved,
	} {
		get(path, "Authorization", fixture.All)
	}
	events := b.Request("GET", "/graphql?query=subscription{quoteStream(ids:[%22crypto:1%22]){__typename}}&token="+token.Token, "",
		"Accept", fixture.EventStream)
	events.Hears("retry 2000", "Subscribed")
	_ = events.Body.Close()
	open := b.Request("GET", "/graphql/stream?token="+reserved, "", "Accept", fixture.EventStream)
	open.Hears("retry 2000")
	if res := b.Request("POST", "/graphql/stream?token="+reserved, fixture.Body("{__typename}", "a"), "Content-Type",
		"application/json"); res.StatusCode != http.StatusAccepted {
		t.Errorf("POST: %d", res.StatusCode)
	}
	_ = open.Body.Close()
	_ = b.Request(fixture.All, "/graphql", "").Body.Close()
	_ = b.Join(fixture.All).Close()
	const opened = 3
	fixture.Eventually(t, "the ends", func() bool { return len(log.of(t, "stream ended")) == opened })
	if got := len(log.of(t, "request")); got != 12 {
		t.Errorf("%d requests, want 12:\n%s", got, log)
	}
	for _, secret := range secrets {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is logged:\n%s", secret, log)
		}
	}
}

// ask sends a request whose answer nobody describes.
func ask(a *fixture.Server, method, target, key string) *http.Response {
	r := httptest.NewRequestWithContext(a.T.Context(), method, target, nil)
	r.Header.Set("X-API-Key", key)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Result()
}
