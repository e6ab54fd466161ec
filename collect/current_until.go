package collect

import "time"

// Deadline is when the rates of a day count as late, in the zone of their publisher.
type Deadline struct {
	Zone *time.Location
	Clock
}

// After returns until when the rates of a day are current for a reader at a moment
// that they are the newest: until the first deadline of a working day that follows both.
// When the day before is still the newest after its deadline, there was no publication.
func (d Deadline) After(day, read time.Time) time.Time {
	for {
		day = day.AddDate(0, 0, 1)
		due := time.Date(day.Year(), day.Month(), day.Day(), 0, int(d.Clock), 0, 0, d.Zone)
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday && due.After(read) {
			return due.UTC()
		}
	}
}

// mostCurrent is how long rates can be stated to be current: market.MostCurrent, which
// this package may not import. A test holds both together.
const mostCurrent = 14 * 24 * time.Hour

// PairQuote returns the quote of a currency pair as it was observed at a moment.
func PairQuote(one, other string, at, until time.Time, rate string) Record {
	fields := map[string]any{"instrument_id": PairID(one, other), "as_of": at.UTC().Format(time.RFC3339), "currency": other, "last": rate}
	if until.Sub(at) <= mostCurrent {
		fields["current_until"] = until.UTC().Format(time.RFC3339)
	}
	return Record{"quote", fields}
}
