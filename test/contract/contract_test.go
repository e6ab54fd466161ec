package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "record what this version promises: it is a release")

const (
	openAPI   = "openapi.json"
	openAPI30 = "openapi-3.0.json"
	schema    = "schema.graphql"
)

// What breaks clients since the last release is named in the changelog.
func TestContract(t *testing.T) {
	now := promised(t)
	if *update {
		for name, text := range now {
			if err := os.WriteFile(filepath.Join("released", name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := t.TempDir()
	for name, text := range now {
		write(t, filepath.Join(folder, name), text)
	}
	breaks, err := REST(filepath.Join("released", openAPI), filepath.Join(folder, openAPI))
	if err != nil {
		t.Fatal(err)
	}
	more, err := GraphQL(filepath.Join("released", schema), filepath.Join(folder, schema))
	if err != nil {
		t.Fatal(err)
	}
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range Unnamed(append(breaks, more...), string(changelog)) {
		t.Errorf("breaks clients, and CHANGELOG.md does not say \"**Breaking** … `%s` …\": %s", b.Of, b.What)
	}
}

// promised returns what a server of this version says of itself, without texts for people.
func promised(t *testing.T) map[string][]byte {
	t.Helper()
	found := served(t)
	return map[string][]byte{openAPI: bare(t, found[openAPI]), schema: descriptions.ReplaceAll(found[schema], nil)}
}

var asServed map[string][]byte // once a server was asked

// served returns what a server of this version says of itself.
func served(t *testing.T) map[string][]byte {
	t.Helper()
	if asServed != nil {
		return asServed
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "piyasa")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../.."
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	server := exec.Command(program, "serve")
	server.Env = []string{"HOME=" + folder, "PIYASA_LISTEN=127.0.0.1:0", "PIYASA_DATABASE=sqlite:" + filepath.Join(folder, "piyasa.db"),
		"PIYASA_BASE_URL=https://api.example.com"}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, base, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	found := map[string][]byte{}
	for name, path := range map[string]string{openAPI: "/openapi.json", openAPI30: "/openapi-3.0.json", schema: "/schema.graphql"} {
		client := http.Client{Timeout: time.Minute}
		res, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, res.StatusCode, err)
		}
		found[name] = text
	}
	asServed = found
	return found
}

var descriptions = regexp.MustCompile(`(?s)[ \t]*""".*?"""\n`)

// bare returns an OpenAPI document without examples and descriptions, a line for each path
// and schema.
func bare(t *testing.T, text []byte) []byte {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	document["info"] = map[string]any{"title": "piyasa", "version": "released"}
	var strip func(any, bool)
	strip = func(v any, names bool) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if _, isText := value.(string); !names && (name == "summary" || name == "description" && isText || name == "example" ||
					name == "examples") {
					delete(v, name)
					if name == "description" && v["content"] != nil {
						v[name] = "" // of a response, which must have one
					}
					continue
				}
				strip(value, name == "properties" || name == "schemas" || name == "paths")
			}
			if v["responses"] != nil {
				if responses, ok := v["responses"].(map[string]any); ok {
					for _, r := range responses {
						if r, ok := r.(map[string]any); ok && r["$ref"] == nil {
							r["description"] = ""
						}
					}
				}
			}
		case []any:
			for _, value := range v {
				strip(value, false)
			}
		}
	}
	strip(document, false)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		t.Fatal(err)
	}
	lines := strings.ReplaceAll(out.String(), `},"/`, "},\n\"/")
	return []byte(lines)
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What breaks clients is distinguished from what does not.
func TestBreaks(t *testing.T) {
	route := func(parameters, members, required string) string {
		return `{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/v1/a": {"get": {"parameters": [` + parameters +
			`], "responses": {"200": {"description": "", "content": {"application/json": {"schema": ` +
			`{"type": "object", "properties": {` + members + `}, "required": [` + required +
			`]}}}}}}}, "/docs": {"get": {"responses": {"200": {"description": ""}}}}}}`
	}
	const (
		parameter = `{"name": "limit", "in": "query", "schema": {"type": "integer"}}`
		members   = `"last": {"type": "string"}, "kind": {"type": "string", "enum": ["a", "b"]}`
		required  = `"last", "kind"`
	)
	rest := route(parameter, members, required)
	for name, c := range map[string]struct {
		after  string
		breaks bool
	}{
		"nothing": {rest, false},
		"new parameter": {route(parameter+`, {"name": "more", "in": "query", "schema": {"type": "string"}}`, members,
			required), false},
		"required parameter": {route(parameter+`, {"name": "more", "in": "query", "required": true, "schema": {"type": "string"}}`,
			members, required), true},
		"removed parameter":    {route("", members, required), true},
		"type of a parameter":  {route(strings.Replace(parameter, "integer", "boolean", 1), members, required), true},
		"new member":           {route(parameter, members+`, "more": {"type": "string"}`, required), false},
		"removed member":       {route(parameter, `"kind": {"type": "string", "enum": ["a", "b"]}`, `"kind"`), true},
		"type of a member":     {route(parameter, strings.Replace(members, "string", "number", 1), required), true},
		"member that may lack": {route(parameter, members, `"kind"`), true},
		"null member":          {route(parameter, strings.Replace(members, `"string"`, `["string", "null"]`, 1), required), true},
		"new value of an enum": {route(parameter, strings.Replace(members, `"b"`, `"b", "c"`, 1), required), false},
		"removed route":        {strings.Replace(rest, "/v1/a", "/v1/b", 1), true},
		"another document":     {strings.Replace(rest, `"/docs"`, `"/manual"`, 1), false},
	} {
		t.Run("rest/"+name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder+"/a.json", []byte(rest))
			write(t, folder+"/b.json", []byte(c.after))
			found, err := REST(folder+"/a.json", folder+"/b.json")
			if err != nil || len(found) > 0 != c.breaks || c.breaks && found[0].Of != "/v1/a" {
				t.Errorf("%+v %v", found, err)
			}
		})
	}
	const graph = "type Query { quote(id: ID!, limit: Int): Quote }\ntype Quote { last: String! kind: Kind }\nenum Kind { A B }\n"
	for name, c := range map[string]struct{ old, new, of string }{
		"new field":          {"last: String!", "last: String! more: Int", ""},
		"new argument":       {"limit: Int", "limit: Int, more: Int", ""},
		"new value":          {"A B", "A B C", ""},
		"field never null":   {"kind: Kind", "kind: Kind!", ""},
		"field may be null":  {"last: String!", "last: String", "Quote.last"},
		"removed field":      {"last: String!", "", "Quote.last"},
		"required argument":  {"limit: Int", "limit: Int, more: Int!", "Query.quote"},
		"removed argument":   {", limit: Int", "", "Query.quote"},
		"type of a field":    {"last: String!", "last: Int!", "Quote.last"},
		"removed enum value": {"A B", "A", "Kind.B"},
		"renamed type":       {"Kind", "Sort", "Kind"},
	} {
		t.Run("graphql/"+name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder+"/a.graphql", []byte(graph))
			write(t, folder+"/b.graphql", []byte(strings.ReplaceAll(graph, c.old, c.new)))
			found, err := GraphQL(folder+"/a.graphql", folder+"/b.graphql")
			if err != nil || (len(found) > 0) != (c.of != "") || c.of != "" && found[0].Of != c.of {
				t.Errorf("%+v %v", found, err)
			}
		})
	}
}

// A break is named where the changelog says that it is one.
func TestUnnamed(t *testing.T) {
	const log = "# Changelog\n\n## Unreleased\n- **Breaking**: `/v1/a` has no\n  `Quote.last` any more.\n- `/v1/b` is " +
		"faster.\n\n## 1.0.0\n- " +
		"**Breaking**: `/v1/c` is gone.\n"
	got := Unnamed([]Break{{"/v1/a", ""}, {"Quote.last", ""}, {"/v1/b", ""}, {"/v1/c", ""}}, log)
	if len(got) != 2 || got[0].Of != "/v1/b" || got[1].Of != "/v1/c" {
		t.Errorf("%+v", got)
	}
}
