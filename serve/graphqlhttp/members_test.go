package graphqlhttp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piyasa/serve/graphqlhttp"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// The members of a request have exact names and stand once, wherever it comes by; so do those
// of its variables and extensions.
func TestMembersOfRequests(t *testing.T) {
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Batch = 10 })
	twice := []string{
		`{"query": "{ a: __typename }", "query": "{ b: __typename }"}`,
		`{"query": "query($n: Int) { instruments(limit: $n) { count } }", "variables": {"n": 1, "n": 2}}`,
		`{"query": "{ a: __typename }", "extensions": {"x": {"y": 1, "y": 2}}}`,
	}
	for _, body := range twice {
		if res := a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json"); res.StatusCode != 400 ||
			!strings.Contains(res.Text, "each member once") {
			t.Errorf("%s: %d %s", body, res.StatusCode, res.Text)
		}
		if got := array(a, "["+body+"]"); !strings.Contains(got, "each member once") {
			t.Errorf("[%s]: %s", body, got)
		}
		if wrong := graphqlhttp.Wrong(`{"type": "subscribe", "id": "1", "payload": ` + body + `}`); wrong == "" {
			t.Errorf("a socket takes %s", body)
		}
	}
	for _, address := range []string{"query={a:__typename}&query={b:__typename}", `query={__typename}&variables={"a":1,"a":2}`,
		"query={__typename}&variables={}&variables={}"} {
		if res := a.Get("/graphql?"+address, fixture.All); res.StatusCode != 400 {
			t.Errorf("%s: %d %s", address, res.StatusCode, res.Text)
		}
	}
	for body, want := range map[string]string{
		`{"query": "{ a: __typename }", "Query": "{ b: __typename }"}`:                                              `{"data":{"a":"Query"}`,
		`{"Query": "{ b: __typename }"}`:                                                                            "query is missing",
		`{"query": "query($n: Int) { instruments(limit: $n) { count } }", "Variables": {"n": 1}}`:                   `"data":`,
		`{"query": "query A { a: __typename } query B { b: __typename }", "OPERATIONNAME": "A"}`:                    "operation",
		`{"query": "query A { a: __typename } query B { b: __typename }", "operationName": "B", "operationname":1}`: `{"data":{"b":"Query"}`,
		"\ufeff" + `{"query": "{ a: __typename }"}`:                                                                 `{"data":{"a":"Query"}`,
	} {
		if res := a.Send("POST", "/graphql", fixture.All, body, "Content-Type",
			"application/json; charset=utf8"); !strings.Contains(res.Text, want) {
			t.Errorf("%s: %d %s, want %s", body, res.StatusCode, res.Text, want)
		}
	}
	if res := a.Get("/graphql?documentId=&query={__typename}", fixture.All); res.StatusCode != 200 || res.JSON["errors"] != nil {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
	for _, c := range []struct {
		encoding, body string
		status         int
		has            string
	}{
		{"gzip", fixture.Gzip(`{"query": "{ a: __typename }"}`), 200, `"a":"Query"`},
		{"GZIP", fixture.Gzip("\ufeff" + `{"query": "{ a: __typename }"}`), 200, `"a":"Query"`},
		{"identity", `{"query": "{ a: __typename }"}`, 200, `"a":"Query"`},
		{"gzip", `{"query": "{ a: __typename }"}`, 400, "one JSON object"},
		{"gzip", fixture.Gzip(`{"query": "{ a: __typename }"}`)[:30], 400, "one JSON object"},
		{"gzip", fixture.Gzip(`{"query": "` + strings.Repeat(" ", 300<<10) + `"}`), 413, "larger than 262144 bytes"},
		{"br", `{"query": "{ a: __typename }"}`, 415, "gzip or none"},
		{"gzip, gzip", fixture.Gzip(`{"query": "{ a: __typename }"}`), 415, "gzip or none"},
	} {
		res := a.Send("POST", "/graphql", fixture.All, c.body, "Content-Type", "application/json", "Content-Encoding", c.encoding)
		if res.StatusCode != c.status || !strings.Contains(res.Text, c.has) {
			t.Errorf("%s: %d %s", c.encoding, res.StatusCode, res.Text)
		}
		if allowed := res.Header.Get("Accept-Encoding"); (allowed == "gzip, identity") != (c.status == 415) {
			t.Errorf("%s: allowed are %q", c.encoding, allowed)
		}
	}
}

