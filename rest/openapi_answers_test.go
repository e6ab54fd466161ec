package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/internal/problem"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// described compiles the schema of one answer of the served OpenAPI document:
// OpenAPI 3.1 schemas are JSON Schema.
func described(t *testing.T, doc map[string]any, pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	need.NoError(t, c.AddResource("openapi.json", doc))
	s, err := c.Compile("openapi.json#" + pointer)
	need.NoError(t, err)
	return s
}

func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

func check(t *testing.T, s *jsonschema.Schema, res fixture.Answer) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(res.Text))
	need.NoError(t, err)
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, res.Text)
	}
}

func TestAnswersMatchOpenAPI(t *testing.T) {
	a := fixture.New(t)
	served := a.Get("/openapi.json", "")
	if served.StatusCode != 200 || !strings.HasPrefix(served.JSON["openapi"].(string), "3.1") {
		t.Fatalf("%d %.200s", served.StatusCode, served.Text)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(served.Text))
	need.NoError(t, err)
	doc := parsed.(map[string]any)
	for _, twin := range fixture.Counterparts {
		s := described(t, doc, "/paths/"+escape(twin.Pattern)+"/get/responses/200/content/application~1json/schema")
		check(t, s, a.Get(twin.Path, fixture.All))
	}
	for _, twin := range refusals {
		s := described(t, doc, "/components/schemas/Problem")
		check(t, s, a.Get(twin.path, fixture.All))
	}
}

// A schema that accepts anything would pass the test above.
func TestOpenAPIRefusesWrongBodies(t *testing.T) {
	a := fixture.New(t)
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Get("/openapi.json", "").Text))
	need.NoError(t, err)
	s := described(t, parsed.(map[string]any), "/components/schemas/Quote")
	for _, spoil := range []func(map[string]any){
		func(q map[string]any) { q["last"] = json.Number("305.25") },
		func(q map[string]any) { q["last"] = nil },
		func(q map[string]any) { q["last"] = "3e2" },
		func(q map[string]any) { q["as_of"] = "yesterday" },
		func(q map[string]any) { delete(q, "market_cap") },
		func(q map[string]any) { q["market"] = "nyse" },
	} {
		quote := a.Get("/v1/quotes/bist:DMOST", fixture.All).JSON
		spoil(quote)
		if err := s.Validate(quote); err == nil {
			t.Errorf("accepted: %v", quote)
		}
	}
}

// The scope that a route is documented with is the one that it asks for.
func TestDocumentedScopes(t *testing.T) {
	a := fixture.New(t)
	for _, twin := range fixture.Counterparts {
		for _, route := range rest.Routes(resolvers.New(nil)) {
			if route.Pattern != twin.Pattern {
				continue
			}
			res := a.Get(twin.Path, fixture.None)
			if open := route.Scope == "any key"; open != (res.StatusCode == http.StatusOK) {
				t.Errorf("%s is documented with %q and answers %d to a key without scopes", twin.Path, route.Scope, res.StatusCode)
			}
			if missing := fmt.Sprint(res.JSON["missing_scopes"]); strings.Contains(route.Scope, ":") && missing != "["+
				strings.ReplaceAll(route.Scope, " or ", " ")+"]" {
				t.Errorf("%s is documented with %q and misses %s", twin.Path, route.Scope, missing)
			}
		}
	}
}

// Every operation says what it needs, also where that is nothing, under a name of its own.
func TestSecurityIsStated(t *testing.T) {
	a, names := fixture.New(t), map[string]bool{}
	for path, methods := range a.Get("/openapi.json", "").JSON["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			op := op.(map[string]any)
			ways, stated := op["security"].([]any)
			want, known := map[string]int{
				"/": 0, "/docs/{page}": 0, "/healthz": 0, "/openapi.json": 0, "/openapi-3.0.json": 0, "/problems/{kind}": 0,
				"/v1/quotes": 1, "/graphql": 1, "/mcp": 1,
			}[path]
			if !stated || known && len(ways) != want {
				t.Errorf("%s %s: security %v", method, path, op["security"])
			}
			id := strings.ToLower(op["operationId"].(string))
			if names[id] {
				t.Errorf("two operations are %s", id)
			}
			names[id] = true
		}
	}
}

// A problem is described where it comes, and not where it cannot.
func TestAmbiguousTickersAreDescribed(t *testing.T) {
	a := fixture.New(t)
	wild := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, route := range rest.Routes(resolvers.New(nil)) {
		path := wild.ReplaceAllString(route.Pattern, "crypto:ONE") + "?ids=crypto:ONE&instrument=crypto:ONE"
		comes := strings.Contains(a.Get(path, fixture.All).Text, "/problems/ambiguous-ticker")
		if described := slices.Contains(route.Problems(), problem.AmbiguousTicker); described != comes {
			t.Errorf("%s: described %v, comes %v", path, described, comes)
		}
	}
}
