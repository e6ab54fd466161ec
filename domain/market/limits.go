package market

import (
	"fmt"
	"strconv"
	"strings"

	"piyasa/problem"
)

// Limit is the range of a parameter that counts rows.
type Limit struct{ Min, Max, Default int }

// The limits of the lists.
var (
	InstrumentLimit = Limit{1, 5000, 50}
	MoverLimit      = Limit{1, 100, 20}
)

// MaxIDs is how many ids one batch may ask for, counted as written.
const MaxIDs = 100

// Must says what the parameter has to be.
func (l Limit) Must() string { return fmt.Sprintf("a whole number from %d to %d", l.Min, l.Max) }

// Refuse is the problem of a parameter outside the range, or no number at all.
func (l Limit) Refuse(parameter, value string) *problem.Error {
	e := problem.Parameter(parameter, value, l.Must())
	e.Members.Limit = &l.Max
	return e
}

// of is the value asked for, or the default; out of range it is a problem.
func (l Limit) of(asked *int) (int, error) {
	if asked == nil {
		return l.Default, nil
	}
	if *asked < l.Min || *asked > l.Max {
		return 0, l.Refuse("limit", strconv.Itoa(*asked))
	}
	return *asked, nil
}

// checkIDs refuses an empty or too long list of ids.
func checkIDs(ids []string) error {
	if len(ids) == 0 {
		e := problem.New(problem.InvalidParameter, "ids must hold 1 to %d instrument ids.", MaxIDs)
		return e.About("ids", "")
	}
	if len(ids) > MaxIDs {
		e := problem.New(problem.TooManyValues, "ids must hold 1 to %d instrument ids; got %d.", MaxIDs, len(ids))
		e = e.About("ids", strings.Join(ids, ","))
		limit := MaxIDs
		e.Members.Limit = &limit
		return e
	}
	return nil
}
