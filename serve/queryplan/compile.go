package queryplan

import (
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// operation is the compiled form of a document's operation for one set of conditions (@skip,
// @include). It is immutable, so requests share it.
type operation struct {
	root  *selection
	cells int // number of fields that are asked for, each at its place
	nodes int
	asked []Asked
}

// Asked is a field that an operation asks for: its type and name, such as Query.quote, and the
// names of its arguments in the document.
type Asked struct {
	Field     string
	Arguments []string
}

// selection is the set of fields selected from objects of one type at one place.
type selection struct {
	object *Object
	nodes  []node
	asks   []int // the nodes that are asked for, or have such nodes below
}

// node is a field at its place.
type node struct {
	key    string                                   // `,"alias":`, with the value where it is constant
	leaf   func(b []byte, of any) ([]byte, Outcome) // appends a leaf that the parent holds
	field  *Field                                   // nil for a constant
	cell   int                                      // index of the answers if the field is asked for; else -1
	places *int                                     // number of places at which the operation asks for the field, if it does
	asks   bool                                     // whether it or something below it is asked for
	silent bool                                     // gqlgen resolves it, but another node has its alias

	object    string // the type it belongs to
	collected graphql.CollectedField
	below     map[string]*selection // by object type
	only      *selection            // the only entry of below, if there is just one
}

// Why an operation has no plan.
var (
	errLarge = fmt.Errorf("the document has more than %d fields, or fields below more than %d others, once its fragments are expanded",
		maxNodes, maxPlaces)
	errUnclear  = errors.New("@skip and @include need a boolean, and are given null")
	errDeferred = errors.New("@defer is not supported")
)

// Bounds of a plan, since a short text with nested fragments can make many fields: its fields,
// each at its place, and the places that have fields, each of which takes at most as long to
// compile as the document.
const (
	maxNodes  = 10_000
	maxPlaces = 1_000
)

// compiler makes a plan; it collects fields with gqlgen's own function.
type compiler struct {
	*Schema
	oc     *graphql.OperationContext
	op     *operation
	places int
	fields map[*Field]*int // number of places at which each is asked for
}

func (s *Schema) compile(oc *graphql.OperationContext, of *Object) made {
	c := compiler{Schema: s, oc: oc, op: &operation{}, fields: map[*Field]*int{}}
	root, err := c.selection(of, oc.Operation.SelectionSet)
	if err != nil {
		return made{refused: err}
	}
	c.op.root = root
	return made{op: c.op}
}

func (c *compiler) selection(o *Object, set ast.SelectionSet) (*selection, error) {
	if c.places++; c.places > maxPlaces {
		return nil, errLarge
	}
	collected := graphql.CollectFields(c.oc, set, o.Implementors)
	s := &selection{object: o, nodes: make([]node, len(collected))}
	seen := make(map[string]bool, len(collected))
	for i, f := range collected {
		n := &s.nodes[i]
		if err := c.node(n, o, f); err != nil {
			return nil, err
		}
		n.silent = seen[f.Alias]
		seen[f.Alias] = true
		if n.asks {
			s.asks = append(s.asks, i)
		}
	}
	return s, nil
}

func (c *compiler) node(n *node, o *Object, f graphql.CollectedField) error {
	if c.op.nodes++; c.op.nodes > maxNodes {
		return errLarge
	}
	if f.IsDeferred() {
		return errDeferred
	}
	*n = node{key: string(append(AppendString([]byte{','}, f.Alias), ':')), cell: -1, object: o.Name, collected: f}
	if f.Name == "__typename" {
		n.key = string(AppendString([]byte(n.key), o.Name))
		return nil
	}
	n.field = o.byName[f.Name]
	n.leaf = n.field.Append
	if n.field.Each != nil || n.field.All != nil || n.field.Events != nil {
		n.cell, n.asks = c.op.cells, true
		if n.places = c.fields[n.field]; n.places == nil {
			n.places = new(int)
			c.fields[n.field] = n.places
		}
		*n.places++
		c.op.cells++
		use := Asked{Field: o.Name + "." + f.Name}
		for _, arg := range f.Arguments {
			use.Arguments = append(use.Arguments, arg.Name)
		}
		c.op.asked = append(c.op.asked, use)
	}
	return c.below(n, n.field.Type)
}

// below compiles the selections of the objects that t leads to.
func (c *compiler) below(n *node, t *Type) error {
	for t != nil && t.Elem != nil {
		t = t.Elem
	}
	if t == nil || t.Append != nil {
		return nil
	}
	possible := []string{t.Name}
	if t.Concrete != nil {
		possible = nil
		for _, def := range c.Schema.Schema().GetPossibleTypes(c.Schema.Schema().Types[t.Name]) {
			if def.Kind == ast.Object { // gqlparser also lists interfaces that implement it
				possible = append(possible, def.Name)
			}
		}
	}
	n.below = make(map[string]*selection, len(possible))
	for _, name := range possible {
		s, err := c.selection(c.objects[name], n.collected.Selections)
		if err != nil {
			return err
		}
		n.below[name] = s
		n.asks = n.asks || len(s.asks) > 0
	}
	if t.Concrete == nil {
		n.only = n.below[t.Name]
	}
	return nil
}

// asksBelow reports whether something below n is asked for.
func (n *node) asksBelow() bool {
	for _, s := range n.below {
		if len(s.asks) > 0 {
			return true
		}
	}
	return false
}
