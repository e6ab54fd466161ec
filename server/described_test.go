package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/fixture"
	"piyasa/problem"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/server"
)

var update = flag.Bool("update", false, "record the answers that the OpenAPI document shows")

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
		if res := a.Send(o.Method, path, fixture.All, ""); res.StatusCode == http.StatusMethodNotAllowed || strings.Contains(res.Text, "There is nothing at this path") && o.ID != "problem" && o.ID != "attachment" && o.ID != "ipoDocument" {
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
	for _, pattern := range served {
		if pattern = strings.TrimSuffix(pattern, "{$}"); !paths[pattern] && pattern != "/graphiql/" { // the files of its page
			t.Errorf("%s is served and not described", pattern)
		}
	}
}

// A problem is described where it comes, and not where it cannot.
func TestAmbiguousTickersAreDescribed(t *testing.T) {
	a := fixture.New(t)
	wild := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, route := range rest.Routes(resolvers.New(nil)) {
		path := wild.ReplaceAllString(route.Pattern, "crypto:ONE") + "?ids=crypto:ONE"
		comes := strings.Contains(a.Get(path, fixture.All).Text, "/problems/ambiguous-ticker")
		if described := slices.Contains(route.Problems(), problem.AmbiguousTicker); described != comes {
			t.Errorf("%s: described %v, comes %v", path, described, comes)
		}
	}
}

// shorter asks for less where the first of counterparts is long.
var shorter = map[string]string{
	"/v1/instruments":            "/v1/instruments?market=crypto&limit=2",
	"/v1/sectors/{code}/returns": "/v1/sectors/otomotiv/returns?from=2026-03-16",
	"/v1/valuation":              "/v1/valuation?ids=bist:DMBNK,bist:NOPE",
	"/v1/periodic":               "/v1/periodic?ids=us:DMAP,bist:NOPE",
	"/v1/quotes":                 "/v1/quotes?ids=crypto:BTC,bist:NOPE",
	"/v1/candles":                "/v1/candles?ids=bist:DMOST,crypto:1",
	"/v1/stocks/{id}/financials": "/v1/stocks/bist:DMOST/financials?limit=1",
}

// Every operation that answers with JSON shows an answer of it, and a server
// still gives that answer. With -update the answers are recorded.
func TestExamples(t *testing.T) {
	a := fixture.New(t)
	const document = `{"query": "{ quote(id: \"bist:DMOST\") { instrumentId last currency asOf } }"}`
	recorded := map[string]rest.Example{}
	record := func(id, request string, res fixture.Answer) {
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %d %s", id, request, res.StatusCode, res.Text)
		}
		recorded[id] = rest.Example{Request: request, Answer: json.RawMessage(bytes.TrimSpace([]byte(res.Text)))}
	}
	for _, route := range rest.Routes(resolvers.New(nil)) {
		if !slices.Contains(route.Media, rest.JSON) {
			continue
		}
		path := shorter[route.Pattern]
		for _, twin := range fixture.Counterparts {
			if path == "" && twin.Pattern == route.Pattern {
				path = twin.Path
			}
		}
		record(route.Counterpart, "GET "+path, a.Get(path, fixture.All))
	}
	record("streamToken", "GET /v1/stream-token", a.Get("/v1/stream-token", fixture.All))
	record("health", "GET /healthz", a.Get("/healthz", ""))
	record("ready", "GET /readyz", a.Get("/readyz", ""))
	record("graphQL", "POST /graphql "+document, a.Send("POST", "/graphql", fixture.All, document, "Content-Type", "application/json"))
	byGet := "/graphql?query=%7BmarketStatus%7Bstate%7D%7D"
	record("graphQLByGet", "GET "+byGet, a.Get(byGet, fixture.All))

	if *update {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(recorded); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../rest/examples.json", text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("recorded; the next run compares")
	}
	shown := rest.Examples()
	for _, id := range slices.Sorted(maps.Keys(recorded)) {
		var was bytes.Buffer
		_ = json.Compact(&was, shown[id].Answer)
		if got := recorded[id]; shown[id].Request != got.Request || was.String() != string(got.Answer) {
			t.Errorf("%s: the example is\n%s %s\nand the answer\n%s %s\nIf that is meant: go test ./server -run TestExamples -update", id, shown[id].Request, was.String(), got.Request, got.Answer)
		}
	}
	if len(shown) != len(recorded) {
		t.Errorf("%d examples, %d recorded", len(shown), len(recorded))
	}
	for _, o := range fixture.DescribedOperations() {
		for media, content := range o.Responses["200"].Content {
			if media != rest.JSON || o.ID == "openAPI" || o.ID == "asyncAPI" {
				continue
			}
			if e := content.Examples["recorded"]; e.Summary == "" || len(e.Value) < 10 {
				t.Errorf("%s %s has no example", o.Method, o.Path)
			}
		}
	}
}
