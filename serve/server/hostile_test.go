package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"piyasa/db/dbtest"
	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// eachAndHostile runs f on both stores, and on a Postgres whose settings mean
// harm.
func eachAndHostile(t *testing.T, f func(t *testing.T, a *fixture.Server)) {
	for name, address := range map[string]func(testing.TB) string{
		"sqlite":           func(tb testing.TB) string { return "sqlite:" + filepath.Join(tb.TempDir(), "piyasa.db") },
		"postgres":         dbtest.PostgresURL,
		"hostile postgres": dbtest.HostileURL,
	} {
		t.Run(name, func(t *testing.T) {
			a := fixture.New(t, fixture.On(address(t)))
			a.Keys(fixture.Unlimited())
			f(t, a)
		})
	}
}

// harmless is text that nothing is stored under.
const harmless = "zqxwv"

// hostile are texts that nothing is stored under either, and that mean
// something to one part or another on the way to a store.
var hostile = []string{
	`'`, `''`, `\`, `\\`, `\'`, `\') OR 1=1-- `, `\' OR 1=1--`, `') OR 1=1-- `, `' OR '1'='1`, `zqxwv\'/*`, `*/`, `;--`, `"`, `$1`, `?`,
	`%`, `_%`, `zq%`,
	"\x00", "DMOST\x00", "\x00DMOST", "\xff", "DMOST\xc3", "\ufffd", "\u0085", "\r\n", strings.Repeat(`x\'`, 1500),
}

// askedFor is what one parameter of a route is asked for.
type askedFor struct{ pattern, parameter, target string }

// withText are the targets of every route with text in each of its parameters
// in turn, the others being as in its first twin.
func withText(t *testing.T, doc map[string]any, text string) (all []askedFor) {
	t.Helper()
	bases := map[string]string{"/v1/logos/{id}": "/v1/logos/bist:DMOST"}
	for _, twin := range fixture.Counterparts {
		if bases[twin.Pattern] == "" {
			bases[twin.Pattern] = twin.Path
		}
	}
	paths := doc["paths"].(map[string]any)
	for _, route := range rest.Routes(resolvers.New(nil)) {
		get := paths[route.Pattern].(map[string]any)["get"].(map[string]any)
		described, _ := get["parameters"].([]any)
		path, query, _ := strings.Cut(bases[route.Pattern], "?")
		for _, p := range described {
			p := p.(map[string]any)
			name := p["name"].(string)
			if p["in"] == "path" {
				segments := strings.Split(path, "/")
				segments[slices.Index(strings.Split(route.Pattern, "/"), "{"+name+"}")] = url.PathEscape(text)
				all = append(all, askedFor{route.Pattern, name, strings.Join(segments, "/") + "?" + query})
				continue
			}
			values, err := url.ParseQuery(query)
			need.NoError(t, err)
			values.Set(name, text)
			all = append(all, askedFor{route.Pattern, name, path + "?" + values.Encode()})
		}
	}
	return all
}

// masked is a body without what tells one text from another, for answers that
// repeat what they were asked.
func masked(body any, text string) any {
	forms := []string{text, strings.ToUpper(text), strings.ToLower(text), strings.ToValidUTF8(text, "\ufffd")}
	switch v := body.(type) {
	case string:
		if slices.Contains(forms, v) || slices.ContainsFunc(forms, func(f string) bool { return f != "" && strings.Contains(v, f) }) ||
			strings.ContainsRune(v, '\ufffd') {
			return "…"
		}
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = masked(e, text)
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			out[masked(name, text).(string)] = masked(e, text)
		}
		return out
	}
	return body
}

// Whatever text a parameter of any route holds, it is only text: the answer is
// the one for a harmless word that nothing is stored under, or a refusal.
func TestHostileTextOverREST(t *testing.T) {
	eachAndHostile(t, func(t *testing.T, a *fixture.Server) {
		doc := a.Get("/openapi.json", "").JSON
		plain := withText(t, doc, harmless)
		expected := make([]fixture.Answer, len(plain))
		for i, p := range plain {
			expected[i] = a.Get(p.target, fixture.All)
		}
		for _, text := range hostile {
			for i, p := range withText(t, doc, text) {
				got, want := a.Get(p.target, fixture.All), expected[i]
				switch {
				case got.StatusCode >= 500 && want.StatusCode != got.StatusCode:
					t.Errorf("%s, %s=%.40q: %d %s", p.pattern, p.parameter, text, got.StatusCode, got.Text)
				case got.StatusCode == 200 && want.StatusCode != 200:
					t.Errorf("%s, %s=%.40q is answered: %.300s", p.pattern, p.parameter, text, got.Text)
				case got.StatusCode == 200 && want.JSON != nil && !reflect.DeepEqual(masked(got.JSON, text), masked(want.JSON, harmless)):
					t.Errorf("%s, %s=%.40q: %.500s\nwant as for a harmless word: %.500s", p.pattern, p.parameter, text, got.Text, want.Text)
				}
			}
		}
	})
}

