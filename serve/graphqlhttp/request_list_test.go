package graphqlhttp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"piyasa/serve/document"
	"piyasa/serve/graphqlhttp"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// listOf returns a list of documents by id.
func listOf(t *testing.T, byID map[string]string) *document.List {
	t.Helper()
	manifest, err := json.Marshal(byID)
	need.NoError(t, err)
	files, err := document.ReadFiles(fstest.MapFS{"manifest.json": {Data: manifest}})
	need.NoError(t, err)
	list, err := graphqlhttp.ListOf(files)
	need.NoError(t, err)
	return list
}

// running returns a change that lets a server run only the documents of list.
func running(list *atomic.Pointer[document.List]) func(*server.Config) {
	return func(c *server.Config) { c.Documents = list.Load }
}

// newListing starts a server that runs only these documents.
func newListing(t *testing.T, byID map[string]string) (*fixture.Server, *atomic.Pointer[document.List]) {
	t.Helper()
	list := new(atomic.Pointer[document.List])
	list.Store(listOf(t, byID))
	return fixture.New(t, func(s *fixture.Setup) { running(list)(&s.Config) }), list
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// hashed returns the extensions of APQ with a hash.
func hashed(hash string) map[string]any {
	return map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}
}

const (
	priceOf = "query Price($id: ID!) { quote(id: $id) { last } } query Status { marketStatus { state } }"
	open    = `{"marketStatus":{"state":"open"}}`
)

var allowed = map[string]string{
	"status": question, "prices": forQuotes, "price": priceOf, "kap": fixture.Follow(""),
}

