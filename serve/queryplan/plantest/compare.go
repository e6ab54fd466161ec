package plantest

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
)

// Answer is an executor's answer to a document. Errors are sorted, since gqlgen reports them in
// the order of its goroutines.
type Answer struct {
	Data   string
	Errors []string
	InTurn []string // the errors in their original order
}

// Ask runs a document, and returns its first answer.
func Ask(ctx context.Context, e *executor.Executor, d Document) Answer {
	for a := range Answers(ctx, e, d) {
		return a
	}
	return Answer{}
}

// Answers runs a document and yields its answers: a subscription has one for each event.
func Answers(ctx context.Context, e *executor.Executor, d Document) iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		ctx := graphql.StartOperationTrace(ctx)
		variables := map[string]any{}
		for name, value := range d.Variables {
			variables[name] = value
		}
		oc, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: d.Text, Variables: variables})
		if len(errs) > 0 {
			yield(answerOf(e.DispatchError(graphql.WithOperationContext(ctx, oc), errs)))
			return
		}
		next, ctx := e.DispatchOperation(ctx, oc)
		for response := next(ctx); response != nil; response = next(ctx) {
			if !yield(answerOf(response)) {
				return
			}
		}
	}
}

func answerOf(response *graphql.Response) Answer {
	a := Answer{Data: string(response.Data)}
	for _, err := range response.Errors {
		text, _ := json.Marshal(err)
		a.InTurn = append(a.InTurn, string(text))
	}
	a.Errors = slices.Sorted(slices.Values(a.InTurn))
	return a
}

// Compact returns data as the encoder of a response writes it.
func Compact(data string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(data)) != nil {
		return data
	}
	return b.String()
}

// Difference says how b differs from a, or "".
func Difference(a, b Answer) string {
	var all []string
	if a.Data != b.Data {
		at := 0
		for at < min(len(a.Data), len(b.Data)) && a.Data[at] == b.Data[at] {
			at++
		}
		all = append(all, "data differ at …"+a.Data[max(at-60, 0):min(at+60, len(a.Data))]+"… and …"+
			b.Data[max(at-60, 0):min(at+60, len(b.Data))]+"…")
	}
	if !slices.Equal(a.Errors, b.Errors) {
		all = append(all, "errors\n  "+strings.Join(a.Errors, "\n  ")+"\nand\n  "+strings.Join(b.Errors, "\n  "))
	}
	return strings.Join(all, "\n")
}
