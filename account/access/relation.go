package access

import (
	"context"
	"reflect"
	"slices"
)

// Relation answers a field of several parents together: it checks the call and each parent,
// reads the answers of the rest at once, and charges for them. Exactly one of Read and ReadEach
// must be set; every other function may be nil.
type Relation[K, V any] struct {
	Enter   func(context.Context) error    // admits the call, or returns the problem of all parents
	EnterOf func(context.Context, K) error // admits the call for one parent
	Covers  func(K) bool                   // whether a parent can have an answer; nil: every parent can
	Check   func(K) error                  // returns the problem of one parent

	// Read finds the answers of the remaining parents, in their order. Its problem is that
	// of all parents.
	Read func([]K) ([]V, error)
	// ReadEach is Read with a separate problem for each parent.
	ReadEach func([]K) ([]V, []error)

	Charged func(K, V) bool // whether an answer costs a unit; nil: if it is not zero
}

// Needs returns an Enter function that admits calls whose key has a scope.
func Needs(scope Scope) func(context.Context) error {
	return func(ctx context.Context) error { return Enter(ctx, scope) }
}

// Answer returns the answers of parents in their order, and the problem of each
// parent that has one. A parent that is not covered has neither.
func (r Relation[K, V]) Answer(ctx context.Context, parents []K) ([]V, []error) {
	answers, errs := make([]V, len(parents)), make([]error, len(parents))
	fail := func(err error) ([]V, []error) {
		return make([]V, len(parents)), slices.Repeat([]error{err}, len(parents))
	}
	if r.Enter != nil {
		if err := r.Enter(ctx); err != nil {
			return fail(err)
		}
	}
	some, places := make([]K, 0, len(parents)), make([]int, 0, len(parents))
	for i, p := range parents {
		if r.EnterOf != nil {
			errs[i] = r.EnterOf(ctx, p)
		}
		if errs[i] != nil || r.Covers != nil && !r.Covers(p) {
			continue
		}
		if r.Check != nil {
			errs[i] = r.Check(p)
		}
		if errs[i] == nil {
			some, places = append(some, p), append(places, i)
		}
	}
	found, problems, err := r.read(some)
	if err != nil {
		return fail(err)
	}
	for n, i := range places {
		if problems != nil && problems[n] != nil {
			errs[i] = problems[n]
			continue
		}
		if answers[i] = found[n]; r.charged(parents[i], &answers[i]) {
			Charge(ctx, Unit)
		}
	}
	return answers, errs
}

// read calls Read or ReadEach.
func (r Relation[K, V]) read(parents []K) (found []V, problems []error, err error) {
	if r.ReadEach != nil {
		found, problems = r.ReadEach(parents)
		return found, problems, nil
	}
	found, err = r.Read(parents)
	return found, nil, err
}

// charged reports whether an answer costs a unit.
func (r Relation[K, V]) charged(parent K, answer *V) bool {
	if r.Charged != nil {
		return r.Charged(parent, *answer)
	}
	return !reflect.ValueOf(answer).Elem().IsZero()
}