// The ways to name a document, and what each is answered, over GET and POST alike.
func TestDocumentIDs(t *testing.T) {
	listing, _ := newListing(t, allowed)
	free := fixture.New(t)
	long := strings.Repeat("q", 10_000)
	type members = map[string]any
	for name, c := range map[string]struct {
		on   *fixture.Server
		ask  members
		data string // else the error with code, whose message has mention
		code string
		says string
	}{
		"id":                  {listing, members{"documentId": "status"}, open, "", ""},
		"id and null":         {listing, members{"documentId": "status", "query": nil}, open, "", ""},
		"id and no text":      {listing, members{"documentId": "status", "query": ""}, open, "", ""},
		"sum":                 {listing, members{"documentId": sum(question)}, open, "", ""},
		"sum with its prefix": {listing, members{"documentId": "sha256:" + sum(question)}, open, "", ""},
		"operation and variables": {listing, members{"documentId": "price", "operationName": "Price",
			"variables": members{"id": "bist:DMOST"}}, `{"quote":{"last":"305.25"}}`, "", ""},
		"no operation named": {listing, members{"documentId": "price"}, "", "GRAPHQL_VALIDATION_FAILED", "operation"},
		"unknown id":         {listing, members{"documentId": "nope"}, "", "PERSISTED_DOCUMENT_NOT_FOUND", `"nope"`},
		"empty id":           {listing, members{"documentId": ""}, "", "PERSISTED_DOCUMENT_NOT_FOUND", `""`},
		"id in capitals":     {listing, members{"documentId": "STATUS"}, "", "PERSISTED_DOCUMENT_NOT_FOUND", "STATUS"},
		"long id":            {listing, members{"documentId": long}, "", "PERSISTED_DOCUMENT_NOT_FOUND", "qqq"},
		"id and text":        {listing, members{"documentId": "status", "query": question}, "", "CONFLICTING_PARAMETERS", "once"},
		"id and hash": {listing, members{"documentId": "status", "extensions": hashed(sum(question))}, "",
			"CONFLICTING_PARAMETERS", "once"},
		"text": {listing, members{"query": question}, open, "", ""},
		"another text": {listing, members{"query": question + " "}, "", "PERSISTED_DOCUMENT_REQUIRED",
			"only the documents in its list"},
		"a broken text": {listing, members{"query": "{"}, "", "PERSISTED_DOCUMENT_REQUIRED", "only the documents in its list"},
		"no text":       {listing, members{"query": ""}, "", "PERSISTED_DOCUMENT_REQUIRED", "only the documents in its list"},
		"introspection": {listing, members{"query": introspectionQuery}, "", "PERSISTED_DOCUMENT_REQUIRED",
			"only the documents in its list"},
		"hash":       {listing, members{"extensions": hashed(sum(question))}, open, "", ""},
		"id as hash": {listing, members{"extensions": hashed("status")}, open, "", ""},
		"unknown hash": {listing, members{"extensions": hashed(sum("{__typename}"))}, "", "PERSISTED_QUERY_NOT_IN_LIST",
			"cannot be registered"},
		"text with its hash": {listing, members{"query": question, "extensions": hashed(sum(question))}, open, "", ""},
		"text with another hash": {listing, members{"query": question, "extensions": hashed(sum("{__typename}"))}, "",
			"GRAPHQL_VALIDATION_FAILED", "does not match"},
		"another text to register": {listing, members{"query": "{__typename}", "extensions": hashed(sum("{__typename}"))}, "",
			"PERSISTED_DOCUMENT_REQUIRED", "only the documents in its list"},
		"a member in other letters": {listing, members{"extensions": members{"persistedQuery": members{"version": 1, "SHA256HASH": "00"}}},
			"", "INVALID_PARAMETER", "SHA256HASH"},
		"another version of hashes": {listing, members{"extensions": members{"persistedQuery": members{"version": 2}}}, "",
			"GRAPHQL_VALIDATION_FAILED", "version"},
		"no list":              {free, members{"documentId": "status"}, "", "PERSISTED_DOCUMENTS_NOT_SUPPORTED", "no list of documents"},
		"no list, id and text": {free, members{"documentId": "status", "query": question}, "", "CONFLICTING_PARAMETERS", "once"},
		"no list, text":        {free, members{"query": question}, open, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			body, query := line(t, c.ask), url.Values{}
			for name, value := range c.ask {
				switch v := value.(type) {
				case nil:
				case string:
					query.Set(name, v)
				default:
					query.Set(name, line(t, v))
				}
			}
			const next = "application/graphql-response+json"
			for how, res := range map[string]fixture.Answer{
				"POST": c.on.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json", "Accept", next),
				"GET":  c.on.Send("GET", "/graphql?"+query.Encode(), fixture.All, "", "Accept", next),
			} {
				if c.data != "" {
					if res.StatusCode != 200 || !strings.HasPrefix(res.Text, `{"data":`+c.data) {
						t.Errorf("%s: %d %s, want %s", how, res.StatusCode, res.Text, c.data)
					}
					continue
				}
				errs := fixture.ErrorsOf(res)
				if _, has := res.JSON["data"]; res.StatusCode != 400 || has || len(errs) != 1 || fixture.CodeOf(errs[0]) != c.code ||
					!strings.Contains(fmt.Sprint(errs[0]["message"]), c.says) {
					t.Errorf("%s: %d %s, want 400 %s with %q", how, res.StatusCode, res.Text, c.code, c.says)
				}
				if len(res.Text) > 500 {
					t.Errorf("%s: an answer of %d bytes", how, len(res.Text))
				}
			}
			if c.code != "" { // clients that know only JSON read a 200
				if res := c.on.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json"); res.StatusCode != 200 ||
					codeOf(res) != c.code {
					t.Errorf("for application/json: %d %s", res.StatusCode, res.Text)
				}
			}
		})
	}
	for _, id := range []string{"1", "true", "[]", "{}"} {
		if res := listing.Send("POST", "/graphql", fixture.All, `{"documentId": `+id+`}`, "Content-Type",
			"application/json"); res.StatusCode != 400 || !strings.Contains(res.Text, `\"documentId\" (strings)`) {
			t.Errorf("the id %s: %d %s", id, res.StatusCode, res.Text)
		}
	}
	if res := listing.Get("/graphql?documentId=prices", fixture.All); res.StatusCode != 406 {
		t.Errorf("a subscription: %d %s", res.StatusCode, res.Text)
	}
	if res := listing.Get("/v1/quotes/bist:DMOST", fixture.All); res.StatusCode != 200 || res.JSON["last"] != "305.25" {
		t.Errorf("REST: %d %s", res.StatusCode, res.Text)
	}
}

// codeOf returns the code of an answer's first error, or nil.
func codeOf(res fixture.Answer) any {
	for _, e := range fixture.ErrorsOf(res) {
		return fixture.CodeOf(e)
	}
	return nil
}

func line(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	need.NoError(t, err)
	return string(text)
}

