package ipo

import "piyasa/internal/value"

// State is the stage of an IPO.
type State string

// The states as of a Turkey-time day. In a filter, All means any of them.
const (
	Upcoming  State = "upcoming"  // book-building has not started
	Active    State = "active"    // book-building has started; the share does not trade yet
	Completed State = "completed" // the share trades
	All       State = "all"
)

var _ = value.Enum(Upcoming, Active, Completed, All)

// reached reports whether a day has come.
func reached(d, today value.Date) bool { return !d.IsNull() && !today.Before(d) }

// state returns the stage of the IPO on a day.
func (r *Record) state(today value.Date, traded bool) State {
	switch {
	case traded, reached(r.FirstTradeDate, today):
		return Completed
	case reached(r.DemandStart, today), reached(r.DemandEnd, today):
		return Active
	}
	return Upcoming
}
