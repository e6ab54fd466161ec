package value

import (
	"fmt"
	"strconv"
	"strings"

	"piyasa/problem"
)

// Limit is the range of a parameter that counts rows.
type Limit struct{ Min, Max, Default int }

// Must says what the parameter has to be.
func (l Limit) Must() string { return fmt.Sprintf("a whole number from %d to %d", l.Min, l.Max) }

// Refuse is the problem of a parameter outside the range, or no number at all.
func (l Limit) Refuse(parameter, value string) *problem.Error {
	e := problem.Parameter(parameter, value, l.Must())
	e.Members.Limit = &l.Max
	return e
}

// Of is the value asked for, or the default; out of range it is a problem.
func (l Limit) Of(asked *int) (int, error) {
	if asked == nil {
		return l.Default, nil
	}
	if *asked < l.Min || *asked > l.Max {
		return 0, l.Refuse("limit", strconv.Itoa(*asked))
	}
	return *asked, nil
}

// EdgeLimit is the range of the argument first of an edge to many.
var RelationLimit = Limit{1, 100, 20}

// First is how many rows an edge to many gives, within EdgeLimit.
func First(asked *int) (int, error) {
	if asked != nil && (*asked < RelationLimit.Min || *asked > RelationLimit.Max) {
		return 0, RelationLimit.Refuse("first", strconv.Itoa(*asked))
	}
	return RelationLimit.Of(asked)
}

// CheckCount refuses an empty list, or one of more than limit values: what says
// of what, in the parameter of that name.
func CheckCount(parameter, what string, values []string, limit int) error {
	if len(values) == 0 {
		e := problem.New(problem.InvalidParameter, "%s must have 1 to %d %s.", parameter, limit, what)
		return e.About(parameter, "")
	}
	if len(values) > limit {
		e := problem.New(problem.TooManyValues, "%s must have 1 to %d %s; got %d.", parameter, limit, what, len(values))
		e = e.About(parameter, strings.Join(values, ","))
		e.Members.Limit = &limit
		return e
	}
	return nil
}
