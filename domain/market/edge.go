package market

import (
	"context"

	"piyasa/access"
)

// Together answers an edge of instruments in one go: nil for those that are
// not covered, what check says for those that it refuses, and what read finds
// for the others, in their order. Each answer costs one unit. Without the
// scope every instrument has the same problem.
func Together[T any](ctx context.Context, scope access.Scope, instruments []*Instrument, covered func(*Instrument) bool, check func(*Instrument) error,
	read func([]*Instrument) ([]*T, error),
) ([]*T, []error) {
	answers, errs := make([]*T, len(instruments)), make([]error, len(instruments))
	fail := func(err error) ([]*T, []error) {
		for i := range errs {
			errs[i] = err
		}
		return answers, errs
	}
	if err := access.Enter(ctx, scope); err != nil {
		return fail(err)
	}
	var some []*Instrument
	var places []int
	for i, in := range instruments {
		if !covered(in) {
			continue
		}
		if errs[i] = check(in); errs[i] == nil {
			some, places = append(some, in), append(places, i)
		}
	}
	found, err := read(some)
	if err != nil {
		return fail(err)
	}
	for n, i := range places {
		if answers[i] = found[n]; answers[i] != nil {
			access.Charge(ctx, unit)
		}
	}
	return answers, errs
}

// Fine is a check that refuses nothing.
func Fine(*Instrument) error { return nil }