// TestHostileTextOverREST, of every text argument of every root field.
func TestHostileTextOverGraphQL(t *testing.T) {
	eachAndHostile(t, func(t *testing.T, a *fixture.Server) {
		fields := map[string]*ast.Field{}
		for _, twin := range fixture.Counterparts {
			parsed, err := parser.ParseQuery(&ast.Source{Input: "{" + twin.Field + "}"})
			need.NoError(t, err)
			if field := parsed.Operations[0].SelectionSet[0].(*ast.Field); fields[field.Name] == nil {
				fields[field.Name] = field
			}
		}
		ask := func(field *ast.Field, argument *ast.ArgumentDefinition, text string) fixture.Answer {
			arguments := map[string]string{}
			for _, given := range field.Arguments {
				arguments[given.Name] = given.Value.String()
			}
			arguments[argument.Name] = "$text"
			var list []string
			for name, value := range arguments {
				list = append(list, name+": "+value)
			}
			slices.Sort(list)
			spelled, value := argument.Type.String(), any(text)
			if argument.Type.Elem != nil {
				value = []string{text}
			}
			body, err := json.Marshal(map[string]any{
				"query": "query($text: " + spelled + ") { it: " + field.Name + "(" + strings.Join(list, ", ") + ")" +
					fixture.Selection(fixture.RootField(field.Name).Type.Name()) + " }",
				"variables": map[string]any{"text": value},
			})
			need.NoError(t, err)
			return a.Send("POST", "/graphql", fixture.All, string(body), "Content-Type", "application/json", "Accept",
				"application/graphql-response+json")
		}
		asked := 0
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, argument := range fixture.RootField(name).Arguments {
				if argument.Type.Name() != "String" && argument.Type.Name() != "ID" {
					continue
				}
				asked++
				want := ask(fields[name], argument, harmless)
				for _, text := range hostile {
					got := ask(fields[name], argument, text)
					if strings.Contains(got.Text, `"INTERNAL"`) || strings.Contains(got.Text, `UNAVAILABLE"`) || got.StatusCode >= 500 {
						t.Errorf("%s, %s: %.40q: %d %.500s", name, argument.Name, text, got.StatusCode, got.Text)
					}
					if it, _ := got.JSON["data"].(map[string]any); it != nil && it["it"] != nil &&
						!reflect.DeepEqual(masked(got.JSON["data"], text), masked(want.JSON["data"], harmless)) {
						t.Errorf("%s, %s: %.40q: %.500s\nwant as for a harmless word: %.500s",
							name, argument.Name, text, got.Text, want.Text)
					}
				}
			}
		}
		if asked < 15 {
			t.Errorf("only %d arguments were asked", asked)
		}
	})
}

// FuzzRequest sends any text in any parameter of any route: never a 500 and never
// an unavailable store, and a body is what its header says.
func FuzzRequest(f *testing.F) {
	a := fixture.New(f)
	a.Keys(fixture.Unlimited())
	routes := rest.Routes(resolvers.New(nil))
	for i := range routes {
		f.Add(uint(i), "bist:DMOST", "from=2026-03-01&to=2026-03-18&limit=3")
		f.Add(uint(i), "DMOST", "symbol=DMOST&symbols=A,B&class=%00&companyId=%5C%27&cursor=x")
		f.Add(uint(i), "1600707", "ids=bist:DMOST,crypto:BTC&category=%00&country=%ff&year=%00&period=x")
		f.Add(uint(i), "\x00\xff'\\", "search=%5C%27&asset_type=%00&as_of=2026&indicators=rsi&currency=USD&format=csv")
	}
	for _, seed := range [][2]string{{"fx:usdtry", "currency=%00"}, {"İ:ı", "a=b;c"}, {"..", "limit=-1&limit=2"},
		{strings.Repeat("x", 300), "ids=,,,"}} {
		f.Add(uint(0), seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, n uint, text, query string) {
		route := routes[n%uint(len(routes))]
		segments := strings.Split(route.Pattern, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, "{") {
				segments[i] = text
			}
		}
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header.Set("X-API-Key", fixture.All)
		r.URL.Path, r.URL.RawQuery = strings.Join(segments, "/"), query
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError || bytes.Contains(w.Body.Bytes(), []byte("/problems/store-unavailable")) {
			t.Fatalf("%q?%s: %d %s", r.URL.Path, query, w.Code, w.Body)
		}
		if strings.Contains(w.Header().Get("Content-Type"), "json") && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("not JSON: %s", w.Body)
		}
	})
}
