package value

import (
	"fmt"
	"time"

	"piyasa/internal/problem"
)

// Range is a run of days, both ends included.
type Range struct{ From, To Bound }

// Bound is one end of a range.
type Bound struct {
	Date    Date
	Default string // what the end is by default, such as "today"; empty: the client gave it
}

// BoundOf returns the bound that a client gave, or its default and the
// description of the default for problems.
func BoundOf(given *Date, otherwise Date, described string) Bound {
	if given != nil {
		return Bound{Date: *given}
	}
	return Bound{otherwise, described}
}

// Check rejects a range that ends before it begins, or has more than most days; most 0 is no limit.
// what describes such ranges in the problem, as in "A range of dividends". Problems:
// inverted-window, window-too-long.
func (r Range) Check(what string, most int) error {
	if r.To.Date.Before(r.From.Date) {
		return inverted(r.From.Date, r.To.Date, r.defaults())
	}
	if most > 0 && r.From.Date.AddDays(most-1).Before(r.To.Date) {
		e := problem.New(problem.WindowTooLong, "%s has at most %d days, both ends included; %s to %s is longer.%s",
			what, most, r.From.Date, r.To.Date, r.defaults())
		e.Members.Limit = &most
		return e
	}
	return nil
}

// Instants returns the first and the last millisecond of the range in zone.
func (r Range) Instants(zone *time.Location) (first, last Instant) {
	return r.From.Date.Start(zone), r.To.Date.AddDays(1).Start(zone).Add(-time.Millisecond)
}

// defaults describes which ends of the range are defaults.
func (r Range) defaults() (words string) {
	if r.From.Default != "" {
		words += " from defaults to " + r.From.Default + "."
	}
	if r.To.Default != "" {
		words += " to defaults to " + r.To.Default + "."
	}
	return words
}

// firstDate is the earliest date with a day before it.
var firstDate = NewDate(1, time.January, 2)

// LastDays completes a range whose default is the n days that end at to; to is
// today by default. It does not check the range.
func LastDays(from, to *Date, today Date, n int) Range {
	last := BoundOf(to, today, "today")
	first := last.Date.AddDays(1 - n)
	if first.Before(firstDate) {
		first = firstDate
	}
	return Range{BoundOf(from, first, ""), last}
}

// CheckOrder rejects an end before its beginning; a nil end is open. Problem: inverted-window.
func CheckOrder[T interface {
	Before(T) bool
	fmt.Stringer
}](from, to *T) error {
	if from != nil && to != nil && (*to).Before(*from) {
		return inverted(*from, *to, "")
	}
	return nil
}

// inverted returns the problem of a range that ends before it begins.
func inverted(from, to fmt.Stringer, defaults string) error {
	return problem.New(problem.InvertedWindow, "from, %s, must not be after to, %s.%s", from, to, defaults)
}
