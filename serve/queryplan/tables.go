package queryplan

import (
	"context"

	"piyasa/loaders"
)

// Object is an object type of the schema.
type Object struct {
	Name         string
	Implementors []string // names of types that its fragments may be on
	Fields       []*Field

	byName map[string]*Field
}

// Field is a field of an object. Append, Get, Each, All or Events reads it. Objects are handed around as pointers to their structs,
// lists as pointers to their slices, and what is nil as an untyped nil.
type Field struct {
	Name    string
	NonNull bool
	Type    *Type // nil for what Append writes

	// Args reads the arguments of one parent as gqlgen does; nil: there are none.
	Args func(ctx context.Context, raw map[string]any) (map[string]any, error)

	// Append appends a leaf that the parent holds. With Get beside it, a list that
	// fails is written again by its Type, since its elements have paths.
	Append func(b []byte, of any) ([]byte, Outcome)
	// Get is an object or a list that the parent holds.
	Get func(of any) any
	// Each asks for one parent what memory answers. Root fields have no parent.
	Each func(ctx context.Context, of any, args map[string]any) (any, error)
	// All asks the store for all parents of a place at once.
	All func(ctx context.Context, relation loaders.Relation, of []any, args map[string]any) ([]any, []error)
	// Events begins a subscription, and returns what waits for its next event.
	Events func(ctx context.Context, args map[string]any) (next func(context.Context) (any, bool), err error)
}

// Type is how values of a field are read. One that has no Elem, no Concrete and
// no Append is the object type Name.
type Type struct {
	NonNull bool
	Name    string

	Elem *Type                     // of a list
	Len  func(list any) int        // of a list; -1 for a nil one
	At   func(list any, i int) any // the i-th element of a list
	// Concrete is the object type of a value of an abstract type, and the object,
	// which is nil for a nil pointer; without a name it has no such type.
	Concrete func(v any) (string, any)
	// Append appends a leaf, in whatever lists.
	Append func(b []byte, v any) ([]byte, Outcome)
}

// Outcome says how a leaf came out. 0 is: it is appended.
type Outcome uint8

// What else may have come of a leaf.
const (
	Null   Outcome = 1 << iota // it is null, and nothing is appended
	Failed                     // there is a null that the schema does not allow
)

// Boxed returns an object, or nil.
func Boxed[T any](v *T) any {
	if v == nil {
		return nil
	}
	return v
}

// InTurn returns a list whose objects are there one at a time; without an error it is not nil.
func InTurn[T any](list *T, err error) (any, error) { return list, err }

// Len returns the length of a list; -1 for a nil one.
func Len[E any](list []E) int {
	if list == nil {
		return -1
	}
	return len(list)
}

// All asks a relation about parents.
func All[P, V any](ctx context.Context, relation loaders.Relation, of []any, ask func([]*P) ([]V, []error),
	boxed func(*V) any) ([]any, []error) {
	parents := make([]*P, len(of))
	for i := range of {
		parents[i] = of[i].(*P)
	}
	values, errs := loaders.Load(ctx, relation, parents, ask)
	answers := make([]any, len(of))
	for i := range of {
		if errs[i] == nil {
			answers[i] = boxed(&values[i])
		}
	}
	return answers, errs
}

// Events returns what waits for the next event of a subscription: it is over when the
// channel is closed or the context ends.
func Events[V any](events <-chan V, err error, boxed func(*V) any) (func(context.Context) (any, bool), error) {
	return func(ctx context.Context) (any, bool) {
		select {
		case v, ok := <-events:
			return boxed(&v), ok
		case <-ctx.Done():
			return nil, false
		}
	}, err
}
