package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/account/access"
	"piyasa/serve/document"
	"piyasa/serve/graphqlhttp"
	"piyasa/serve/mcp"
	"piyasa/serve/server"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// keyed adds the key to the requests of a client.
type keyed struct{ header, value string }

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(k.header, k.value)
	return http.DefaultTransport.RoundTrip(r)
}

// The official client finds few tools, which it may keep, and calls one, in every version
// of the protocol.
func TestOfficialClient(t *testing.T) {
	a := fixture.New(t)
	listening := httptest.NewServer(a)
	t.Cleanup(listening.Close)
	for _, key := range []keyed{{"X-API-Key", fixture.All}, {"Authorization", "Bearer " + fixture.All}} {
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: listening.URL + mcp.Path, HTTPClient: &http.Client{Transport: key},
				DisableStandaloneSSE: true}, nil)
		need.NoError(t, err)
		listed, err := session.ListTools(t.Context(), nil)
		need.NoError(t, err)
		text, err := json.Marshal(listed.Tools)
		need.NoError(t, err)
		if n := mcp.Tokens(text); len(listed.Tools) != 6 || n >= 2_000 {
			t.Errorf("%d tools of %d tokens", len(listed.Tools), n)
		}
		answer, err := session.CallTool(t.Context(),
			&sdk.CallToolParams{Name: "search_instruments", Arguments: map[string]any{"query": "OTOMOTIV"}})
		if err != nil || answer.IsError || !strings.Contains(answer.Content[0].(*sdk.TextContent).Text, "bist:DMOST") {
			t.Errorf("%v %v", answer, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, version := range sdk.SupportedProtocolVersions() {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` +
			version +
			`","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		res := send(t, a, fixture.All, message, "Mcp-Protocol-Version", version, "Mcp-Method", "tools/list")
		if res.Code != 200 || !strings.Contains(res.Body.String(), `"ttlMs":3600000`) {
			t.Errorf("%s: %d %.300s", version, res.Code, res.Body)
		}
	}
}

// A call is admitted, paid for and metered as any request is.
func TestCallsPayAsOthers(t *testing.T) {
	a := fixture.New(t)
	const series = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"series","arguments":{"ids":["bist:DMOST"]}}}`
	if res := send(t, a, "", series); res.Code != 401 || !strings.Contains(res.Body.String(), "Bearer") {
		t.Errorf("without a key: %d %s", res.Code, res.Body)
	}
	res := send(t, a, fixture.None, series)
	for _, want := range []string{`"isError":true`, "missing-scope", "missing_scopes", "history"} {
		if res.Code != 200 || !strings.Contains(res.Body.String(), want) {
			t.Errorf("without the scope: %d %s", res.Code, res.Body)
		}
	}
	if res := send(t, a, fixture.All, series); res.Code != 200 || !strings.Contains(res.Body.String(), `"usage_units":2`) ||
		res.Header().Get("X-Ratelimit-Limit") == "" {
		t.Errorf("%d %v %s", res.Code, res.Header(), res.Body)
	}
	if used := a.Get("/v1/usage", fixture.All).Text; !strings.Contains(used, "/graphql:watchlist") {
		t.Errorf("nothing is metered: %s", used)
	}

	tight := fixture.Key("piyasa_live_tight", access.Scopes...)
	tight.Plan = "tight"
	plans := access.ShippedPlans()
	plans["tight"] = access.Plan{Bucket: 2, RefillPerSec: 0.001, CostPerDocument: 3_000, Operations: 1}
	a.Services.Gate.SetPlans(plans)
	a.Keys(tight)
	if res := send(t, a, tight.ID, strings.Replace(series, `["bist:DMOST"]`, `["bist:DMOST"],"from":"2020-01-01"`, 1)); res.Code != 200 ||
		!strings.Contains(res.Body.String(), "exceeds the limit of 3000") {
		t.Errorf("too costly: %d %s", res.Code, res.Body)
	}
	send(t, a, tight.ID, series)
	if res := send(t, a, tight.ID, series); res.Code != 429 || res.Header().Get("Retry-After") == "" ||
		!strings.Contains(res.Body.String(), "rate-limited") {
		t.Errorf("a third request: %d %v %s", res.Code, res.Header(), res.Body)
	}
}

// Pages ask only from where they may, also if their name has been rebound to this machine.
func TestOrigins(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Origins = server.Origins{"https://app.example.com"} })
	plain := server.New(server.Config{Services: a.Services})
	for _, c := range []struct {
		to           http.Handler
		host, origin string
		want         int
	}{
		{a, "anything", "", 200},
		{a, "api.example.test", "https://api.example.test", 200},
		{a, "127.0.0.1:8080", "http://127.0.0.1:8080", 200},
		{a, "[::1]:8080", "http://[::1]:8080", 200},
		{a, "localhost:8080", "http://localhost:8080", 200},
		{a, "api.example.test", "https://app.example.com", 200},
		{a, "api.example.test", "https://evil.example.com", 403},
		{a, "evil.example.com", "http://evil.example.com", 403},
		{a, "api.example.test", "null", 403},
		{plain, "api.example.test", "https://app.example.com", 403},
		{plain, "127.0.0.1:8080", "http://127.0.0.1:8080", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", strings.NewReader(ping))
		r.Host = c.host
		for name, value := range map[string]string{"Content-Type": "application/json", "X-API-Key": fixture.All, "Origin": c.origin} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		c.to.ServeHTTP(w, r)
		if w.Code != c.want || c.want == 403 && !strings.Contains(w.Body.String(), "origin-not-allowed") {
			t.Errorf("%s at %s: %d %s", c.origin, c.host, w.Code, w.Body)
		}
	}
}

// What is no message is refused, whatever its size.
func TestMessages(t *testing.T) {
	a := fixture.New(t)
	for what, c := range map[string]struct {
		message string
		want    int
		says    string
	}{
		"a batch":     {` [{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "batches are not read"},
		"no JSON":     {`{`, 400, "JSON object"},
		"nothing":     {``, 400, "JSON object"},
		"two members": {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, "each member once"},
		"arguments":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"graphql","arguments":{"variables":{"a":1,"a":2}}}}`, 400, "each member once"},
		"half a pair": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}`, 400, "UTF-8"},
		"too long": {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 300_000) + `"}}`, 413,
			"262144 bytes"},
		"other tools": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, 200, "rm"},
	} {
		if res := send(t, a, fixture.All, c.message); res.Code != c.want || !strings.Contains(res.Body.String(), c.says) {
			t.Errorf("%s: %d %s", what, res.Code, res.Body)
		}
	}
	if res := a.Get("/mcp", fixture.All); res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", res.StatusCode, res.Header)
	}
	if res := send(t, a, fixture.All, "\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`); res.Code != 200 {
		t.Errorf("with a mark at its beginning: %d %s", res.Code, res.Body)
	}
	if res := send(t, a, fixture.All, fixture.Gzip(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), "Content-Encoding", "gzip"); res.Code != 200 {
		t.Errorf("packed: %d %s", res.Code, res.Body)
	}
	if res := send(t, a, fixture.All, "x", "Content-Encoding", "br"); res.Code != 415 ||
		!strings.Contains(res.Body.String(), "content encoding") {
		t.Errorf("packed: %d %s", res.Code, res.Body)
	}
	if res := send(t, a, fixture.All, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Accept", "text/html"); res.Code != 400 {
		t.Errorf("a client that reads HTML: %d %s", res.Code, res.Body)
	}
}

