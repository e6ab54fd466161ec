package server_test

import (
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// A request for a stream that is refused before it becomes one is answered by
// a problem, like every other request.
func TestRefusedUpgrades(t *testing.T) {
	a := fixture.New(t)
	right := map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
	if res := a.Send("POST", "/graphql", fixture.All, `{"query": "{ __typename }"}`, "Content-Type", "application/json", "Connection",
		"Upgrade, HTTP2-Settings", "Upgrade", "h2c, websocket"); res.StatusCode != 200 {
		t.Errorf("a POST that offers an upgrade: %d %s", res.StatusCode, res.Text)
	}
	for _, path := range []string{"/v1/kap-feed/stream", "/v1/kap/stream", "/v1/ws"} {
		for name, change := range map[string][2]string{
			"a page of another origin": {"Origin", "https://evil.test"}, "an old version": {"Sec-WebSocket-Version", "8"},
			"no key": {"Sec-WebSocket-Key", ""}, "another method": {},
		} {
			var header []string
			for k, v := range right {
				if k != change[0] {
					header = append(header, k, v)
				}
			}
			method := "GET"
			if change[0] == "" {
				method = "POST"
			}
			res := a.Send(method, path, "", "", append(header, change[:]...)...)
			if res.StatusCode < 400 || res.Header.Get("Content-Type") != "application/problem+json" ||
				res.JSON["request_id"] != res.Header.Get("X-Request-Id") || res.Header.Get("Deprecation") != "" {
				t.Errorf("%s, %s: %d %s %s", path, name, res.StatusCode, res.Header.Get("Content-Type"), strings.TrimSpace(res.Text))
			}
		}
	}
}
