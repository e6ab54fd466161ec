package market

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"piyasa/value"
)

// Session is the weekly hours of trading, in the local time of its zone.
type Session struct {
	Timezone   string     `json:"timezone" record:"required"` // IANA name
	Open       *ClockTime `json:"open"`                       // null when there is no session or it never closes
	Close      *ClockTime `json:"close"`
	AlwaysOpen bool       `json:"always_open" record:"required"`
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
