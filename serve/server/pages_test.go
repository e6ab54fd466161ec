package server_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

func TestPages(t *testing.T) {
	a := fixture.New(t)
	for path, mention := range map[string]string{"/docs": "The book of piyasa", "/docs/rest": "/v1/quotes/{instrument_id}",
		"/problems/missing-scope": "403"} {
		res := a.Get(path, "")
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(res.Text, mention) {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
		}
	}
}

// The descriptions are made once, and their reader learns it.
func TestDescriptionsAreCacheable(t *testing.T) {
	a := fixture.New(t)
	for _, path := range []string{"/openapi.json", "/openapi-3.0.json", "/asyncapi.json", "/schema.graphql"} {
		first := a.Get(path, "")
		etag := first.Header.Get("ETag")
		if first.StatusCode != 200 || etag == "" || !strings.Contains(first.Header.Get("Cache-Control"), "no-cache") ||
			strings.Contains(first.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: %d %v", path, first.StatusCode, first.Header)
		}
		for header, status := range map[string]int{etag: 304, strings.TrimPrefix(etag, "W/"): 304, "*": 304, `"other"`: 200,
			`"other", ` + etag: 304} {
			again := a.Send("GET", path, "", "", "If-None-Match", header)
			if again.StatusCode != status || (status == 304) != (again.Text == "") || again.Header.Get("ETag") != etag {
				t.Errorf("%s with %s: %d, %d bytes, %v", path, header, again.StatusCode, len(again.Text), again.Header)
			}
		}
		packed := a.Send("GET", path, "", "", "Accept-Encoding", "gzip")
		if packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("ETag") != etag {
			t.Errorf("%s packed: %v", path, packed.Header)
		}
	}
}

// No page of ours can be framed by another.
func TestPagesAreNotFramed(t *testing.T) {
	a := fixture.New(t)
	for _, path := range []string{"/", "/docs", "/graphiql", "/problems/not-found"} {
		if policy := a.Get(path, "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %q", path, policy)
		}
	}
}

// What is served as the schema is the schema: it reads back as the one in the repository.
func TestSchemaIsServed(t *testing.T) {
	a := fixture.New(t)
	served, err := gqlparser.LoadSchema(&ast.Source{Input: a.Get("/schema.graphql", "").Text})
	need.NoError(t, err)
	if d := served.Directives["defer"]; d == nil || d.Position.Src.BuiltIn {
		t.Error("@defer is not declared")
	}
	for name, def := range fixture.Schema.Types {
		if of := served.Types[name]; of == nil || of.Description != def.Description || len(of.Fields) != len(def.Fields) {
			t.Errorf("%s is another type", name)
		}
	}
}