// Documents run by the ids that the tools of clients give them.
func TestIDsOfTools(t *testing.T) {
	files, err := document.ReadFiles(os.DirFS("../document/testdata/tools"))
	need.NoError(t, err)
	list, err := graphqlhttp.ListOf(files)
	need.NoError(t, err)
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Documents = func() *document.List { return list } })
	const apollo = "6690b542f730a076b863e725d0ff314c8a4e4a7e04af5ed54c74c3709da5a59a"
	for how, ask := range map[string]map[string]any{
		"GraphQL Code Generator":          {"documentId": "sha256:c28e846303a276d21ec823221b69739cdfef70c2fcfe255d109169de47197ba2"},
		"GraphQL Code Generator, by sha1": {"documentId": "f0d655659047c2ab435c993321d93bb5ac52808a"},
		"the same as the hash of APQ":     {"extensions": hashed("f0d655659047c2ab435c993321d93bb5ac52808a")},
		"Relay":                           {"documentId": "c38d241ab6b9d2cd6669feb62e5af79c"},
		"Apollo":                          {"extensions": hashed(apollo)},
	} {
		ask["variables"] = map[string]any{"ids": []string{"bist:DMOST"}}
		res := a.Send("POST", "/graphql", fixture.All, line(t, ask), "Content-Type", "application/json")
		if res.StatusCode != 200 || res.JSON["errors"] != nil || !strings.Contains(res.Text, `"instrumentId":"bist:DMOST"`) {
			t.Errorf("%s: %d %s", how, res.StatusCode, res.Text)
		}
	}
}

// What was registered by its hash elsewhere is no document of the list.
func TestNothingIsRegisteredBesideAList(t *testing.T) {
	a, list := newListing(t, allowed)
	const other = "{ __typename }"
	ask := func(members map[string]any) fixture.Answer {
		return a.Send("POST", "/graphql", fixture.All, line(t, members), "Content-Type", "application/json")
	}
	ask(map[string]any{"query": other, "extensions": hashed(sum(other))})
	for range 2 {
		if res := ask(map[string]any{"extensions": hashed(sum(other))}); codeOf(res) != "PERSISTED_QUERY_NOT_IN_LIST" {
			t.Error(res.Text)
		}
	}
	list.Store(listOf(t, map[string]string{"other": other}))
	if res := ask(map[string]any{"extensions": hashed(sum(other))}); res.JSON["data"] == nil {
		t.Error(res.Text)
	}
}

// Once the list has changed, no answer to what it does not have any more is given again,
// and none to another document that had the id.
func TestKeptAnswersEndWithTheirList(t *testing.T) {
	const status, named = "query S { marketStatus { state } }", "query S { s: marketStatus { state } }"
	a, list := newListing(t, map[string]string{"s": status})
	fixture.Apply(t, a.Services) // nothing is given again before
	a.Keys(fixture.Unlimited())
	get := func(tag string) fixture.Answer {
		return a.Send("GET", "/graphql?documentId=s", fixture.All, "", "If-None-Match", tag)
	}
	post := func(members map[string]any) fixture.Answer {
		return a.Send("POST", "/graphql", fixture.All, line(t, members), "Content-Type", "application/json", "Accept",
			"application/graphql-response+json")
	}
	fromMemory := func() string {
		w := httptest.NewRecorder()
		a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
		for l := range strings.Lines(w.Body.String()) {
			if strings.Contains(l, `by="memory"`) {
				return strings.Fields(l)[1]
			}
		}
		return "0"
	}
	asks := []map[string]any{{"documentId": "s"}, {"query": status}, {"extensions": hashed(sum(status))}}
	tag := get("").Header.Get("ETag")
	for range 2 {
		for _, ask := range asks {
			if res := post(ask); res.StatusCode != 200 {
				t.Fatal(res.Text)
			}
		}
	}
	if res := get(tag); res.StatusCode != 304 || tag == "" {
		t.Fatalf("the tag %q: %d %s", tag, res.StatusCode, res.Text)
	}
	if n := fromMemory(); n != "4" {
		t.Fatalf("%s answers from memory, want 4", n)
	}

	list.Store(listOf(t, map[string]string{"s": named}))
	if res := get(tag); res.StatusCode != 200 || !strings.Contains(res.Text, `"s":`) {
		t.Errorf("the id has another document: %d %s", res.StatusCode, res.Text)
	}
	for i, code := range []any{nil, "PERSISTED_DOCUMENT_REQUIRED", "PERSISTED_QUERY_NOT_IN_LIST"} {
		if res := post(asks[i]); codeOf(res) != code || code == nil && !strings.Contains(res.Text, `"s":`) {
			t.Errorf("%v: %d %s", asks[i], res.StatusCode, res.Text)
		}
	}
	list.Store(listOf(t, map[string]string{"other": status}))
	if res := get(tag); codeOf(res) != "PERSISTED_DOCUMENT_NOT_FOUND" {
		t.Errorf("the id is gone: %d %s", res.StatusCode, res.Text)
	}
}

