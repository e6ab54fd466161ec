package graphqlhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/test/fixture"
)

// A null in @skip or @include is refused before anything runs, once.
func TestNullConditions(t *testing.T) {
	var log bytes.Buffer
	quiet := slog.Default()
	t.Cleanup(func() { slog.SetDefault(quiet) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Batch = 10 })
	for _, fields := range []string{
		`quote(id: "bist:DMOST") @skip(if: $b) { last }`,
		`quote(id: "bist:DMOST") { last @include(if: $b) }`,
		`watchlist(ids: ["bist:DMOST", "crypto:btc"]) { ... @skip(if: $b) { symbol } }`,
		`watchlist(ids: ["bist:DMOST"]) { ...F } } fragment F on Instrument { quote { last @skip(if: $b) }`,
		`__schema @skip(if: $b) { types { name } }`,
		`__schema { types { name @skip(if: $b) } }`,
		`... @include(if: $b) { __typename }`,
	} {
		refused := ask(a, `query($b: Boolean = true) {`+fields+`}`, `{"b": null}`)
		if refused.StatusCode != 400 || !strings.Contains(refused.Text, `$b must not be null`) ||
			!strings.Contains(refused.Text, `GRAPHQL_VALIDATION_FAILED`) {
			t.Errorf("%s: %d %s", fields, refused.StatusCode, refused.Text)
		}
		if allowed := ask(a, `query($b: Boolean = true) {`+fields+`}`, `{}`); allowed.StatusCode != 200 || allowed.JSON["errors"] != nil {
			t.Errorf("%s: %d %s", fields, allowed.StatusCode, allowed.Text)
		}
	}
	stream := ask(a, `subscription($b: Boolean = true) { quoteStream(ids: ["crypto:btc"]) { __typename @skip(if: $b) } }`, `{"b": null}`)
	if stream.StatusCode != 400 || !strings.Contains(stream.Text, `$b must not be null`) {
		t.Errorf("%d %s", stream.StatusCode, stream.Text)
	}
	batch := array(a, `[{"query": "{ __typename }"}, {"query": "query($b: Boolean = true) { __typename @skip(if: $b) }", "variables": {"b": null}}]`)
	if !strings.Contains(batch, `"data":{"__typename":"Query"}`) || !strings.Contains(batch, `$b must not be null`) {
		t.Error(batch)
	}
	if strings.Contains(log.String(), "panic") {
		t.Errorf("%.2000s", log.String())
	}
}

// array sends an array of requests.
func array(a *fixture.Server, body string) string {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", fixture.All)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Body.String()
}

func ask(a *fixture.Server, document, variables string) fixture.Answer {
	body := fmt.Sprintf(`{"query": %q, "variables": %s}`, document, variables)
	return a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json", "Accept", "application/graphql-response+json")
}

// A null that replaces the default of a variable is an error of each field with an argument
// that must not be null, wherever the argument stands in the schema.
func TestNullArguments(t *testing.T) {
	a := fixture.New(t)
	a.Keys(fixture.Unlimited())
	leads := map[string]string{"Query": "", "Instrument": `watchlist(ids: ["bist:DMOST"])`}
	tried := 0
	for object, path := range leads {
		for _, f := range fixture.Schema.Types[object].Fields {
			for _, arg := range f.Arguments {
				if !arg.Type.NonNull {
					continue
				}
				tried++
				checkNull(t, a, path, f, arg, "$x", arg.Type.String()[:len(arg.Type.String())-1])
				if arg.Type.Elem != nil && arg.Type.Elem.NonNull {
					checkNull(t, a, path, f, arg, "[$x]", arg.Type.Elem.Name())
				}
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d arguments must not be null", tried)
	}
	for _, field := range []string{`quoteStream(ids: $x)`, `quoteStream(ids: [$y])`} {
		text := `subscription($x: [ID!] = ["crypto:btc"], $y: ID = "crypto:btc") { ` + field + ` { __typename } }`
		text = strings.Replace(text, map[bool]string{true: `, $y: ID = "crypto:btc"`,
			false: `$x: [ID!] = ["crypto:btc"], `}[strings.Contains(field, "$x")], "", 1)
		got := a.Send("POST", "/graphql", fixture.All, fmt.Sprintf(`{"query": %q, "variables": {"x": null, "y": null}}`, text),
			"Content-Type", "application/json", "Accept", "text/event-stream")
		if !strings.Contains(got.Text, "must not be null") {
			t.Errorf("%s: %s", field, got.Text)
		}
	}
	if got := ask(a, `query($x: String = "Query") { __type(name: $x) { name } }`, `{"x": null}`); !strings.Contains(got.Text,
		"must not be null") {
		t.Error(got.Text)
	}
}

// checkNull asks for a field with a null in one argument.
func checkNull(t *testing.T, a *fixture.Server, path string, f *ast.FieldDefinition, arg *ast.ArgumentDefinition, use, declared string) {
	t.Helper()
	given := []string{arg.Name + ": " + use}
	for _, other := range f.Arguments {
		if other != arg && other.Type.NonNull && other.DefaultValue == nil {
			given = append(given, other.Name+": "+literal(other.Type))
		}
	}
	field := "a: " + f.Name + "(" + strings.Join(given, ", ") + ")"
	if !fixture.Schema.Types[f.Type.Name()].IsLeafType() {
		field += " { __typename }"
	}
	expected := []any{"a"}
	if path != "" {
		field = path + " { " + field + " }"
		expected = []any{"watchlist", json.Number("0"), "a"}
	}
	inner := *arg.Type
	if use != "$x" {
		inner = *arg.Type.Elem
	}
	inner.NonNull = false
	text := fmt.Sprintf("query($x: %s = %s) { %s }", declared, literal(&inner), field)
	got := ask(a, text, `{"x": null}`)
	var answer struct {
		Errors []struct {
			Message    string
			Path       []any
			Extensions struct {
				Code    string
				Problem struct{ Parameter string }
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(got.Text))
	d.UseNumber()
	if err := d.Decode(&answer); err != nil || len(answer.Errors) != 1 {
		t.Errorf("%s: %d %s", text, got.StatusCode, got.Text)
		return
	}
	e := answer.Errors[0]
	if fmt.Sprint(e.Path) != fmt.Sprint(expected) || e.Extensions.Code != "INVALID_PARAMETER" ||
		e.Extensions.Problem.Parameter != arg.Name ||
		!strings.HasPrefix(e.Message, fmt.Sprintf("Argument %q of non-null type ", arg.Name)) {
		t.Errorf("%s: %s", text, got.Text)
	}
}

// literal is a value of a type.
func literal(t *ast.Type) string {
	if t.Elem != nil {
		return "[" + literal(t.Elem) + "]"
	}
	switch def := fixture.Schema.Types[t.NamedType]; {
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case t.NamedType == "Int":
		return "1"
	case t.NamedType == "Boolean":
		return "true"
	case t.NamedType == "Date":
		return `"2026-03-01"`
	}
	return `"bist:DMOST"`
}
