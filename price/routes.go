package price

import (
	"context"
	"errors"
	"net/http"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/access"
	"piyasa/graph"
)

// errPriced is what every field answers that is only priced.
var errPriced = errors.New("priced")

// routesKey is the context's key of what the fields of a request cost.
type routesKey struct{}

// pricing answers no field, and adds its price to the figure that the context carries.
type pricing struct {
	graph.Relations
	prices *Prices
}

// Relations returns resolvers whose query answers nothing: Request has the routes of REST
// run over them to see what they ask for.
func (p *Prices) Relations() graph.Relations { return pricing{prices: p} }

// Query implements graph.Relations.
func (p pricing) Query() graph.QueryResolver {
	return graph.Pricing{Lists: &p.prices.lists, Below: p.prices.whole, Tell: func(ctx context.Context, field string, price int) error {
		if sum, ok := ctx.Value(routesKey{}).(*int); ok {
			*sum += price + p.prices.once("Query", field)
		}
		return errPriced
	}}
}

// Route returns what a request of REST costs; ask runs its route over Relations.
func (p *Prices) Route(r *http.Request, ask func(*http.Request)) int {
	sum := Request
	ctx, _ := access.WithCall(r.Context(), access.CallOf(r.Context()).Key) // mistakes in its parameters are told when it runs
	ask(r.WithContext(context.WithValue(ctx, routesKey{}, &sum)))
	return sum
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