// Documents are named in the same way on a socket; what is refused ends its operation only.
func TestDocumentIDsOnSockets(t *testing.T) {
	list := new(atomic.Pointer[document.List])
	list.Store(listOf(t, allowed))
	b := fixture.NewBroadcast(t, running(list))
	c := b.Join(fixture.All)
	subscribe := func(id string, payload map[string]any) {
		t.Helper()
		c.Say(line(t, map[string]any{"type": "subscribe", "id": id, "payload": payload}))
	}
	subscribe("1", map[string]any{"documentId": "status"})
	const answer = ` {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`
	c.Hears("next 1"+answer, "complete 1")
	subscribe("2", map[string]any{"extensions": hashed(sum(question))})
	c.Hears("next 2"+answer, "complete 2")
	for id, refused := range map[string]struct {
		payload map[string]any
		code    string
	}{
		"a": {map[string]any{"documentId": "nope"}, "PERSISTED_DOCUMENT_NOT_FOUND"},
		"b": {map[string]any{"query": "{ __typename }"}, "PERSISTED_DOCUMENT_REQUIRED"},
		"c": {map[string]any{"extensions": hashed("nope")}, "PERSISTED_QUERY_NOT_IN_LIST"},
		"d": {map[string]any{"documentId": "status", "query": question}, "CONFLICTING_PARAMETERS"},
	} {
		subscribe(id, refused.payload)
		c.Hears("error " + id + " errors " + refused.code + ", data false")
	}
	subscribe("3", map[string]any{"documentId": "kap"})
	c.Hears("next 3 Subscribed")
	b.Publish(1)
	c.Hears("next 3 L1")

	list.Store(listOf(t, map[string]string{"status": question})) // what runs goes on
	b.Publish(2)
	c.Hears("next 3 L2")
	subscribe("4", map[string]any{"documentId": "kap"})
	c.Hears("error 4 errors PERSISTED_DOCUMENT_NOT_FOUND, data false")
	subscribe("5", map[string]any{"documentId": 1})
	c.Hears("close 4400 Invalid message: payload must be a GraphQL request with query or documentId (strings)")
}

// And for server-sent events, on streams of their own and reserved ones.
func TestDocumentIDsOfEvents(t *testing.T) {
	list := new(atomic.Pointer[document.List])
	list.Store(listOf(t, allowed))
	b := fixture.NewBroadcast(t, running(list))
	const answer = `{"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`
	for id, want := range map[string][]string{
		"status": {"retry 2000", answer, "complete", "end"},
		"nope":   {"retry 2000", "errors PERSISTED_DOCUMENT_NOT_FOUND, data false", "complete", "end"},
		"kap":    {"retry 2000", "Subscribed"},
	} {
		for _, l := range []*fixture.Listener{
			b.Request("GET", "/graphql?documentId="+id, "", "X-API-Key", fixture.All, "Accept", fixture.EventStream),
			b.Request("GET", "/graphql/stream?documentId="+id, "", "X-API-Key", fixture.All),
			b.Request("POST", "/graphql/stream", `{"documentId": "`+id+`"}`, "X-API-Key", fixture.All, "Content-Type", "application/json"),
		} {
			for _, w := range want {
				if got := fixture.WithoutCost(l.Hear()); got != w && !strings.HasPrefix(got, w+" #") {
					t.Errorf("%s: %q, want %q", id, got, w)
				}
			}
			_ = l.Body.Close()
		}
	}
	b.Listen("{ __typename }").Hears("retry 2000", "errors PERSISTED_DOCUMENT_REQUIRED, data false", "complete", "end")

	token := b.Reserve()
	l := b.Request("GET", "/graphql/stream?token="+token, "", "Accept", fixture.EventStream)
	l.Hears("retry 2000")
	for _, ask := range []url.Values{
		{"documentId": {"status"}, "extensions": {`{"operationId": "q"}`}},
		{"extensions": {`{"operationId": "q", "persistedQuery": {"version": 1, "sha256Hash": "` + sum(question) + `"}}`}},
	} {
		if res := b.Request("GET", "/graphql/stream?token="+token+"&"+ask.Encode(), ""); res.StatusCode != 202 {
			t.Fatalf("%d %s", res.StatusCode, res.Text())
		}
		l.Hears("q: "+answer, `complete {"id":"q"}`)
	}
	if res := b.Request("POST", "/graphql/stream?token="+token, `{"documentId": "nope", "extensions": {"operationId": "q"}}`,
		"Content-Type", "application/json"); res.StatusCode != 400 || !strings.Contains(res.Text(), "PERSISTED_DOCUMENT_NOT_FOUND") {
		t.Errorf("%d", res.StatusCode)
	}
}
