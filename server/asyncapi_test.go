package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// What AsyncAPI describes is served, and nothing else is a socket.
func TestAsyncAPIDescribesTheSockets(t *testing.T) {
	a := newAPI(t)
	doc := a.get("/asyncapi.json", "")
	if doc.StatusCode != http.StatusOK || doc.body["asyncapi"] != "3.0.0" {
		t.Fatalf("%d %.200s", doc.StatusCode, doc.text)
	}
	described := map[string]bool{}
	for _, channel := range doc.body["channels"].(map[string]any) {
		described[channel.(map[string]any)["address"].(string)] = true
	}
	for _, path := range []string{"/v1/kap-feed/stream", "/v1/kap/stream", "/v1/ws"} {
		if !described[path] {
			t.Errorf("%s is served and not described", path)
		}
		delete(described, path)
		a.get(path, "").wantProblem(t, http.StatusUpgradeRequired, "upgrade-required")
	}
	for path := range described {
		t.Errorf("%s is described and not served", path)
	}
	if page := a.get("/docs", ""); !strings.Contains(page.text, `href="/asyncapi.json"`) {
		t.Error("the page of documents does not link it")
	}
}
