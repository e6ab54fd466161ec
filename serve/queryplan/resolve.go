package queryplan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/loaders"
)

// run is one running operation. It resolves place by place: it gathers the parents of a place in
// the order of the answer, asks each relation once for all of them, and goes on to the places
// below. Relations that read the store run concurrently, up to maxConcurrent.
type run struct {
	*Schema
	ctx   context.Context
	oc    *graphql.OperationContext
	cells []cell

	work  sync.WaitGroup
	spare chan struct{} // has a token for each further goroutine that may run; nil: none may
}

// cell holds the answers to a field at its place, in the order of the parents, which is that of
// the answer.
type cell struct {
	values  []any
	errs    []error // nil: there are none
	args    map[string]any
	refused bool // the arguments could not be read
	next    int  // index of the answer to write next
}

// recovered is the error made of a panic.
type recovered struct{ error }

// maxConcurrent is how many relations of one operation are asked for at once.
const maxConcurrent = 4

// answer resolves an operation and writes its data.
func (s *Schema) answer(ctx context.Context, oc *graphql.OperationContext, op *operation) []byte {
	ctx = loaders.With(ctx)
	r := &run{Schema: s, ctx: ctx, oc: oc, cells: make([]cell, op.cells)}
	if len(op.root.asks) > 0 {
		if oc.Operation.Operation != ast.Mutation { // the fields of a mutation run one after the other
			r.spare = make(chan struct{}, maxConcurrent-1)
		}
		r.resolve(ctx, op.root, []any{nil})
		r.work.Wait()
	}
	return r.write(op)
}

// subscribe begins a subscription. The returned handler writes the next event.
func (s *Schema) subscribe(ctx context.Context, oc *graphql.OperationContext, op *operation) graphql.ResponseHandler {
	if len(op.root.nodes) != 1 || op.root.nodes[0].cell < 0 {
		graphql.AddErrorf(ctx, "must subscribe to exactly one stream")
		return nil
	}
	n := &op.root.nodes[0]
	r := &run{Schema: s, ctx: ctx, oc: oc, cells: make([]cell, op.cells)}
	next, failed := r.events(n)
	if failed != nil {
		w := &writer{run: r}
		w.tell(*failed)
		return nil
	}
	args := r.cells[n.cell].args
	return func(ctx context.Context) *graphql.Response {
		event, ok := next(ctx)
		if !ok {
			return nil
		}
		ctx = loaders.With(ctx)
		r := &run{Schema: s, ctx: ctx, oc: oc, cells: make([]cell, op.cells)}
		r.cells[n.cell] = cell{values: []any{event}, args: args}
		if n.asksBelow() {
			r.spare = make(chan struct{}, maxConcurrent-1)
			r.below(ctx, n, r.cells[n.cell].values)
			r.work.Wait()
		}
		return &graphql.Response{Data: r.write(op)}
	}
}

// events begins the subscription of a field.
func (r *run) events(n *node) (next func(context.Context) (any, bool), failed *failure) {
	at := []step{{node: n}}
	defer func() {
		if p := recover(); p != nil {
			next, failed = nil, &failure{path: at, err: recovered{r.oc.RecoverFunc(r.ctx, p)}}
		}
	}()
	c := &r.cells[n.cell]
	if n.field.Args != nil && !r.arguments(n, c) {
		return nil, &failure{path: at}
	}
	next, err := n.field.Events(r.ctx, c.args)
	if err != nil {
		return nil, &failure{path: at, err: err}
	}
	return next, nil
}

// resolve asks for everything selected from the objects at one place, and then below them. It
// asks for fields that need the store concurrently: nothing else waits for them, since no two
// places share a parent place.
func (r *run) resolve(ctx context.Context, s *selection, parents []any) {
	if len(parents) == 0 {
		return
	}
	var waiting *node // the node to resolve here, once the later ones have begun
	for _, at := range s.asks {
		n := &s.nodes[at]
		if n.field.All == nil && parents[0] != nil {
			r.node(ctx, n, parents)
			continue
		}
		if waiting != nil {
			r.concurrently(ctx, waiting, parents)
		}
		waiting = n
	}
	if waiting != nil {
		r.node(ctx, waiting, parents)
	}
}

// concurrently resolves a field in a new goroutine if one more may run, or else here.
func (r *run) concurrently(ctx context.Context, n *node, parents []any) {
	select {
	case r.spare <- struct{}{}:
		r.work.Go(func() {
			defer func() { <-r.spare }()
			r.node(ctx, n, parents)
		})
	default:
		r.node(ctx, n, parents)
	}
}

