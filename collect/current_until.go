package collect

import "time"

// Deadline is the time of day, in the zone of their publisher, after which the rates of a day
// are late.
type Deadline struct {
	Zone *time.Location
	Clock
}

// After returns until when the rates of a day are current if they are the newest at the moment
// read: until the first deadline of a working day after both. If they are still the newest
// after a deadline, there was no publication on that day.
func (d Deadline) After(day, read time.Time) time.Time {
	for {
		day = day.AddDate(0, 0, 1)
		due := time.Date(day.Year(), day.Month(), day.Day(), 0, int(d.Clock), 0, 0, d.Zone)
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday && due.After(read) {
			return due.UTC()
		}
	}
}

// mostCurrent is the longest time for which rates can be stated as current: market.MostCurrent,
// which this package may not import. A test keeps both equal.
const mostCurrent = 14 * 24 * time.Hour

// PairQuote returns the quote of a currency pair observed at a moment.
func PairQuote(one, other string, at, until time.Time, rate string) Record {
	fields := map[string]any{"instrument_id": PairID(one, other), "as_of": at.UTC().Format(time.RFC3339), "currency": other, "last": rate}
	if until.Sub(at) <= mostCurrent {
		fields["current_until"] = until.UTC().Format(time.RFC3339)
	}
	return Record{"quote", fields}
}
