package access

import (
	"context"
	"reflect"
	"slices"
)

// unit is the cost of one answer of an edge.
const unit = 1

// Edge answers an edge of several parents in one go: nothing for those that are
// not covered, what check says for those that it refuses, and what read finds
// for the others, in their order. A nil covered covers all, a nil check refuses
// none. Each answer that is not nil costs one unit. Without the scope, or when
// read fails, all parents have the same problem.
func Edge[K, V any](ctx context.Context, scope Scope, parents []K, covered func(K) bool, check func(K) error, read func([]K) ([]V, error)) ([]V, []error) {
	answers, errs := make([]V, len(parents)), make([]error, len(parents))
	if err := Enter(ctx, scope); err != nil {
		return answers, slices.Repeat([]error{err}, len(parents))
	}
	var some []K
	var places []int
	for i, p := range parents {
		if covered != nil && !covered(p) {
			continue
		}
		if check != nil {
			errs[i] = check(p)
		}
		if errs[i] == nil {
			some, places = append(some, p), append(places, i)
		}
	}
	found, err := read(some)
	if err != nil {
		return answers, slices.Repeat([]error{err}, len(parents))
	}
	for n, i := range places {
		if answers[i] = found[n]; !reflect.ValueOf(&answers[i]).Elem().IsZero() {
			Charge(ctx, unit)
		}
	}
	return answers, errs
}