// node resolves one field of all parents, and everything below it.
func (r *run) node(ctx context.Context, n *node, parents []any) {
	if r.Begin != nil && parents[0] == nil {
		ctx = r.Begin(ctx, n.field.Name)
	}
	var values []any
	if n.cell >= 0 {
		values = r.ask(ctx, n, parents)
		if args := r.cells[n.cell].args; args != nil && r.Below != nil {
			ctx = r.Below(ctx, args)
		}
	} else {
		values = make([]any, len(parents))
		for i, of := range parents {
			values[i] = held(n.field, of)
		}
	}
	r.below(ctx, n, values)
}

// below resolves everything below a field, in its values.
func (r *run) below(ctx context.Context, n *node, values []any) {
	if !n.asksBelow() {
		return
	}
	if n.only != nil {
		var all []any
		for _, v := range values {
			all = objectsIn(n.field.Type, v, all)
		}
		r.resolve(ctx, n.only, all)
		return
	}
	byType := make(map[string][]any, len(n.below))
	for _, v := range values {
		concreteIn(n.field.Type, v, byType)
	}
	for name, s := range n.below {
		r.resolve(ctx, s, byType[name])
	}
}

// held returns an object or a list that the parent holds. A panic is reported when
// the answer is written.
func held(f *Field, of any) (v any) {
	defer func() {
		if recover() != nil {
			v = nil
		}
	}()
	return f.Get(of)
}

// objectsIn appends the objects that v leads to.
func objectsIn(t *Type, v any, to []any) []any {
	switch {
	case v == nil:
		return to
	case t.Elem == nil:
		return append(to, v)
	}
	for i := range t.Len(v) {
		to = objectsIn(t.Elem, t.At(v, i), to)
	}
	return to
}

// concreteIn appends the objects of an abstract type that v leads to, by their
// own types.
func concreteIn(t *Type, v any, to map[string][]any) {
	if v == nil {
		return
	}
	if t.Elem == nil {
		if name, of := t.Concrete(v); of != nil {
			to[name] = append(to[name], of)
		}
		return
	}
	for i := range t.Len(v) {
		concreteIn(t.Elem, t.At(v, i), to)
	}
}

// ask asks for a field of all parents.
func (r *run) ask(ctx context.Context, n *node, parents []any) []any {
	c := &r.cells[n.cell]
	if n.field.Args != nil && !r.arguments(n, c) {
		c.values = make([]any, len(parents))
		return c.values
	}
	if n.field.All != nil {
		c.values, c.errs = r.all(ctx, n, parents, c.args)
		return c.values
	}
	c.values = make([]any, len(parents))
	for i, of := range parents {
		v, err := r.each(ctx, n, of, c.args)
		if err == nil {
			c.values[i] = v
			continue
		}
		if c.errs == nil {
			c.errs = make([]error, len(parents))
		}
		c.errs[i] = err
	}
	return c.values
}

// arguments reads the arguments of a field once for all its parents.
func (r *run) arguments(n *node, c *cell) bool {
	defer func() {
		if recover() != nil {
			c.refused = true
		}
	}()
	if c.refused = NullOf(n.collected.Field, r.oc.Variables) != nil; c.refused {
		return false
	}
	args, err := n.field.Args(r.ctx, n.collected.ArgumentMap(r.oc.Variables))
	c.args, c.refused = args, err != nil
	return !c.refused
}

// each asks for a field of one parent.
func (r *run) each(ctx context.Context, n *node, of any, args map[string]any) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, recovered{r.oc.RecoverFunc(r.ctx, p)}
		}
	}()
	if r.ctx.Err() != nil {
		return nil, context.Cause(r.ctx)
	}
	return n.field.Each(ctx, of, args)
}

// all asks for a field of all parents. An error of the call is the error of each parent.
func (r *run) all(ctx context.Context, n *node, parents []any, args map[string]any) (values []any, errs []error) {
	failed := func(err error) {
		values, errs = make([]any, len(parents)), make([]error, len(parents))
		for i := range errs {
			errs[i] = err
		}
	}
	defer func() {
		if p := recover(); p != nil {
			failed(r.oc.RecoverFunc(r.ctx, p))
		}
	}()
	if r.ctx.Err() != nil {
		failed(context.Cause(r.ctx))
		return values, errs
	}
	values, errs = n.field.All(ctx, r.relation(n), parents, args)
	if len(values) != len(parents) {
		panic(fmt.Errorf("%s.%s answers %d of %d parents", n.object, n.field.Name, len(values), len(parents)))
	}
	return values, errs
}

// relation returns the name of the relation that a field asks for. It includes the arguments
// only if the operation asks for the field at several places, which they distinguish.
func (r *run) relation(n *node) loaders.Relation {
	relation := loaders.Relation{Field: n.object + "." + n.field.Name}
	if *n.places > 1 {
		text, _ := json.Marshal(n.collected.ArgumentMap(r.oc.Variables))
		relation.Arguments = string(text)
	}
	return relation
}

// gqlgen's errors for nulls that the schema does not allow.
var (
	errNull    = errors.New("must not be null")
	errElement = errors.New("the requested element is null which the schema does not allow")
)
