package queryplan

import (
	"context"

	"piyasa/loaders"
)

// Object is an object type of the schema.
type Object struct {
	Name         string
	Implementors []string // names of types whose fragments apply to it
	Fields       []*Field

	byName map[string]*Field
}

// Field is a field of an object. Append, Get, Each, All or Events reads it. Objects are passed
// as pointers to their structs, lists as pointers to their slices, and nil values as an untyped
// nil.
type Field struct {
	Name    string
	NonNull bool
	Type    *Type // nil if Append writes the field

	// Args reads the arguments of one parent as gqlgen does; nil: there are none.
	Args func(ctx context.Context, raw map[string]any) (map[string]any, error)

	// Append appends a leaf that the parent holds. If Get is also set, a list that fails is
	// written again by its Type, since its elements have paths.
	Append func(b []byte, of any) ([]byte, Outcome)
	// Get returns an object or a list that the parent holds.
	Get func(of any) any
	// Each asks for the field of one parent, which memory answers. Root fields have no parent.
	Each func(ctx context.Context, of any, args map[string]any) (any, error)
	// All asks the store for the field of all parents of a place at once.
	All func(ctx context.Context, relation loaders.Relation, of []any, args map[string]any) ([]any, []error)
	// Events begins a subscription, and returns a function that waits for its next event.
	Events func(ctx context.Context, args map[string]any) (next func(context.Context) (any, bool), err error)
}

// Type says how to read the values of a field. A Type without Elem, Concrete and Append is the
// object type Name.
type Type struct {
	NonNull bool
	Name    string

	Elem *Type                     // of a list
	Len  func(list any) int        // of a list; -1 for a nil one
	At   func(list any, i int) any // the i-th element of a list
	// Concrete returns the object type of a value of an abstract type, and the object, which
	// is nil for a nil pointer. The type is "" if the schema does not know it.
	Concrete func(v any) (string, any)
	// Append appends a leaf, also within lists.
	Append func(b []byte, v any) ([]byte, Outcome)
}

// Outcome is the result of appending a leaf. 0: it was appended.
type Outcome uint8

// The other outcomes.
const (
	Null   Outcome = 1 << iota // the leaf is null, and nothing was appended
	Failed                     // the leaf has a null that the schema does not allow
)

// Boxed returns an object, or an untyped nil.
func Boxed[T any](v *T) any {
	if v == nil {
		return nil
	}
	return v
}

// InTurn returns a list whose objects share their memory in turn; without an error it is not
// nil.
func InTurn[T any](list *T, err error) (any, error) { return list, err }

// Len returns the length of a list; -1 for a nil one.
func Len[E any](list []E) int {
	if list == nil {
		return -1
	}
	return len(list)
}

// All asks a relation about parents, and boxes the answers.
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

// Events returns a function that waits for the next event of a subscription. It reports false
// once the channel is closed or the context ends.
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
