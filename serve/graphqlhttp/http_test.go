package graphqlhttp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

func TestMalformedRequests(t *testing.T) {
	a := fixture.New(t)
	for _, c := range []struct {
		method, body, contentType, accept string
		status                            int
	}{
		{"POST", "", "application/json", "", 400},
		{"POST", "{", "application/json", "", 400},
		{"POST", "[]", "application/json", "", 400},
		{"POST", "{}", "application/json", "", 400},
		{"POST", `{"query": 1}`, "application/json", "", 400},
		{"POST", `{"query": "{__typename}", "variables": []}`, "application/json", "", 400},
		{"POST", `{"query": "{__typename}"} {}`, "application/json", "", 400},
		{"POST", `{"query": "{__typename}"}`, "text/plain", "", 415},
		{"POST", `{"query": "{__typename}"}`, "application/json; charset=latin1", "", 415},
		{"POST", `{"query": "{__typename}"}`, "application/json", "text/html", 406},
		{"POST", `{"query": "` + strings.Repeat(" ", 300<<10) + `"}`, "application/json", "", 413},
		{"PUT", "", "", "", 405},
		{"GET", "", "", "", 400},
	} {
		res := a.Send(c.method, "/graphql", fixture.All, c.body, "Content-Type", c.contentType, "Accept", c.accept)
		if res.StatusCode != c.status {
			t.Errorf("%s %.40s %s %s: %d %s, want %d", c.method, c.body, c.contentType, c.accept, res.StatusCode, res.Text, c.status)
		}
	}
}

func TestNegotiation(t *testing.T) {
	a := fixture.New(t)
	const old, next = "application/json; charset=utf-8", "application/graphql-response+json; charset=utf-8"
	for accept, want := range map[string]string{
		"": old, "*/*": old, "application/*": old, "application/json": old, "application/graphql-response+json": next,
		"application/graphql-response+json, application/json":       next,
		"application/json, application/graphql-response+json":       next,
		"application/json, application/graphql-response+json;q=0.5": old,
		"application/json;q=0.1, application/graphql-response+json": next,
		"text/html, application/json;q=0.9":                         old,
	} {
		res := a.Send("POST", "/graphql", fixture.All, `{"query": "{ __typename }"}`, "Content-Type", "application/json", "Accept", accept)
		if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != want {
			t.Errorf("Accept %q: %d %s, want %s", accept, res.StatusCode, got, want)
		}
	}
}

func TestGetAndPersistedQueries(t *testing.T) {
	a := fixture.New(t)
	ask := url.Values{"query": {"query A($id: ID!) { quote(id: $id) { last } } query B { marketStatus { state } }"}, "operationName": {"A"},
		"variables": {`{"id": "bist:DMOST"}`}}
	if res := a.Get("/graphql?"+ask.Encode(), fixture.All); !strings.Contains(res.Text, `"305.25"`) {
		t.Errorf("GET: %s", res.Text)
	}
	const query = "{ marketStatus { state } }"
	sum := sha256.Sum256([]byte(query))
	extensions := fmt.Sprintf(`{"persistedQuery": {"version": 1, "sha256Hash": "%s"}}`, hex.EncodeToString(sum[:]))
	post := func(body string) fixture.Answer {
		return a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json")
	}
	unknown := post(`{"extensions": ` + extensions + `}`)
	if e := fixture.ErrorsOf(unknown); len(e) != 1 || e[0]["message"] != "PersistedQueryNotFound" ||
		fixture.CodeOf(e[0]) != "PERSISTED_QUERY_NOT_FOUND" {
		t.Fatalf("unknown hash: %s", unknown.Text)
	}
	if res := post(`{"query": "` + query + `", "extensions": ` + extensions + `}`); res.JSON["data"] == nil {
		t.Fatalf("registering: %s", res.Text)
	}
	if res := post(`{"extensions": ` + extensions + `}`); res.JSON["data"] == nil {
		t.Errorf("by hash: %s", res.Text)
	}
	if res := a.Get("/graphql?"+url.Values{"extensions": {extensions}}.Encode(), fixture.All); res.JSON["data"] == nil {
		t.Errorf("by hash over GET: %s", res.Text)
	}
	if res := post(`{"query": "{ __typename }", "extensions": ` + extensions + `}`); len(fixture.ErrorsOf(res)) != 1 {
		t.Errorf("a wrong hash: %s", res.Text)
	}
}

func TestDeferIsInlined(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ instrument(id: "bist:DMOST") { symbol ...F @defer } } fragment F on Instrument { name quote { last } }`, fixture.All)
	if !strings.Contains(res.Text, `"305.25"`) || strings.Contains(res.Text, "hasNext") {
		t.Errorf("%s", res.Text)
	}
}
