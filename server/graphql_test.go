package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/fixture"
	"piyasa/fixture/calls"
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
			if _, has := res.JSON["data"]; res.StatusCode != 400 || has || len(fixture.ErrorsOf(res)) == 0 || fixture.CodeOf(fixture.ErrorsOf(res)[0]) != c.code {
				t.Errorf("got %d %.300s, want 400 %s without data", res.StatusCode, res.Text, c.code)
			}
			body, _ := json.Marshal(map[string]string{"query": c.document})
			if old := a.Send("POST", "/graphql", fixture.All, string(body), "Content-Type", "application/json", "Accept", "application/json"); old.StatusCode != 200 || old.Header.Get("Content-Type") != "application/json; charset=utf-8" {
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
	for _, last := range []string{"__typename", "a: __typename", "instrument(id: \"bist:DMOST\") { symbol }", "__schema { queryType { name } }", "... @skip(if: true) { __typename }"} {
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
		if res := a.Query(strings.ReplaceAll(b.String(), "{ ...F0 }", "query A { ...F0 } query B { ...F0 }"), fixture.All); res.StatusCode != 400 {
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
		if res := a.Query(document, fixture.All); res.StatusCode != 400 || !strings.Contains(res.Text, `Fields \"`) || !strings.Contains(res.Text, "conflict") {
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
		`{ instrument(id: "bist:DMOST") ` + strings.Repeat("{ quote { instrument ", 4) + "{ symbol } " + strings.Repeat("} } ", 4) + "}": "10 nested fields (its depth); at most 8 are allowed",
		many(21, "query Q%d { __typename } "):                                                                      "21 operations; at most 20",
		"{ __typename } " + many(101, "fragment F%d on Query { __typename } "):                                     "101 fragments; at most 100",
		"query(" + many(101, "$v%d: Int ") + ") { __typename }":                                                    "101 variables; at most 100",
		"{ " + strings.Repeat("a", 251) + " }":                                                                     "251 bytes in a name; at most 250",
		`{ quote(id: "` + strings.Repeat("a", 2001) + `") { last } }`:                                              "2001 bytes in a string; at most 2000",
		strings.Repeat("{ ... ", 26) + "{ __typename }" + strings.Repeat(" }", 26):                                 "nested fields, inline fragments or values; at most 25",
		"{ " + strings.Repeat("...F ", 150) + "} fragment F on Query { " + strings.Repeat("__typename ", 70) + "}": "once its fragments are expanded; at most 10000",
	} {
		res := a.Query(document, fixture.All)
		if res.StatusCode != 400 || !strings.Contains(res.Text, want) {
			t.Errorf("%.60s: %d %.300s, want %q", document, res.StatusCode, res.Text, want)
		}
	}
	values := func(n int, text string) fixture.Answer {
		list := strings.TrimSuffix(strings.Repeat(`"`+text+`",`, n), ",")
		return a.Send("POST", "/graphql", fixture.All, `{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { symbol } }", "variables": {"ids": [`+list+`]}}`, "Content-Type", "application/json", "Accept", "application/graphql-response+json")
	}
	if res := values(2001, "bist:A"); res.StatusCode != 400 || !strings.Contains(res.Text, "values; at most 2000 are allowed") {
		t.Errorf("2001 values: %d %.300s", res.StatusCode, res.Text)
	}
	if res := values(1, strings.Repeat("a", 2001)); res.StatusCode != 400 || !strings.Contains(res.Text, "2001 bytes in a string; at most 2000 are allowed") {
		t.Errorf("a long value: %d %.300s", res.StatusCode, res.Text)
	}
}

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
		"the same ten times": `{ ` + repeatedSchema(10) + ` }` + introspectionQuery[strings.Index(introspectionQuery, "fragment FullType"):],
		"lists in lists":     `{ __schema { types { fields { type { fields { args { type { name kind description enumValues { name description } } } a: args { type { name kind } } b: args { type { name kind } } c: args { name description type { name kind enumValues { name } } } d: args { name description type { name kind enumValues { name } } } } } } } } }`,
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

// GQ-03: a variable is refused like a literal, never bent into shape.
func TestVariablesAreExact(t *testing.T) {
	a := fixture.New(t)
	ask := func(document, variables string) fixture.Answer {
		body := fmt.Sprintf(`{"query": %q, "variables": %s}`, document, variables)
		return a.Send("POST", "/graphql", fixture.All, body, "Content-Type", "application/json", "Accept", "application/graphql-response+json")
	}
	const (
		quote       = `query($c: Currency) { quote(id: "bist:DMOST", currency: $c) { last } }`
		instruments = `query($m: Market, $n: Int = 3, $s: String) { instruments(market: $m, limit: $n, search: $s) { count } }`
		watchlist   = `query($ids: [ID!]!) { watchlist(ids: $ids) { symbol } }`
	)
	for _, c := range []struct {
		document, variables string
		status              int
	}{
		{quote, `{"c": "USD"}`, 200},
		{quote, `{"c": null}`, 200},
		{quote, `{}`, 200},
		{quote, `{"c": "usd"}`, 400},
		{quote, `{"c": "GBP"}`, 400},
		{quote, `{"c": 1}`, 400},
		{instruments, `{"m": "CRYPTO", "n": 2, "s": "bit"}`, 200},
		{instruments, `{"m": "crypto"}`, 400},
		{instruments, `{"n": "5"}`, 400},
		{instruments, `{"n": 5.5}`, 400},
		{instruments, `{"s": 5}`, 400},
		{instruments, `{"n": 2147483648}`, 400},
		{instruments, `{"n": 99999999999999999999}`, 400},
		{watchlist, `{"ids": ["bist:DMOST"]}`, 200},
		{watchlist, `{"ids": "bist:DMOST"}`, 200},
		{watchlist, `{"ids": [null]}`, 400},
		{watchlist, `{"ids": [true]}`, 400},
		{watchlist, `{}`, 400},
	} {
		res := ask(c.document, c.variables)
		if res.StatusCode != c.status || (c.status == 200) != (res.JSON["errors"] == nil) {
			t.Errorf("%s: %d %s", c.variables, res.StatusCode, res.Text)
		}
	}
}

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
	ask := url.Values{"query": {"query A($id: ID!) { quote(id: $id) { last } } query B { marketStatus { state } }"}, "operationName": {"A"}, "variables": {`{"id": "bist:DMOST"}`}}
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
	if e := fixture.ErrorsOf(unknown); len(e) != 1 || e[0]["message"] != "PersistedQueryNotFound" || fixture.CodeOf(e[0]) != "PERSISTED_QUERY_NOT_FOUND" {
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

func TestFieldsFailOnTheirOwn(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ good: quote(id: "bist:DMOST") { last } bad: quote(id: "bist:NOPE") { last } }`, fixture.All)
	data := res.JSON["data"].(map[string]any)
	if data["good"].(map[string]any)["last"] != "305.25" || data["bad"] != nil {
		t.Errorf("data %v", data)
	}
	e := fixture.ErrorsOf(res)
	if len(e) != 1 || fixture.CodeOf(e[0]) != "NOT_FOUND" || fmt.Sprint(e[0]["path"]) != "[bad]" {
		t.Errorf("errors %v", e)
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("1") {
		t.Errorf("a failed field costs nothing: %v units", units)
	}
}

// CT-24: the record needs no scope, its quote that of the market.
func TestScopesFieldByField(t *testing.T) {
	a := fixture.New(t)
	const noCrypto = "piyasa_live_nocrypto"
	a.Keys(fixture.Key(noCrypto, calls.Without(access.QuotesCrypto)...))
	res := a.Query(`{ watchlist(ids: ["bist:DMOST", "bist:NOPE", "crypto:1"]) { symbol quote { last } } }`, noCrypto)
	list := res.JSON["data"].(map[string]any)["watchlist"].([]any)
	if len(list) != 3 || list[1] != nil || list[0].(map[string]any)["quote"] == nil || list[2].(map[string]any)["quote"] != nil {
		t.Errorf("%s", res.Text)
	}
	e := fixture.ErrorsOf(res)
	if len(e) != 1 || fixture.CodeOf(e[0]) != "FORBIDDEN" || fmt.Sprint(e[0]["path"]) != "[watchlist 2 quote]" {
		t.Errorf("errors %v", e)
	}
	if units := res.JSON["extensions"].(map[string]any)["usage_units"]; units != json.Number("2") {
		t.Errorf("1 and one per resolved quote: %v units", units)
	}
}

func TestEdgesLeadBack(t *testing.T) {
	a := fixture.New(t)
	res := a.Query(`{ quote(id: "crypto:btc") { instrument { name quote(currency: TRY) { last currency } } } movers { gainers { instrument { name } } } }`, fixture.All)
	for _, want := range []string{`"Bitcoin"`, `"2815317.45"`, `"Demo Otomotiv Şirketi"`} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("%s is missing in %s", want, res.Text)
		}
	}
}

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
