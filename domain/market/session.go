package market

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/internal/value"
)

// Session is the weekly hours of trading, in the local time of its zone.
type Session struct {
	Timezone   string     `json:"timezone" record:"required"` // IANA name
	Open       *ClockTime `json:"open"`                       // null without a session, or if it never closes
	Close      *ClockTime `json:"close"`
	AlwaysOpen bool       `json:"always_open" record:"required"`
	Days       *Week      `json:"days,omitempty" csv:"-"` // null: from Monday to Friday
}

// Week is the days of a week on which an index trades, from the first to the last, such as
// sun-thu.
type Week string

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// bounds returns the first and the last day; those of an unknown week are -1.
func (w Week) bounds() (first, last int) {
	from, to, _ := strings.Cut(string(w), "-")
	return slices.Index(weekdays, from), slices.Index(weekdays, to)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Week) UnmarshalText(text []byte) error {
	*w = Week(text)
	if first, last := w.bounds(); first < 0 || last < 0 {
		return fmt.Errorf("must be the first and the last day of a week, of %s, such as sun-thu", strings.Join(weekdays, " "))
	}
	return nil
}

// has reports whether a day belongs to the week.
func (w Week) has(d time.Weekday) bool {
	first, last := w.bounds()
	return (int(d)-first+7)%7 <= (last-first+7)%7
}

// ClockTime is a time of day, exactly HH:MM.
type ClockTime string

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *ClockTime) UnmarshalText(text []byte) error {
	*c = ClockTime(text)
	if t, err := time.Parse("15:04", string(text)); err != nil || t.Format("15:04") != string(text) {
		return fmt.Errorf("must be a time of day such as 10:00 (HH:MM)")
	}
	return nil
}

// AppendJSON appends the time of day, which needs no escaping, as a JSON string.
func (c ClockTime) AppendJSON(b []byte) []byte { return strconv.AppendQuote(b, string(c)) }

// MarshalGQL writes the scalar String.
func (c ClockTime) MarshalGQL(w io.Writer) { _, _ = w.Write(c.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar String.
func (c *ClockTime) UnmarshalGQL(v any) error { return value.UnmarshalScalar(v, c, "String") }

// on returns the moment of c on the given day in zone.
func (c ClockTime) on(d value.Date, zone *time.Location) value.Instant {
	digit := func(i int) int { return int(c[i] - '0') }
	return d.At(10*digit(0)+digit(1), 10*digit(3)+digit(4), zone)
}
