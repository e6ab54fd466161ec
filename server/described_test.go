package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"piyasa/problem"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/server"
)

var update = flag.Bool("update", false, "record the answers that the OpenAPI document shows")

// describedOperation is an operation as the OpenAPI document has it.
type describedOperation struct {
	method, path string
	ID           string `json:"operationId"`
	Tags         []string
	Summary      string
	Deprecated   bool
	Responses    map[string]struct {
		Description string
		Content     map[string]struct {
			Examples map[string]struct {
				Summary string
				Value   json.RawMessage
			}
		}
	}
}

// describedOperations are all of them.
var describedOperations = sync.OnceValue(func() (all []describedOperation) {
	var doc struct {
		Paths map[string]map[string]describedOperation
	}
	if err := json.Unmarshal(rest.OpenAPI(rest.Routes(&resolvers.Root{}), baseURL, "test"), &doc); err != nil {
		panic(err)
	}
	for path, item := range doc.Paths {
		for method, o := range item {
			o.method, o.path = strings.ToUpper(method), path
			all = append(all, o)
		}
	}
	// Fixed words win over wildcards.
	slices.SortFunc(all, func(a, b describedOperation) int { return strings.Count(a.path, "{") - strings.Count(b.path, "{") })
	return all
})

// operationAt is the operation that a request asks, or nil.
func operationAt(method, path string) *describedOperation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	parts := strings.Split(path, "/")
	for i, o := range describedOperations() {
		if fits := slices.EqualFunc(strings.Split(o.path, "/"), parts, func(of, part string) bool {
			return of == part || (strings.HasPrefix(of, "{") && part != "")
		}); fits && o.method == method {
			return &describedOperations()[i]
		}
	}
	return nil
}

// wantDescribed checks that an answer is one that the OpenAPI document says can
// come, whatever the test is about.
func (res answer) wantDescribed(t testing.TB, method, path string) {
	t.Helper()
	o := operationAt(method, path)
	if o == nil {
		return
	}
	response, ok := o.Responses[fmt.Sprint(res.StatusCode)]
	if !ok {
		t.Errorf("%s %s: %d is not described: %.300s", o.method, o.path, res.StatusCode, res.text)
		return
	}
	if kind, isProblem := strings.CutPrefix(fmt.Sprint(res.body["type"]), baseURL+"/problems/"); isProblem && !strings.Contains(response.Description, kind) {
		t.Errorf("%s %s: the problem %s is not described: %.300s", o.method, o.path, kind, res.text)
	}
}

// What is described is served, and what is served is described.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	a := newAPI(t)
	paths, ids := map[string]bool{}, map[string]bool{}
	for _, o := range describedOperations() {
		paths[o.path] = true
		if ids[o.ID] || o.ID == "" || len(o.Tags) != 1 || o.Summary == "" || o.Deprecated != strings.HasSuffix(o.ID, "Formerly") {
			t.Errorf("%s %s: id %q, tags %q, summary %q, deprecated %v", o.method, o.path, o.ID, o.Tags, o.Summary, o.Deprecated)
		}
		ids[o.ID] = true
		path := strings.NewReplacer("{", "", "}", "").Replace(o.path)
		if res := a.send(o.method, path, all, ""); res.StatusCode == http.StatusMethodNotAllowed || strings.Contains(res.text, "There is nothing at this path") && o.ID != "problem" && o.ID != "attachment" && o.ID != "ipoDocument" {
			t.Errorf("%s %s is described and answers %d %.200s", o.method, o.path, res.StatusCode, res.text)
		}
	}
	served := server.Patterns(a.Handler)
	for _, route := range rest.Routes(&resolvers.Root{}) {
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
	a := newAPI(t)
	wild := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, route := range rest.Routes(&resolvers.Root{}) {
		path := wild.ReplaceAllString(route.Pattern, "crypto:ONE") + "?ids=crypto:ONE"
		comes := strings.Contains(a.get(path, all).text, "/problems/ambiguous-ticker")
		if described := slices.Contains(route.Problems(), problem.AmbiguousTicker); described != comes {
			t.Errorf("%s: described %v, comes %v", path, described, comes)
		}
	}
}

// shorter asks for less where the first of twins is long.
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
	a := newAPI(t)
	const document = `{"query": "{ quote(id: \"bist:DMOST\") { instrumentId last currency asOf } }"}`
	recorded := map[string]rest.Example{}
	record := func(id, request string, res answer) {
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %d %s", id, request, res.StatusCode, res.text)
		}
		recorded[id] = rest.Example{Request: request, Answer: json.RawMessage(bytes.TrimSpace([]byte(res.text)))}
	}
	for _, route := range rest.Routes(&resolvers.Root{}) {
		if !slices.Contains(route.Media, rest.JSON) {
			continue
		}
		path := shorter[route.Pattern]
		for _, twin := range twins {
			if path == "" && twin.pattern == route.Pattern {
				path = twin.path
			}
		}
		record(route.Counterpart, "GET "+path, a.get(path, all))
	}
	record("streamToken", "GET /v1/stream-token", a.get("/v1/stream-token", all))
	record("health", "GET /healthz", a.get("/healthz", ""))
	record("ready", "GET /readyz", a.get("/readyz", ""))
	record("graphQL", "POST /graphql "+document, a.send("POST", "/graphql", all, document, "Content-Type", "application/json"))
	byGet := "/graphql?query=%7BmarketStatus%7Bstate%7D%7D"
	record("graphQLByGet", "GET "+byGet, a.get(byGet, all))

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
	for _, o := range describedOperations() {
		for media, content := range o.Responses["200"].Content {
			if media != rest.JSON || o.ID == "openAPI" || o.ID == "asyncAPI" {
				continue
			}
			if e := content.Examples["recorded"]; e.Summary == "" || len(e.Value) < 10 {
				t.Errorf("%s %s has no example", o.method, o.path)
			}
		}
	}
}
