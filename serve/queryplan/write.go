package queryplan

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/99designs/gqlgen/graphql"
)

// writer writes the answer of an operation in one pass over its plan, in the order in which run
// gathered the objects. A forbidden null cuts the text back to the beginning of its object, and
// its error has the path.
type writer struct {
	*run
	b       []byte
	path    []step
	errs    []failure
	guarded bool // each field recovers its panic
	written int  // elements of lists
}

// pausing is the number of list elements after which a long answer yields the processor, and
// checks whether its client still waits.
const pausing = 256

// errEnded is the panic of a pass whose client has gone.
var errEnded = errors.New("the context has ended")

// step leads down the answer: to a field, or to an element of a list.
type step struct {
	node  *node // nil: an element
	index int
}

// failure is an error with its path.
type failure struct {
	path []step
	err  error // nil: the arguments of the last step cannot be read
	null bool  // err is about a null, not from a resolver
}

// write writes the data and reports the errors, in the order of the answer. After a panic it
// makes a second pass, which recovers each field separately. If the context ends, the answer is
// null.
func (r *run) write(op *operation) []byte {
	w := &writer{run: r, b: buffer()}
	for _, w.guarded = range []bool{false, true} {
		for i := range r.cells {
			r.cells[i].next = 0
		}
		w.b, w.path, w.errs = w.b[:0], w.path[:0], nil
		complete, ended := w.once(op)
		if ended {
			graphql.AddError(r.ctx, context.Cause(r.ctx))
			return append(w.b[:0], "null"...)
		}
		if complete {
			break
		}
	}
	for _, f := range w.errs {
		w.tell(f)
	}
	return w.b
}

// once makes one pass, unless a panic or the end of the context ends it.
func (w *writer) once(op *operation) (complete, ended bool) {
	defer func() {
		switch p := recover(); {
		case p == errEnded:
			ended = true
		case p != nil && w.guarded:
			panic(p)
		case p != nil:
			complete = false
		}
	}()
	w.document(op)
	return true, false
}

// pause yields the processor after every pausing elements of lists.
func (w *writer) pause() {
	if w.written++; w.written%pausing != 0 {
		return
	}
	runtime.Gosched()
	if w.ctx.Err() != nil {
		panic(errEnded)
	}
}

func (w *writer) document(op *operation) {
	if !w.object(op.root, nil) {
		w.b = append(w.b, "null"...)
	}
}

// object appends an object. If one of its fields has a forbidden null, it returns false and
// appends nothing.
func (w *writer) object(s *selection, of any) bool {
	start, valid := len(w.b), true
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.leaf != nil && w.simply(n, of) {
			continue
		}
		mark := len(w.b)
		w.b = append(w.b, n.key...)
		if n.field != nil && !w.fieldSafely(n, of) {
			w.b = append(w.b, "null"...)
			valid = valid && !n.field.NonNull
		}
		if n.silent {
			w.b = w.b[:mark]
		}
	}
	if !valid {
		w.b = w.b[:start]
		return false
	}
	if len(w.b) == start {
		w.b = append(w.b, '{', '}')
		return true
	}
	w.b[start] = '{' // in place of the first comma
	w.b = append(w.b, '}')
	return true
}

// simply appends a leaf in the simple case, which is that of most fields of long answers.
// Otherwise it returns false and appends nothing.
func (w *writer) simply(n *node, of any) bool {
	if w.guarded || n.silent {
		return false
	}
	b, outcome := n.leaf(append(w.b, n.key...), of)
	if outcome == Null && !n.field.NonNull {
		b, outcome = append(b, "null"...), 0
	}
	if outcome == 0 {
		w.b = b
	}
	return outcome == 0
}

func (w *writer) fieldSafely(n *node, of any) (there bool) {
	if !w.guarded {
		return w.field(n, of)
	}
	mark, depth := len(w.b), len(w.path)
	defer func() {
		if p := recover(); p == errEnded {
			panic(p)
		} else if p != nil {
			w.b, w.path = w.b[:mark], w.path[:depth]
			w.fail(n, recovered{w.oc.RecoverFunc(w.ctx, p)}, false)
			there = false
		}
	}()
	return w.field(n, of)
}

// field appends the value of a field, or nothing if it is null.
func (w *writer) field(n *node, of any) bool {
	if n.leaf != nil {
		b, outcome := n.leaf(w.b, of)
		if outcome == 0 {
			w.b = b
			return true
		}
		if outcome&Failed == 0 || n.field.Get == nil {
			return w.leaf(n, b, outcome)
		}
	}
	var v any
	if n.cell >= 0 {
		c := &w.cells[n.cell]
		i := c.next
		c.next++
		if c.refused {
			w.fail(n, nil, false)
			return false
		}
		if c.errs != nil && c.errs[i] != nil {
			w.fail(n, c.errs[i], false)
			return false
		}
		v = c.values[i]
	} else {
		v = n.field.Get(of)
	}
	if v == nil && n.field.Type.Concrete != nil {
		if n.field.NonNull {
			w.fail(n, errNull, true)
		}
		return false
	}
	w.path = append(w.path, step{node: n})
	written := w.value(n, n.field.Type, v) == written
	w.path = w.path[:len(w.path)-1]
	return written
}

