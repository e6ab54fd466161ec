package rest

import (
	_ "embed"
	"encoding/json"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
)

// examplesJSON is written by a test of the server, with -update, and compared
// with what the server answers by the same test.
//
//go:embed examples.json
var examplesJSON []byte

// exampleBase is where the server of the examples is.
const exampleBase = "https://api.example.test"

// Example is an answer as a server gave it.
type Example struct {
	Request string          `json:"request"` // method, path and query; of a POST, its body behind them
	Answer  json.RawMessage `json:"answer"`
}

// Examples are the recorded answers by the id of their operation.
func Examples() map[string]Example {
	examples := map[string]Example{}
	must(json.Unmarshal(examplesJSON, &examples))
	return examples
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
			content.WithExamplesItem("recorded", openapi31.ExampleOrReference{Example: &openapi31.Example{Summary: &example.Request, Value: &value}})
			answer.Response.Content[media] = content
		}
	})
}
