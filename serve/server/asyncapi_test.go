package server_test

import (
	"net/http"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// What AsyncAPI describes is served, and nothing else is a socket.
func TestAsyncAPIDescribesTheSockets(t *testing.T) {
	a := fixture.New(t)
	doc := a.Get("/asyncapi.json", "")
	if doc.StatusCode != http.StatusOK || doc.JSON["asyncapi"] != "3.0.0" {
		t.Fatalf("%d %.200s", doc.StatusCode, doc.Text)
	}
	described := map[string]bool{}
	for _, channel := range doc.JSON["channels"].(map[string]any) {
		described[channel.(map[string]any)["address"].(string)] = true
	}
	for _, path := range []string{"/v1/kap-feed/stream", "/v1/kap/stream", "/v1/ws"} {
		if !described[path] {
			t.Errorf("%s is served and not described", path)
		}
		delete(described, path)
		a.Get(path, "").WantProblem(t, http.StatusUpgradeRequired, "upgrade-required")
	}
	for path := range described {
		t.Errorf("%s is described and not served", path)
	}
	if page := a.Get("/docs/sockets", ""); !strings.Contains(page.Text, `href="/asyncapi.json"`) {
		t.Error("the page of documents does not link it")
	}
}