// leaf handles a leaf beyond the simple case. b is the text after it.
func (w *writer) leaf(n *node, b []byte, outcome Outcome) bool {
	if outcome&Failed != 0 {
		w.fail(n, errElement, true)
	}
	w.b = b
	return outcome&Null == 0
}

// how is the result of appending a value.
type how int

const (
	written how = iota
	isNull
	isOdd // of no object type
)

// value appends a value at the path, or nothing.
func (w *writer) value(n *node, t *Type, v any) how {
	switch {
	case t.Elem != nil:
		return w.list(n, t, v)
	case t.Append != nil:
		b, outcome := t.Append(w.b, v)
		if outcome&Failed != 0 {
			w.fail(nil, errElement, true)
		}
		w.b = b
		if outcome&Null != 0 {
			return isNull
		}
		return written
	case v == nil:
		if t.NonNull {
			w.fail(nil, errElement, true)
		}
		return isNull
	}
	s := n.only
	if s == nil {
		name, of := t.Concrete(v)
		if name == "" {
			w.odd(t, v)
			return isOdd
		}
		if of == nil {
			return isNull
		}
		s, v = n.below[name], of
	}
	if !w.object(s, v) {
		return isNull
	}
	return written
}

// odd reports a value of no type of the schema, with the text of gqlgen's panic.
func (w *writer) odd(t *Type, v any) {
	p := fmt.Errorf("unexpected type %T; non-generated variants of %s must implement graphql.Marshaler", v, t.Name)
	w.fail(nil, recovered{w.oc.RecoverFunc(w.ctx, p)}, false)
}

// list appends a list. With an odd element gqlgen leaves it empty.
func (w *writer) list(n *node, t *Type, v any) how {
	length := t.Len(v)
	if length < 0 && !t.NonNull {
		return isNull
	}
	start, valid, odd := len(w.b), true, false
	w.b = append(w.b, '[')
	w.path = append(w.path, step{})
	at := len(w.path) - 1
	for i := range length {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.path[at].index = i
		w.pause()
		switch w.value(n, t.Elem, t.At(v, i)) {
		case isNull:
			w.b = append(w.b, "null"...)
			valid = valid && !t.Elem.NonNull
		case isOdd:
			odd = true
		}
	}
	w.path = w.path[:at]
	switch {
	case odd:
		w.b = append(w.b[:start], '[', ']')
		return written
	case !valid:
		w.b = w.b[:start]
		return isNull
	}
	w.b = append(w.b, ']')
	return written
}

// fail records an error at the path, or at a field of the object there.
func (w *writer) fail(n *node, err error, null bool) {
	path := append(make([]step, 0, len(w.path)+1), w.path...)
	if n != nil {
		path = append(path, step{node: n})
	}
	w.errs = append(w.errs, failure{path, err, null})
}

// tell adds an error to the response, as gqlgen's executor does.
func (w *writer) tell(f failure) {
	ctx := graphql.WithFieldContext(w.ctx, &graphql.FieldContext{Object: "Query"})
	for i := range f.path {
		at := &f.path[i]
		fc := &graphql.FieldContext{Index: &at.index}
		if n := at.node; n != nil {
			fc = &graphql.FieldContext{Object: n.object, Field: n.collected}
			if n.cell >= 0 {
				fc.Args = w.cells[n.cell].args
			}
		}
		ctx = graphql.WithFieldContext(ctx, fc)
	}
	_, isPanic := f.err.(recovered)
	switch {
	case f.err == nil:
		graphql.AddError(ctx, w.refusal(ctx, f.path[len(f.path)-1].node))
	case isPanic:
		graphql.AddError(ctx, graphql.ErrorOnPath(ctx, f.err.(recovered).error))
	case f.null:
		graphql.AddError(ctx, f.err)
	default:
		graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, f.err))
	}
}

// refusal reads arguments again, so that their error has its path.
func (w *writer) refusal(ctx context.Context, n *node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = w.oc.Recover(ctx, p)
		}
	}()
	if null := NullOf(n.collected.Field, w.oc.Variables); null != nil {
		return graphql.AddFieldLocationToError(ctx, null)
	}
	_, err = n.field.Args(ctx, n.collected.ArgumentMap(w.oc.Variables))
	return err
}
