package price

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/graph"
)

// Route returns what a request of REST costs that answers with a field of the query. list
// returns what the field costs, given what one of its objects holds; nil: it is no list.
func (p *Prices) Route(field string, list func(costs *graph.ComplexityRoot, below int) int) int {
	below := p.whole[p.Schema().Query.Fields.ForName(field).Type.Name()]
	price := 1 + below
	if list != nil {
		price = list(&p.lists, below)
	}
	return Request + price + p.once(p.Schema().Query.Name, field)
}

// wholeOf prices what an object of a type holds, whatever the object.
func (p *Prices) wholeOf(name string) int {
	if price, known := p.whole[name]; known {
		return price
	}
	p.whole[name] = 1 // of an object within itself
	schema, dearest := p.schema.Schema(), 1
	for _, object := range schema.GetPossibleTypes(schema.Types[name]) {
		dearest = max(dearest, p.wholeOfObject(object))
	}
	p.whole[name] = dearest
	return dearest
}

func (p *Prices) wholeOfObject(object *ast.Definition) (sum int) {
	for _, f := range object.Fields {
		if !p.held[object.Name+"."+f.Name] {
			continue
		}
		below := 0
		if of := p.schema.Schema().Types[f.Type.Name()]; !of.IsLeafType() {
			below = p.wholeOf(of.Name)
		}
		price, priced := p.schema.Complexity(context.Background(), object.Name, f.Name, below, map[string]any{})
		if !priced || price < 1 {
			price = 1 + below
		}
		sum += price
	}
	return sum
}
