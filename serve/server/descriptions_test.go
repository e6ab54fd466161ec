package server_test

import (
	"net/http"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"slices"
	"strings"
	"testing"
)

// What is described is served, and what is served is described.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	a := fixture.New(t)
	paths, ids := map[string]bool{}, map[string]bool{}
	for _, o := range fixture.DescribedOperations() {
		paths[o.Path] = true
		if ids[o.ID] || o.ID == "" || len(o.Tags) != 1 || o.Summary == "" || o.Deprecated != strings.HasSuffix(o.ID, "Formerly") {
			t.Errorf("%s %s: id %q, tags %q, summary %q, deprecated %v", o.Method, o.Path, o.ID, o.Tags, o.Summary, o.Deprecated)
		}
		ids[o.ID] = true
		path := strings.NewReplacer("{", "", "}", "").Replace(o.Path)
		if res := a.Send(o.Method, path, fixture.All, ""); res.StatusCode == http.StatusMethodNotAllowed ||
			strings.Contains(res.Text, "There is nothing at this path") && o.ID != "problem" && o.ID != "attachment" &&
				o.ID != "ipoDocument" {
			t.Errorf("%s %s is described and answers %d %.200s", o.Method, o.Path, res.StatusCode, res.Text)
		}
	}
	served := server.Patterns(a.Server)
	for _, route := range rest.Routes(resolvers.New(nil)) {
		served = append(served, route.Pattern)
		if route.Legacy != "" {
			served = append(served, route.Legacy)
		}
	}
	loaded := []string{"/graphiql/", "/assets/{file}", "/favicon.svg", "/favicon.ico", "/licenses.md"} // by pages
	for _, pattern := range served {
		pattern = strings.ReplaceAll(strings.TrimSuffix(pattern, "{$}"), "...}", "}")
		if !paths[pattern] && !slices.Contains(loaded, pattern) {
			t.Errorf("%s is served and not described", pattern)
		}
	}
}
