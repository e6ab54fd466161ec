package value

import (
	"fmt"
	"strconv"
	"strings"

	"piyasa/internal/problem"
)

// Limit is the range of a parameter that counts rows.
type Limit struct{ Min, Max, Default int }

// Must returns the text of problems that states what the parameter must be.
func (l Limit) Must() string { return fmt.Sprintf("a whole number from %d to %d", l.Min, l.Max) }

// Refuse returns the problem of a parameter that is outside the range or not a number.
func (l Limit) Refuse(parameter, value string) *problem.Error {
	e := problem.Parameter(parameter, value, l.Must())
	e.Members.Limit = &l.Max
	return e
}

// Of returns the value asked for, or the default. Problem: invalid-parameter,
// out of range.
func (l Limit) Of(count *int) (int, error) {
	if count == nil {
		return l.Default, nil
	}
	if *count < l.Min || *count > l.Max {
		return 0, l.Refuse("limit", strconv.Itoa(*count))
	}
	return *count, nil
}

// RelationLimit is the range of the argument first of a relation to many
// objects.
var RelationLimit = Limit{1, 100, 20}

// First returns how many rows a relation to many objects returns, within
// RelationLimit. Problem: invalid-parameter.
func First(count *int) (int, error) {
	if count != nil && (*count < RelationLimit.Min || *count > RelationLimit.Max) {
		return 0, RelationLimit.Refuse("first", strconv.Itoa(*count))
	}
	return RelationLimit.Of(count)
}

// CheckCount rejects an empty list, and one of more than limit values.
// parameter is the name of the list, what the noun for its values.
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
