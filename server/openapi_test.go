package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"piyasa/resolvers"
	"piyasa/rest"
)

// described compiles the schema of one answer of the served OpenAPI document:
// OpenAPI 3.1 schemas are JSON Schema.
func described(t *testing.T, doc map[string]any, pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("openapi.json#" + pointer)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

func check(t *testing.T, s *jsonschema.Schema, res answer) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(res.text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, res.text)
	}
}

func TestAnswersMatchOpenAPI(t *testing.T) {
	a := newAPI(t)
	served := a.get("/openapi.json", "")
	if served.StatusCode != 200 || !strings.HasPrefix(served.body["openapi"].(string), "3.1") {
		t.Fatalf("%d %.200s", served.StatusCode, served.text)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(served.text))
	if err != nil {
		t.Fatal(err)
	}
	doc := parsed.(map[string]any)
	for _, twin := range twins {
		s := described(t, doc, "/paths/"+escape(twin.pattern)+"/get/responses/200/content/application~1json/schema")
		check(t, s, a.get(twin.path, all))
	}
	for _, twin := range refusals {
		s := described(t, doc, "/components/schemas/Problem")
		check(t, s, a.get(twin.path, all))
	}
}

// A schema that accepts anything would pass the test above.
func TestOpenAPIRefusesWrongBodies(t *testing.T) {
	a := newAPI(t)
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(a.get("/openapi.json", "").text))
	if err != nil {
		t.Fatal(err)
	}
	s := described(t, parsed.(map[string]any), "/components/schemas/Quote")
	for _, spoil := range []func(map[string]any){
		func(q map[string]any) { q["last"] = json.Number("305.25") },
		func(q map[string]any) { q["last"] = nil },
		func(q map[string]any) { q["last"] = "3e2" },
		func(q map[string]any) { q["as_of"] = "yesterday" },
		func(q map[string]any) { delete(q, "market_cap") },
		func(q map[string]any) { q["market"] = "nyse" },
	} {
		quote := a.get("/v1/quotes/bist:DMOST", all).body
		spoil(quote)
		if err := s.Validate(quote); err == nil {
			t.Errorf("accepted: %v", quote)
		}
	}
}

// The scope that a route is documented with is the one that it asks for.
func TestDocumentedScopes(t *testing.T) {
	a := newAPI(t)
	for _, twin := range twins {
		for _, route := range rest.Routes(&resolvers.Root{}) {
			if route.Pattern != twin.pattern {
				continue
			}
			res := a.get(twin.path, none)
			if open := route.Scope == "any key"; open != (res.StatusCode == http.StatusOK) {
				t.Errorf("%s is documented with %q and answers %d to a key without scopes", twin.path, route.Scope, res.StatusCode)
			}
			if missing := fmt.Sprint(res.body["missing_scopes"]); strings.Contains(route.Scope, ":") && missing != "["+strings.ReplaceAll(route.Scope, " or ", " ")+"]" {
				t.Errorf("%s is documented with %q and misses %s", twin.path, route.Scope, missing)
			}
		}
	}
}