// The id of a message comes back as it was sent, whatever a float64 would make of it.
func TestIDs(t *testing.T) {
	a := fixture.New(t)
	for _, id := range []string{
		"9007199254740993", "-9223372036854775809", "18446744073709551616", "1.5", "1e2", "0", "-7", "999999999999999",
		`"9007199254740993"`, `"é\"n"`,
	} {
		for _, accept := range []string{"application/json", "text/event-stream"} {
			for _, method := range []string{
				`"ping"`, `"tools/call","params":{"name":"coverage","arguments":{}}`, `"tools/call","params":{"name":"rm"}`,
			} {
				res := send(t, a, fixture.All, `{"jsonrpc":"2.0","id":`+id+`,"method":`+method+`}`, "Accept", accept)
				if !strings.Contains(res.Body.String(), `{"jsonrpc":"2.0","id":`+id+`,`) {
					t.Errorf("%s of %s: %d %.300s", id, method, res.Code, res.Body)
				}
			}
		}
	}
}

// A client that takes only one of JSON and events gets it.
func TestMediaOfAnswers(t *testing.T) {
	a := fixture.New(t)
	for accept, want := range map[string]string{
		"": "application/json", "application/json": "application/json", "application/json, text/event-stream": "application/json",
		"text/event-stream": "text/event-stream",
	} {
		res := send(t, a, fixture.All, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Accept", accept)
		if res.Code != 200 || !strings.HasPrefix(res.Header().Get("Content-Type"), want) || !strings.Contains(res.Body.String(), `"id":1`) {
			t.Errorf("%q: %d %s %s", accept, res.Code, res.Header().Get("Content-Type"), res.Body)
		}
	}
}

// What is wrong with arguments is said, with what is allowed; what models confuse is not
// wrong.
func TestArguments(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct {
		tool, arguments string
		says            []string
	}{
		{"search_instruments", `{}`, []string{"query is required"}},
		{"search_instruments", `{"query":"x","markt":"bist"}`, []string{"unknown-parameter", "markt", "query, market, limit"}},
		{"search_instruments", `{"query":"x","market":"nyse"}`, []string{"bist, crypto, fx"}},
		{"search_instruments", `{"query":"x","limit":500}`, []string{"from 1 to 50", "500"}},
		{"search_instruments", `{"query":"x","limit":2.5}`, []string{"whole number", "2.5"}},
		{"search_instruments", `{"query":"x","limit":1e99}`, []string{"whole number", "1e99"}},
		{"search_instruments", `{"query":"x","limit":1e999999999}`, []string{"whole number", "1e999999999"}},
		{"search_instruments", `{"query":"x","limit":2.00000000000000000000001}`, []string{"whole number", "2.00000000000000000000001"}},
		{"search_instruments", `{"query":{"a":1}}`, []string{"query must be text"}},
		{"series", `{"ids":["a","b","c","d","e","f","g","h","i","j","k"]}`, []string{"at most 10", "too-many-values"}},
		{"series", `{"ids":["bist:DMOST"],"columns":["vwap"]}`, []string{"open, high, low, close"}},
		{"series", `{"ids":["bist:DMOST"],"from":"yesterday"}`, []string{"from", "yesterday"}},
		{"series", `{"ids":["crypto:1"],"resolution":"5m"}`, []string{"unsupported-resolution", "2h, 1d, 1w or 1mo"}},
		{"graphql", `{"query":"{ quote(id: \"bist:DMOST\") { price } }"}`, []string{"price", "Quote"}},
		{"graphql", `{"query":"subscription { quoteStream(ids: [\"bist:DMOST\"]) { __typename } }"}`,
			[]string{"subscription is not answered here"}},
		{"graphql", `{"query":"{ quote(id: \"bist:NOPE\") { last } }"}`, []string{"bist:NOPE", "not-found"}},
		{"disclosures", `{"index":1,"symbols":["DMOST"]}`, []string{"conflicting-parameters"}},
		{"disclosures", `{"cursor":"x"}`, []string{"invalid-cursor"}},
		{"coverage", `[]`, []string{"JSON object"}},
	} {
		got := call(t, a, c.tool, json.RawMessage(c.arguments))
		for _, want := range c.says {
			if !strings.Contains(got.text, want) || !got.wrong && c.tool != "graphql" {
				t.Errorf("%s %s: %v %s, which does not say %q", c.tool, c.arguments, got.wrong, got.text, want)
			}
		}
	}
	for tool, arguments := range map[string]string{
		"search_instruments": `{"query":"otomotiv","limit":"3","market":"BIST"}`,
		"disclosures":        `{"limit":2.0}`,
		"series":             `{"ids":"bist:DMOST, bist:DMBNK","columns":"Close","currency":"usd"}`,
		"graphql":            `{"query":"query ($id: ID!) { quote(id: $id) { last } }","variables":"{\"id\":\"bist:DMOST\"}"}`,
		"coverage":           `null`,
	} {
		if got := call(t, a, tool, json.RawMessage(arguments)); got.wrong {
			t.Errorf("%s %s: %s", tool, arguments, got.text)
		}
	}
}

// A list of documents bounds what agents may ask, and not what the tools ask themselves.
func TestOnlyListedDocuments(t *testing.T) {
	files, err := document.ReadFiles(fstest.MapFS{"manifest.json": {Data: []byte(`{"known": "query Known { marketStatus { state } }"}`)}})
	need.NoError(t, err)
	list, err := graphqlhttp.ListOf(files)
	need.NoError(t, err)
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Documents = func() *document.List { return list } })
	if got := call(t, a, "graphql", map[string]string{"query": `{ marketStatus { isOpen } }`}); !got.wrong ||
		!strings.Contains(got.text, "PERSISTED_DOCUMENT_REQUIRED") {
		t.Errorf("another document: %s", got.text)
	}
	if got := call(t, a, "coverage", nil); got.wrong {
		t.Errorf("a tool: %s", got.text)
	}
}

