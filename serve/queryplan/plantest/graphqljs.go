package plantest

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"piyasa/test/fixture/need"
)

// GraphQLJS is graphql-js with a schema, in a separate process. It validates and executes
// documents, and asks the test for the values of fields.
type GraphQLJS struct {
	to   *json.Encoder
	from *json.Decoder
}

// Field is a field that graphql-js asks for: of an object that it got with a number, or of the
// root.
type Field struct {
	Name string         `json:"field"` // Type.field
	Of   *int           `json:"of"`
	Args map[string]any `json:"args"` // the given arguments, and those with defaults
}

// Error is an error of graphql-js, with its path in the answer.
type Error struct {
	Path    []any
	Message string
}

// NewGraphQLJS starts graphql-js from folder until the end of the test. It skips the test if npm
// has not installed graphql-js.
func NewGraphQLJS(t testing.TB, folder string, schema *ast.Schema) *GraphQLJS {
	t.Helper()
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "graphql")); err != nil {
		t.Skip("graphql-js is not installed; make test installs it")
	}
	var sdl strings.Builder
	formatter.NewFormatter(&sdl).FormatSchema(schema)
	node := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "serve.mjs"))
	node.Stderr = os.Stderr
	in, err := node.StdinPipe()
	need.NoError(t, err)
	out, err := node.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, node.Start())
	t.Cleanup(func() {
		_ = in.Close() // which ends the process
		_, _ = io.Copy(io.Discard, out)
		_ = node.Wait()
	})
	js := &GraphQLJS{json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))}
	js.from.UseNumber()
	js.say(t, sdl.String())
	return js
}

// said is a message of graphql-js, with one of these members.
type said struct {
	Asks    []Field
	Data    *string
	Errors  []Error // beside data
	Refused []string
}

func (js *GraphQLJS) say(t testing.TB, what any) {
	t.Helper()
	need.NoError(t, js.to.Encode(what))
}

func (js *GraphQLJS) hear(t testing.TB) (s said) {
	t.Helper()
	if err := js.from.Decode(&s); err != nil {
		t.Fatal("graphql-js: ", err)
	}
	return s
}

// Validate returns the errors with which graphql-js rejects a document.
func (js *GraphQLJS) Validate(t testing.TB, document string) []string {
	t.Helper()
	js.say(t, map[string]any{"document": document})
	return js.hear(t).Refused
}

// Execute runs a document over the values that resolve returns: JSON values, or for an object a
// map with its type and the number ("at") with which its fields are asked for.
func (js *GraphQLJS) Execute(t testing.TB, d Document, resolve func(Field) (any, error)) (data string, errs []Error) {
	t.Helper()
	js.say(t, map[string]any{"document": d.Text, "variables": d.Variables, "run": true})
	for {
		s := js.hear(t)
		switch {
		case s.Data != nil:
			return *s.Data, s.Errors
		case s.Asks == nil:
			t.Fatalf("graphql-js refuses %s: %s", d.Text, s.Refused)
		}
		answers := make([]map[string]any, len(s.Asks))
		for i, f := range s.Asks {
			v, err := resolve(f)
			answers[i] = map[string]any{"value": v}
			if err != nil {
				answers[i] = map[string]any{"error": err.Error()}
			}
		}
		js.say(t, map[string]any{"answers": answers})
	}
}
