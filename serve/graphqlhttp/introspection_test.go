package graphqlhttp_test

import (
	"fmt"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// What clients ask of the schema is answered, more of it is not.
func TestIntrospectionIsPriced(t *testing.T) {
	a := fixture.New(t)
	members := 0
	var count func(any)
	count = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, child := range v {
				members++
				count(child)
			}
		case []any:
			for _, child := range v {
				count(child)
			}
		}
	}
	res := a.Query(introspectionQuery, fixture.None)
	if count(res.JSON["data"]); res.StatusCode != 200 || members < 10_000 {
		t.Fatalf("%d, %d members: %.300s", res.StatusCode, members, res.Text)
	}
	const limit = 250_000
	for name, document := range map[string]string{
		"the same ten times": `{ ` + repeatedSchema(10) + ` }` +
			introspectionQuery[strings.Index(introspectionQuery, "fragment FullType"):],
		"lists in lists": `{ __schema { types { fields { type { fields { args { type { name kind description enumValues { name description } } } a: args { type { name kind } } b: args { type { name kind } } c: args { name description type { name kind enumValues { name } } } d: args { name description type { name kind enumValues { name } } } } } } } } }`,
	} {
		members = 0
		res := a.Query(document, fixture.None)
		count(res.JSON["data"])
		if members > limit || (res.StatusCode != 200) != strings.Contains(res.Text, "COMPLEXITY_LIMIT_EXCEEDED") {
			t.Errorf("%s: %d with %d members: %.300s", name, res.StatusCode, members, res.Text)
		}
		t.Logf("%s: %d, %d members", name, res.StatusCode, members)
	}
}

func repeatedSchema(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d: __schema { types { ...FullType } } ", i)
	}
	return b.String()
}

// introspectionQuery is what GraphiQL and generators of code ask.
const introspectionQuery = `query IntrospectionQuery {
  __schema {
    description
    queryType { name kind }
    mutationType { name kind }
    subscriptionType { name kind }
    types { ...FullType }
    directives { name description locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description
  fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}`

func TestIntrospectionWithAnyKey(t *testing.T) {
	a := fixture.New(t)
	res := a.Query("{ __schema { queryType { name } types { name description fields { name description } } } }", fixture.None)
	if res.StatusCode != 200 || res.JSON["errors"] != nil {
		t.Fatalf("%d %.300s", res.StatusCode, res.Text)
	}
	for _, def := range fixture.Schema.Types {
		if def.BuiltIn || strings.HasPrefix(def.Name, "__") {
			continue
		}
		if def.Description == "" {
			t.Errorf("type %s has no description", def.Name)
		}
		for _, f := range def.Fields {
			if f.Description == "" && !strings.HasPrefix(f.Name, "__") {
				t.Errorf("%s.%s has no description", def.Name, f.Name)
			}
			for _, arg := range f.Arguments {
				if arg.Description == "" && !strings.HasPrefix(f.Name, "__") {
					t.Errorf("%s.%s(%s:) has no description", def.Name, f.Name, arg.Name)
				}
			}
		}
		for _, v := range def.EnumValues {
			if v.Description == "" {
				t.Errorf("%s.%s has no description", def.Name, v.Name)
			}
		}
	}
}
