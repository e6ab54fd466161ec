package graphqlhttp_test

import (
	"encoding/json"
	"fmt"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

func TestRefusedDocuments(t *testing.T) {
	a := fixture.New(t)
	wide := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "q%d: marketStatus { state } ", i)
		}
		return "{ " + b.String() + "}"
	}
	// An instrument's quote's instrument's …: n nested fields.
	deep := func(n int) string {
		var b strings.Builder
		b.WriteString(`instrument(id: "bist:DMOST") `)
		for i := range n - 2 {
			b.WriteString([]string{"{ quote ", "{ instrument "}[i%2])
		}
		return "{ " + b.String() + "{ symbol " + strings.Repeat("} ", n)
	}
	aliases := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: symbol ", i)
		}
		return `{ instrument(id: "bist:DMOST") { ` + b.String() + "} }"
	}
	const validation, parse = "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"
	for name, c := range map[string]struct{ document, code string }{
		"broken":               {"{ quote(", parse},
		"empty selection":      {"{ }", parse},
		"unknown field":        {`{ quote(id: "bist:DMOST") { nope } }`, validation},
		"enum outside":         {`{ quote(id: "bist:DMOST", currency: GBP) { last } }`, validation},
		"21 root fields":       {wide(21), validation},
		"9 levels":             {deep(9), validation},
		"101 aliases":          {aliases(101), validation},
		"101 of introspection": {strings.Replace(aliases(101), "symbol", "__typename", -1), validation},
		"root by a fragment":   {"query { ...F } fragment F on Query " + wide(21), validation},
		"too complex":          {`{ ...F b: instruments(limit: 5000) { count } } fragment F on Query { c: instruments(limit: 5000) { instruments { symbol name market currency source unit region slug sector quote { last open high low bid } } } a: instruments(limit: 5000) { instruments { symbol name market currency quote { last open high low close: prevClose bid ask volume turnover asOf instrument { symbol name quote { last open high low bid ask volume turnover asOf instrument { symbol name currency } } } } } } }`, "COMPLEXITY_LIMIT_EXCEEDED"},
		"too many tokens":      {"{ " + strings.Repeat("__typename ", 2_001) + "}", parse},
		"an Int of 33 bits":    {`{ disclosure(index: 2147483648) { type } }`, validation},
		"no such operation":    {"query A { marketStatus { state } } query B { marketStatus { state } }", validation},
	} {
		t.Run(name, func(t *testing.T) {
			res := a.Query(c.document, fixture.All)
			if _, has := res.JSON["data"]; res.StatusCode != 400 || has || len(fixture.ErrorsOf(res)) == 0 ||
				fixture.CodeOf(fixture.ErrorsOf(res)[0]) != c.code {
				t.Errorf("got %d %.300s, want 400 %s without data", res.StatusCode, res.Text, c.code)
			}
			body, _ := json.Marshal(map[string]string{"query": c.document})
			if old := a.Send("POST", "/graphql", fixture.All, string(body), "Content-Type", "application/json", "Accept",
				"application/json"); old.StatusCode != 200 || old.Header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("for application/json: %d %s, want 200", old.StatusCode, old.Header.Get("Content-Type"))
			}
		})
	}
	for name, document := range map[string]string{"20 root fields": wide(20), "8 levels": deep(8), "100 aliases": aliases(100)} {
		if res := a.Query(document, fixture.All); res.StatusCode != 200 || res.JSON["errors"] != nil {
			t.Errorf("%s: %d %.300s", name, res.StatusCode, res.Text)
		}
	}
}

