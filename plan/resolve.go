package plan

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// run is one operation being run.
type run struct {
	ctx   context.Context
	oc    *graphql.OperationContext
	cells []cell
	begin func(ctx context.Context, field string) context.Context // of a field of the query; may be nil

	work  sync.WaitGroup
	spare chan struct{} // as many more goroutines as may run
}

// cell is the answers to a field at its place, in the order of the parents,
// which is that of the answer.
type cell struct {
	values  []any
	errs    []error // nil: none
	args    map[string]any
	refused bool // the arguments could not be read
	next    int  // that is to be written
}

// recovered is the error that a panic becomes.
type recovered struct{ error }

// maxConcurrent is how many relations of one operation are asked for at once.
const maxConcurrent = 4

// answer resolves an operation and writes its data.
func (s *Schema) answer(ctx context.Context, oc *graphql.OperationContext, op *operation) []byte {
	r := &run{ctx: ctx, oc: oc, cells: make([]cell, op.cells), begin: s.Begin}
	if len(op.root.asks) > 0 {
		r.spare = make(chan struct{}, maxConcurrent-1)
		r.resolve(ctx, op.root, []any{nil})
		r.work.Wait()
	}
	return r.write(op)
}

// resolve asks for all that is selected of the objects at one place, and then
// below them. What costs statements is asked for concurrently: nothing else
// waits for it, since no two places share a parent place.
func (r *run) resolve(ctx context.Context, s *selection, parents []any) {
	if len(parents) == 0 {
		return
	}
	var waiting *node // for those after it to have begun
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

// concurrently resolves a field in a goroutine of its own if there may be one
// more, else here.
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

// node resolves one field of all parents, and what is below it.
func (r *run) node(ctx context.Context, n *node, parents []any) {
	if r.begin != nil && parents[0] == nil {
		ctx = r.begin(ctx, n.field.Name)
	}
	var values []any
	if n.cell >= 0 {
		values = r.ask(ctx, n, parents)
	} else {
		values = make([]any, len(parents))
		for i, of := range parents {
			values[i] = held(n.field, of)
		}
	}
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

// each asks for one parent.
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

// all asks for all parents. An error of the whole is the error of each.
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
	values, errs = n.field.All(ctx, parents, args)
	if len(values) != len(parents) {
		panic(fmt.Errorf("%s.%s answers %d of %d parents", n.object, n.field.Name, len(values), len(parents)))
	}
	return values, errs
}

// The texts of gqlgen for nulls that the schema does not allow.
var (
	errNull    = errors.New("must not be null")
	errElement = errors.New("the requested element is null which the schema does not allow")
)
