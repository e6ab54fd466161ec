package stream_test

import (
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// The first frame is auth with a live key that has the scope; anything else
// closes at once, with no frame before, and nothing else counts as a key.
func TestFirstFrame(t *testing.T) {
	s := newSocketFixture(t)
	auth := func(key string) string { return `{"action":"auth","api_key":"` + key + `"}` }
	cases := map[string]string{
		`{"action":"ping"}`: "close 4401 auth_required", `{"action":"subscribe","ids":["all"]}`: "close 4401 auth_required",
		`{"action":"unsubscribe","ids":["all"]}`: "close 4401 auth_required",
		`{"action":"auth"}`:                      "close 4401 invalid_key", `{"action":"auth","api_key":5}`: "close 4401 invalid_key",
		auth(""):                   "close 4401 invalid_key",
		auth("piyasa_live_nobody"): "close 4401 invalid_key", auth(" " + listener): "close 4401 invalid_key",
		auth(strings.ToUpper(listener)): "close 4401 invalid_key",
		auth(deaf):                      "close 4403 missing_scope", auth(listener): "auth_ok pro",
		// members that auth does not have
		`{"ids":["all"],"api_key":"` + listener + `","action":"auth","last_seen_index":"x"}`: "auth_ok pro",
	}
	for _, frame := range badFrames {
		cases[frame] = "close 4401 auth_required"
	}
	for frame, want := range cases {
		c := s.dial()
		c.say(frame)
		if got := c.hear(); got != want {
			t.Errorf("%.80s: %s, want %s", frame, got, want)
		}
		_ = c.Close()
	}
}

// Frames that are no text close alike; and a key that a browser could send
// with the upgrade is not looked at.
func TestFirstFrameThatIsNoText(t *testing.T) {
	s := newSocketFixture(t)
	right := []byte(`{"action":"auth","api_key":"` + listener + `"}`)
	c := s.dial()
	need.NoError(t, c.WriteMessage(websocket.BinaryMessage, right))
	c.hears("close 4401 auth_required")

	header := map[string][]string{"X-API-Key": {listener}}
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.address, "http")+"/?api_key="+listener, header)
	need.NoError(t, err)
	defer ws.Close()
	c = &client{t, ws}
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("close 4401 auth_required")
}

// A first frame far too long is no auth either, and its sender learns so
// instead of losing the connection.
func TestFirstFrameThatIsTooLong(t *testing.T) {
	s := newSocketFixture(t)
	c := s.dial()
	_ = c.WriteMessage(websocket.TextMessage, []byte(`{"action":"auth","api_key":"`+strings.Repeat("k", 1<<20)+`"}`))
	if got := c.hear(); !strings.HasPrefix(got, "close 4401") && !strings.HasPrefix(got, "close 1009") {
		t.Errorf("heard %s", got)
	}
}

// While the log is not followed, nobody new is let in; who is in stays.
func TestUnavailableStream(t *testing.T) {
	s := newSocketFixture(t)
	in := s.join()
	s.isDown.Store(true)
	c := s.dial()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("close 1013 stream_unavailable")
	for frame, want := range map[string]string{`{"action":"auth","api_key":"x"}`: "close 4401 invalid_key", `{"action":"auth","api_key":"` +
		deaf + `"}`: "close 4403 missing_scope"} {
		c := s.dial()
		c.say(frame)
		c.hears(want) // what is wrong for good goes before
	}
	in.say(`{"action":"ping"}`)
	in.hears("pong")
}

// One connection more than the server holds learns it; a place that becomes
// free is given again.
func TestTooManyConnections(t *testing.T) {
	s := newSocketFixture(t)
	s.sockets.Max = 2
	first, second := s.join(), s.join()
	s.dial().hears("close 1013 too_many_connections")
	_ = first.Close()
	fixture.Eventually(t, "a free place", func() bool { return s.sockets.Open() < 2 })
	s.join()
	second.say(`{"action":"ping"}`)
	second.hears("pong")
}

// A key that is known no more opens no connection.
func TestRevokedKeyAtTheDoor(t *testing.T) {
	s := newSocketFixture(t)
	s.gate.Replace(keysOf(map[string][]access.Scope{deaf: nil}))
	c := s.dial()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("close 4401 invalid_key")
}
