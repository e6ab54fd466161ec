package value

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"
	_ "time/tzdata" // the zones of markets, on machines without them
)

// Date is a calendar day of some market. The zero Date is null.
type Date struct{ day time.Time } // midnight UTC

var errDate = errors.New("a calendar date such as 2026-03-18 (YYYY-MM-DD)")

// Turkey is UTC+3 all year: there is no daylight saving time.
var Turkey = time.FixedZone("TRT", 3*60*60)

// NewDate returns a day.
func NewDate(year int, month time.Month, day int) Date {
	return Date{time.Date(year, month, day, 0, 0, 0, 0, time.UTC)}
}

// ParseDate reads YYYY-MM-DD; the error says what a date must be. It rejects
// impossible days such as 2026-02-30.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1 || t.IsZero() {
		return Date{}, fmt.Errorf("must be %w", errDate)
	}
	return Date{t}, nil
}

// MustDate returns the day that a constant states; it panics on text that
// ParseDate rejects.
func MustDate(text string) Date { return must(ParseDate, text) }

// TurkeyDay returns the day of i in Turkey time.
func TurkeyDay(i Instant) Date { return DayIn(i, Turkey) }

// DayIn returns the day of i in zone.
func DayIn(i Instant, zone *time.Location) Date {
	const day = 24 * 60 * 60
	t := i.Time().In(zone)
	_, offset := t.Zone()
	seconds := t.Unix() + int64(offset)
	return Date{time.Unix(seconds-(seconds%day+day)%day, 0).UTC()}
}

// IsNull reports whether the day is null.
func (d Date) IsNull() bool { return d.day.IsZero() }

// IsZero reports the same as IsNull; encoding packages call it for omitzero.
func (d Date) IsZero() bool { return d.day.IsZero() }

// Year returns the year.
func (d Date) Year() int { return d.day.Year() }

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return Date{d.day.AddDate(0, 0, n)} }

// AddMonths returns the same day of the month n months later, or that month's last
// day if it is shorter.
func (d Date) AddMonths(n int) Date {
	y, m, day := d.day.Date()
	first := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	length := first.AddDate(0, 1, -1).Day()
	return Date{first.AddDate(0, 0, min(day, length)-1)}
}

// Month returns the month of d, which must not be null.
func (d Date) Month() Month { return Month{d.day.Format("2006-01")} }

// DaysUntil counts the days from d to e.
func (d Date) DaysUntil(e Date) int { return int(e.day.Sub(d.day) / (24 * time.Hour)) }

// Before reports whether d is earlier than e.
func (d Date) Before(e Date) bool { return d.day.Before(e.day) }

// Compare returns -1, 0 or 1 as d is before, on or after e.
func (d Date) Compare(e Date) int { return d.day.Compare(e.day) }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.day.Weekday() }

// IsWeekend reports whether d is a Saturday or a Sunday.
func (d Date) IsWeekend() bool { return d.Weekday() == time.Saturday || d.Weekday() == time.Sunday }

// At returns the moment of a time of day of d in zone.
func (d Date) At(hour, minute int, zone *time.Location) Instant {
	y, m, day := d.day.Date()
	return At(time.Date(y, m, day, hour, minute, 0, 0, zone))
}

// Start returns midnight of d in zone.
func (d Date) Start(zone *time.Location) Instant { return d.At(0, 0, zone) }

// TurkeyStart returns the first moment of d in Turkey time.
func (d Date) TurkeyStart() Instant { return d.Start(Turkey) }

// TurkeyEnd returns the last moment of d in Turkey time.
func (d Date) TurkeyEnd() Instant { return d.AddDays(1).TurkeyStart().Add(-time.Millisecond) }

// String returns YYYY-MM-DD; empty for null.
func (d Date) String() string {
	if d.IsNull() {
		return ""
	}
	return d.day.Format(time.DateOnly)
}

// AppendText implements encoding.TextAppender.
func (d Date) AppendText(b []byte) ([]byte, error) {
	if d.IsNull() {
		return b, nil
	}
	return d.append(b), nil
}

// append appends the day in the format time.DateOnly, in a third of the time.
func (d Date) append(b []byte) []byte {
	year, month, day := d.day.Date()
	if year < 0 || year > 9999 {
		return d.day.AppendFormat(b, time.DateOnly)
	}
	b = append(b, "0000-00-00"...)
	text := b[len(b)-10:]
	put(text, 0, int64(year/100))
	put(text, 2, int64(year%100))
	put(text, 5, int64(month))
	put(text, 8, int64(day))
	return b
}

// AppendJSON appends the day as a JSON string, or null.
func (d Date) AppendJSON(b []byte) []byte {
	if d.IsNull() {
		return append(b, "null"...)
	}
	return append(d.append(append(b, '"')), '"')
}

// MarshalJSON implements json.Marshaler.
func (d Date) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// MarshalGQL writes the scalar Date.
func (d Date) MarshalGQL(w io.Writer) { _, _ = w.Write(d.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar Date.
func (d *Date) UnmarshalGQL(v any) error { return UnmarshalScalar(v, d, "Date") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// Value implements driver.Valuer.
func (d Date) Value() (driver.Value, error) {
	if d.IsNull() {
		return nil, nil
	}
	return d.String(), nil
}

// Scan implements sql.Scanner.
func (d *Date) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*d = Date{}
		return nil
	case string:
		return d.UnmarshalText([]byte(v))
	case []byte:
		return d.UnmarshalText(v)
	case time.Time:
		*d = NewDate(v.Date())
		return nil
	}
	return fmt.Errorf("a stored date came back as %T", src)
}
