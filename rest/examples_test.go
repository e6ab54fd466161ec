package rest_test

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

	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

var update = flag.Bool("update", false, "record the answers that the OpenAPI document shows")

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

// made replaces what is random in each webhook, and each store.
func made(text string) string {
	for of, with := range map[string]string{
		`wh_\w{26}`: "wh_lsvpy3k5wcp6dq7h2gt4mrxn5e", `whsec_[^"]{44}`: "whsec_8OqQ3mOPlQFXd4cZ1t5WfTzCk7vGhYbNeRuA2xJ0LsI=",
		`"position":"\w+:`: `"position":"5l4b5uyb6saso:`,
	} {
		text = regexp.MustCompile(of).ReplaceAllString(text, with)
	}
	return text
}

// Every operation that answers with JSON shows an answer of it, and a server
// still gives that answer. With -update the answers are recorded.
func TestExamples(t *testing.T) {
	a := fixture.New(t)
	const document = `{"query": "{ quote(id: \"bist:DMOST\") { instrumentId last currency asOf } }"}`
	const hook = `{"url":"https://example.com/hook","topics":["type:ODA","symbol:DMOST"]}`
	recorded := map[string]rest.Example{}
	record := func(id, request string, res fixture.Answer) {
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %d %s", id, request, res.StatusCode, res.Text)
		}
		recorded[id] = rest.Example{Request: request,
			Answer: json.RawMessage(bytes.TrimSpace([]byte(fixture.WithAllLeft(made(res.Text), "23999400"))))}
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
		asked := a
		if route.Counterpart == "usage" { // which tells of all that was asked before
			asked = fixture.New(t)
			asked.Get("/v1/quotes/bist:DMOST", fixture.All)
		}
		if route.Counterpart == "webhooks" {
			res := a.Send("POST", path, fixture.All, hook, "Content-Type", "application/json")
			record("registerWebhook", "POST /v1/webhooks "+hook, res)
		}
		record(route.Counterpart, "GET "+path, asked.Get(path, fixture.All))
		if route.Columns != nil {
			e := recorded[route.Counterpart]
			lines := strings.SplitAfterN(asked.Send("GET", path, fixture.All, "", "Accept", rest.CSV).Text, "\n", 4)
			e.CSV = strings.Join(lines[:min(3, len(lines))], "")
			recorded[route.Counterpart] = e
		}
	}
	record("streamToken", "GET /v1/stream-token", a.Get("/v1/stream-token", fixture.All))
	const link = `{"address":"/v1/eod/bist:DMOST?from=2026-03-16&dialect=excel-tr","days":90}`
	record("makeLink", "POST /v1/links "+link, a.Send("POST", "/v1/links", fixture.All, link, "Content-Type", "application/json"))
	id := a.Send("POST", "/v1/webhooks", fixture.All, hook).JSON["webhook"].(map[string]any)["id"].(string)
	record("deleteWebhook", "DELETE /v1/webhooks/"+made(id), a.Send("DELETE", "/v1/webhooks/"+id, fixture.All, ""))
	record("health", "GET /healthz", a.Get("/healthz", ""))
	record("ready", "GET /readyz", a.Get("/readyz", ""))
	record("graphQL", "POST /graphql "+document, a.Send("POST", "/graphql", fixture.All, document, "Content-Type", "application/json"))
	byGet := "/graphql?query=%7BmarketStatus%7Bstate%7D%7D"
	record("graphQLByGet", "GET "+byGet, a.Get(byGet, fixture.All))
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_instruments","arguments":{"query":"otomotiv"}}}`
	record("agentTools", "POST /mcp "+call, a.Send("POST", "/mcp", fixture.All, call, "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream"))

	if *update {
		if os.Getenv("CI") != "" { // where the recorded answers are compared
			t.Fatal("-update records examples; CI compares them")
		}
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		need.NoError(t, e.Encode(recorded))
		need.NoError(t, os.WriteFile("examples.json", text.Bytes(), 0o644))
		t.Skip("recorded; the next run compares")
	}
	shown := rest.Examples()
	for _, id := range slices.Sorted(maps.Keys(recorded)) {
		var was bytes.Buffer
		_ = json.Compact(&was, shown[id].Answer)
		if got := recorded[id]; shown[id].Request != got.Request || was.String() != string(got.Answer) || shown[id].CSV != got.CSV {
			t.Errorf("%s: the example is\n%s %s %s\nand the answer\n%s %s %s\nIf that is meant: go test ./rest -run TestExamples -update",
				id, shown[id].Request, was.String(), shown[id].CSV, got.Request, got.Answer, got.CSV)
		}
	}
	if len(shown) != len(recorded) {
		t.Errorf("%d examples, %d recorded", len(shown), len(recorded))
	}
	for _, o := range fixture.DescribedOperations() {
		for media, content := range o.Responses["200"].Content {
			if media != rest.JSON && media != rest.CSV || o.ID == "bulk" || o.ID == "openAPI" || o.ID == "openAPI30" || o.ID == "asyncAPI" {
				continue
			}
			if e := content.Examples["recorded"]; e.Summary == "" || len(e.Value) < 10 {
				t.Errorf("%s %s has no example", o.Method, o.Path)
			}
		}
	}
}