// Text that no store holds is refused and never replaced: half of a pair of surrogates, and
// bytes that are not UTF-8, in a document and in variables, over every transport.
func TestDamagedTextOfRequests(t *testing.T) {
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Batch = 10 })
	const echo = `query($q: String) { instruments(search: $q) { count } }`
	literal := func(text string) string { return `{ instruments(search: ` + text + `) { count } }` }
	for name, c := range map[string]struct{ body, says string }{
		"the first half":      {asJSON(t, literal(`"a\ud83d"`)), "half of a pair"},
		"the second half":     {asJSON(t, literal(`"\uDE00a"`)), "half of a pair"},
		"in the wrong order":  {asJSON(t, literal(`"\ude00\ud83d"`)), "half of a pair"},
		"behind a backslash":  {asJSON(t, literal(`"\\\ud83d"`)), "half of a pair"},
		"in a default":        {asJSON(t, `query($q: String = "\ud83d") { instruments(search: $q) { count } }`), "half of a pair"},
		"a variable":          {`{"query": "` + echo + `", "variables": {"q": "\ud83d"}}`, "JSON object"},
		"bytes in a document": {"{\"query\": \"{ instruments(search: \\\"\xff\\\") { count } }\"}", "JSON object"},
	} {
		for _, accept := range []string{"application/json", "text/event-stream"} {
			res := a.Send("POST", "/graphql", fixture.All, c.body, "Content-Type", "application/json", "Accept", accept)
			if !strings.Contains(res.Text, c.says) || strings.Contains(res.Text, "count") {
				t.Errorf("%s, %s: %d %s", name, accept, res.StatusCode, res.Text)
			}
		}
		if got := array(a, "["+c.body+"]"); !strings.Contains(got, c.says) {
			t.Errorf("[%s]: %s", name, got)
		}
		message := `{"type": "subscribe", "id": "1", "payload": ` + c.body + `}`
		if c.says == "JSON object" && graphqlhttp.Wrong(message) == "" {
			t.Errorf("a socket takes %s", name)
		}
	}
	for address, says := range map[string]string{
		`query={instruments(search:"%ff"){count}}`: "not UTF-8", `query={instruments(search:"\ud83d"){count}}`: "half of a pair",
		`query={__typename}&variables={"q":"\ud83d"}`: "variables must be",
	} {
		if res := a.Get("/graphql?"+strings.ReplaceAll(address, `\`, "%5C"), fixture.All); !strings.Contains(res.Text, says) {
			t.Errorf("%s: %d %s", address, res.StatusCode, res.Text)
		}
	}
	for _, whole := range []string{`"\ud83d\ude00"`, `"\u{1F600}"`, `"\\ud83d"`, `"""\ud83d"""`, `"�"`, `"\ufffd"`} {
		body := asJSON(t, "# \\ud83d é\n"+literal(whole))
		if res := a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json"); res.JSON["errors"] != nil {
			t.Errorf("%s: %d %s", whole, res.StatusCode, res.Text)
		}
	}
}

// asJSON is a request of a document.
func asJSON(t *testing.T, document string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	need.NoError(t, err)
	return string(body)
}

// An upgrade that is not offered is ignored.
func TestOtherUpgrades(t *testing.T) {
	a := fixture.New(t)
	for _, upgrade := range []string{"h2c", "TLS/1.0", "websocket"} {
		for _, res := range []fixture.Answer{
			a.Send("POST", "/graphql", fixture.All, `{"query": "{ __typename }"}`, "Content-Type", "application/json", "Upgrade", upgrade),
			a.Send("GET", "/graphql?query={__typename}", fixture.All, "", "Connection", "Upgrade, HTTP2-Settings", "Upgrade",
				strings.Replace(upgrade, "websocket", "h2c", 1), "HTTP2-Settings", "AAMAAABk"),
			a.Send("POST", "/graphql", fixture.All, `{"query": "{ __typename }"}`, "Content-Type", "application/json", "Accept",
				"text/event-stream", "Upgrade", upgrade),
		} {
			if res.StatusCode != 200 || !strings.Contains(res.Text, `{"data":{"__typename":"Query"}`) {
				t.Errorf("%s: %d %s", upgrade, res.StatusCode, res.Text)
			}
		}
	}
}

// A client that takes both gets an answer to a query and events of a subscription.
func TestSubscriptionsOfClientsThatTakeBoth(t *testing.T) {
	a := fixture.New(t)
	const query, stream = `{"query": "{ __typename }"}`, `{"query": "subscription { quoteStream(ids: []) { __typename } }"}`
	for _, accept := range []string{"application/json, text/event-stream", "text/event-stream;q=0.5, application/graphql-response+json",
		"application/json;q=0.1, */*, text/event-stream;q=0.1"} {
		if res := a.Send("POST", "/graphql", fixture.All, query, "Content-Type", "application/json", "Accept",
			accept); res.StatusCode != 200 || strings.Contains(res.Header.Get("Content-Type"), "event-stream") {
			t.Errorf("%s: %d %s %s", accept, res.StatusCode, res.Header.Get("Content-Type"), res.Text)
		}
		if res := a.Send("POST", "/graphql", fixture.All, stream, "Content-Type", "application/json", "Accept",
			accept); res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" ||
			!strings.Contains(res.Text, "event: complete") {
			t.Errorf("%s: %d %s %s", accept, res.StatusCode, res.Header.Get("Content-Type"), res.Text)
		}
	}
	for _, accept := range []string{"application/json", "*/*", "application/json, text/event-stream;q=0"} {
		if res := a.Send("POST", "/graphql", fixture.All, stream, "Content-Type", "application/json", "Accept",
			accept); res.StatusCode != 406 {
			t.Errorf("%s: %d %s", accept, res.StatusCode, res.Text)
		}
	}
}

// A refusal of a variable says what came.
func TestRefusalsOfVariablesSayWhatCame(t *testing.T) {
	a := fixture.New(t)
	for variables, want := range map[string]string{
		`{"n": 2.0}`: "$n must be a whole number of at most 32 bits, without a fraction or an exponent; got 2.0", `{"n": 1e2}`: "got 1e2",
		`{"n": "5"}`: `got \"5\"`,
	} {
		if res := ask(a, `query($n: Int) { instruments(limit: $n) { count } }`, variables); res.StatusCode != 400 ||
			!strings.Contains(res.Text, want) {
			t.Errorf("%s: %d %s", variables, res.StatusCode, res.Text)
		}
	}
	if res := ask(a, `query($ids: [ID!]!) { watchlist(ids: $ids) { symbol } }`,
		`{"ids": ["bist:DMOST", 1.5]}`); !strings.Contains(res.Text, "got 1.5") {
		t.Error(res.Text)
	}
}