// A call that ends with its request leaves nothing running.
func TestCancelled(t *testing.T) {
	a := fixture.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		r := httptest.NewRequestWithContext(ctx, "POST", "/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"series","arguments":{"ids":["bist:DMOST"]}}}`))
		for name, value := range map[string]string{"Content-Type": "application/json", "X-API-Key": fixture.All,
			"Mcp-Protocol-Version": version} {
			r.Header.Set(name, value)
		}
		a.ServeHTTP(httptest.NewRecorder(), r)
	}
}

func FuzzCall(f *testing.F) {
	a := fixture.New(f)
	a.Keys(fixture.Unlimited())
	for i, arguments := range []string{`{"query":"x"}`, `{"ids":["bist:DMOST"],"from":"2026-01-01"}`, `{"index":1}`,
		`{"query":"{__typename}","variables":{"a":1e400}}`, `{"query":"\u0000"}`, `{"symbols":"a,,b","limit":"1"}`} {
		f.Add(uint8(i), arguments)
	}
	tools := []string{"search_instruments", "series", "disclosures", "graphql", "search_schema", "coverage"}
	f.Fuzz(func(t *testing.T, tool uint8, arguments string) {
		if !jsontext.Value(arguments).IsValid() { // such as one that has a member twice
			return
		}
		got := call(t, a, tools[int(tool)%len(tools)], json.RawMessage(arguments))
		if got.text == "" || strings.Contains(got.text, "problems/internal") {
			t.Errorf("%s %s: %s", tools[int(tool)%len(tools)], arguments, fmt.Sprint(got))
		}
	})
}
