package rest

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
)

// examplesJSON is written by TestExamples with -update; without it the test compares
// it with what the server answers.
//
//go:embed examples.json
var examplesJSON []byte

// exampleBase is the base URL of the server of the examples.
const exampleBase = "https://api.example.test"

// Example is a recorded answer of a server.
type Example struct {
	Request string          `json:"request"` // method, path and query; for a POST, followed by the body
	Answer  json.RawMessage `json:"answer"`
	CSV     string          `json:"csv,omitempty"` // the first lines of the same answer as a table; empty: it has none
}

// Examples returns the recorded answers by the id of their operation.
func Examples() map[string]Example {
	examples := map[string]Example{}
	must(json.Unmarshal(examplesJSON, &examples))
	return examples
}

// Example returns the recorded answer of a route; ok is false for a route that answers with bytes.
func (r Route) Example() (e Example, ok bool) {
	e, ok = Examples()[r.Counterpart]
	return e, ok
}

// withExample adds the recorded answer of an operation, if there is one, to the
// description of its body.
func withExample(id string) openapi.ContentOption {
	example, recorded := Examples()[id]
	return openapi.WithCustomize(func(described openapi.ContentOrReference) {
		answer, ok := described.(*openapi31.ResponseOrReference)
		if !ok || !recorded {
			return
		}
		for media, content := range answer.Response.Content {
			var value any = example.Answer
			if strings.HasPrefix(media, CSV) {
				value = example.CSV
			}
			content.WithExamplesItem("recorded",
				openapi31.ExampleOrReference{Example: &openapi31.Example{Summary: &example.Request, Value: &value}})
			answer.Response.Content[media] = content
		}
	})
}
