package queryplan_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/serve/queryplan/plantest"
	"piyasa/serve/queryplan/plantest/world"
)

// What differs on purpose:
//   - A null among scalars that may not be null is an error of the list, as with gqlgen, not of
// the element. Of the product's lists none can hold one.
//   - A scalar that writes itself may write null anywhere, and an enum may be a text that the schema does not have: Go types see to both.
//   - A list with an object of no type of the schema is left empty, and a nil pointer in an interface is a null without an error, as with
//     gqlgen. No query of the product has a field of an interface or a union.
//   - The error of an argument that cannot be read points at the argument; the transport cuts it off (TestRefusedArguments there).
//   - A scalar of the schema is read where it is used, not when the document is validated, so that a mistake in one costs one field.

// agree runs a random document through graphql-js, too, over an equal world.
func agree(t *testing.T, js *plantest.GraphQLJS, seed, words uint64) (failed bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, words))
	odds := anyOdds(r)
	odds.Odd = 0
	d := grammar.Random(r)
	got := ask(t, ours(world.New(seed, odds)), d)
	answers := world.NewByName(world.New(seed, odds), grammar.Schema)
	data, errs := js.Execute(t, d, func(f plantest.Field) (any, error) { return answers.Resolve(f.Name, f.Of, f.Args) })
	for i := range errs {
		errs[i].Path = ourPath(errs[i])
	}
	if different := plantest.Disagreement(got, data, errs); different != "" {
		t.Errorf("seed %d, odds %+v\n%s\n%v\n%s\n%s\n%+v\n%s\n%s",
			seed, odds, d.Text, d.Variables, different, got.InTurn, errs, got.Data, data)
	}
	return len(errs) > 0
}

// ourPath is the path of an error where it is ours.
func ourPath(e plantest.Error) []any {
	if e.Message == "must be a good figure" {
		return append(e.Path, "is")
	}
	at := nullOf.FindStringSubmatch(e.Message)
	if at == nil {
		return e.Path
	}
	path := e.Path
	if field := grammar.Schema.Types[at[1]].Fields.ForName(at[2]); grammar.Schema.Types[field.Type.Name()].Kind == ast.Scalar {
		for {
			if _, isIndex := path[len(path)-1].(json.Number); !isIndex {
				break
			}
			path = path[:len(path)-1]
		}
	}
	return path
}

var nullOf = regexp.MustCompile(`^Cannot return null for non-nullable field (\w+)\.(\w+)\.$`)

// graphql-js answers with the same data, and fails at the same places.
func TestGraphQLJSAgrees(t *testing.T) {
	js := plantest.NewGraphQLJS(t, "plantest/graphqljs", grammar.Schema)
	documents, failed := 300, 0
	if testing.Short() {
		documents = 100
	}
	for seed := range uint64(documents) {
		if agree(t, js, seed, 3) {
			failed++
		}
		if t.Failed() {
			break
		}
	}
	if failed < documents/5 || failed > documents*4/5 {
		t.Errorf("%d of %d answers have errors", failed, documents)
	}
}

// FuzzGraphQLJS looks for a document that graphql-js answers differently.
func FuzzGraphQLJS(f *testing.F) {
	js := plantest.NewGraphQLJS(f, "plantest/graphqljs", grammar.Schema)
	for seed := range uint64(10) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, seed, words uint64) { agree(t, js, seed, words) })
}