// Fragments within fragments must not cost more than their text, whatever the
// last one holds. Each of these would take hours.
func TestFragmentBombsAreCheap(t *testing.T) {
	a := fixture.New(t)
	for _, last := range []string{"__typename", "a: __typename", "instrument(id: \"bist:DMOST\") { symbol }",
		"__schema { queryType { name } }", "... @skip(if: true) { __typename }"} {
		var b strings.Builder
		b.WriteString("{ ...F0 }")
		for i := range 40 {
			fmt.Fprintf(&b, " fragment F%d on Query { ...F%d ...F%d }", i, i+1, i+1)
		}
		fmt.Fprintf(&b, " fragment F40 on Query { %s }", last)
		res := a.Query(b.String(), fixture.All)
		if res.StatusCode != 400 || !strings.Contains(res.Text, "at most") {
			t.Errorf("%s: %d %.300s", last, res.StatusCode, res.Text)
		}
		if res := a.Query(strings.ReplaceAll(b.String(), "{ ...F0 }", "query A { ...F0 } query B { ...F0 }"),
			fixture.All); res.StatusCode != 400 {
			t.Errorf("%s: %d %.300s", last, res.StatusCode, res.Text)
		}
	}
}

// Fields that are asked again and again are answered once.
func TestRepeatedFieldsAreMerged(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ quote(id: "bist:DMOST") { `+strings.Repeat("last ", 1900)+"} }", fixture.All)
	if res.StatusCode != 200 || strings.Count(res.Text, "305.25") != 1 {
		t.Errorf("%d %.300s", res.StatusCode, res.Text)
	}
	for _, document := range []string{
		`{ quote(id: "bist:DMOST") { a: last a: high } }`,
		`{ a: quote(id: "bist:DMOST") { last } a: quote(id: "bist:DMALT") { last } }`,
		`{ quote(id: "bist:DMOST") { instrument { a: name } } ...F } fragment F on Query { quote(id: "bist:DMOST") { instrument { a: symbol } } }`,
	} {
		if res := a.Query(document, fixture.All); res.StatusCode != 400 || !strings.Contains(res.Text, `Fields \"`) ||
			!strings.Contains(res.Text, "conflict") {
			t.Errorf("%s: %d %s", document, res.StatusCode, res.Text)
		}
	}
}

// A refusal names what is too much and how much is allowed.
func TestLimitsOfDocumentsAreNamed(t *testing.T) {
	a := fixture.New(t)
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for document, want := range map[string]string{
		`{ instrument(id: "bist:DMOST") ` + strings.Repeat("{ quote { instrument ", 4) + "{ symbol } " + strings.Repeat("} } ", 4) +
			"}": "10 nested fields (its depth); at most 8 are allowed",
		many(21, "query Q%d { __typename } "): "21 operations; at most 20",
		"{ __typename } " +
			many(101, "fragment F%d on Query { __typename } "): "101 fragments; at most 100",
		"query(" + many(101, "$v%d: Int ") +
			") { __typename }": "101 variables; at most 100",
		"{ " + strings.Repeat("a", 251) +
			" }": "251 bytes in a name; at most 250",
		`{ quote(id: "` + strings.Repeat("a", 2001) +
			`") { last } }`: "2001 bytes in a string; at most 2000",
		strings.Repeat("{ ... ", 26) + "{ __typename }" +
			strings.Repeat(" }", 26): "nested fields, inline fragments or values; at most 25",
		"{ " + strings.Repeat("...F ", 150) + "} fragment F on Query { " + strings.Repeat("__typename ", 70) +
			"}": "once its fragments are expanded; at most 10000",
	} {
		res := a.Query(document, fixture.All)
		if res.StatusCode != 400 || !strings.Contains(res.Text, want) {
			t.Errorf("%.60s: %d %.300s, want %q", document, res.StatusCode, res.Text, want)
		}
	}
	values := func(n int, text string) fixture.Answer {
		list := strings.TrimSuffix(strings.Repeat(`"`+text+`",`, n), ",")
		return a.Send("POST", "/graphql", fixture.All,
			`{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { symbol } }", "variables": {"ids": [`+list+`]}}`, "Content-Type",
			"application/json", "Accept", "application/graphql-response+json")
	}
	if res := values(2001, "bist:A"); res.StatusCode != 400 || !strings.Contains(res.Text, "values; at most 2000 are allowed") {
		t.Errorf("2001 values: %d %.300s", res.StatusCode, res.Text)
	}
	if res := values(1, strings.Repeat("a", 2001)); res.StatusCode != 400 ||
		!strings.Contains(res.Text, "2001 bytes in a string; at most 2000 are allowed") {
		t.Errorf("a long value: %d %.300s", res.StatusCode, res.Text)
	}
}
