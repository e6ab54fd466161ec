package cost

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/graph"
)

// Route returns the cost of a REST request that answers with a root field. For a list, list
// returns the cost of the field from the cost of one of its objects; otherwise list is nil.
func (t *Table) Route(field string, list func(costs *graph.ComplexityRoot, below int) int) int {
	below := t.whole[t.Schema().Query.Fields.ForName(field).Type.Name()]
	own := 1 + below
	if list != nil {
		own = list(&t.lists, below)
	}
	return Request + own + t.once(t.Schema().Query.Name, field)
}

// wholeOf adds up the cost of the fields that every object of a type holds.
func (t *Table) wholeOf(name string) int {
	if sum, known := t.whole[name]; known {
		return sum
	}
	t.whole[name] = 1 // for an object within itself
	schema, dearest := t.schema.Schema(), 1
	for _, object := range schema.GetPossibleTypes(schema.Types[name]) {
		dearest = max(dearest, t.wholeOfObject(object))
	}
	t.whole[name] = dearest
	return dearest
}

func (t *Table) wholeOfObject(object *ast.Definition) (sum int) {
	for _, f := range object.Fields {
		if !t.held[object.Name+"."+f.Name] {
			continue
		}
		below := 0
		if of := t.schema.Schema().Types[f.Type.Name()]; !of.IsLeafType() {
			below = t.wholeOf(of.Name)
		}
		own, has := t.schema.Complexity(context.Background(), object.Name, f.Name, below, map[string]any{})
		if !has || own < 1 {
			own = 1 + below
		}
		sum += own
	}
	return sum
}
