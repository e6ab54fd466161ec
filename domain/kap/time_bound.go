package kap

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"piyasa/internal/value"
)

// Bound is one end of a time range as clients write it: a date, or a date and
// time.
type Bound struct {
	text        string
	first, last value.Instant // the same unless text is a day
}

var errBound = errors.New("must be a date such as 2026-03-18, or a date and time such as 2026-03-18T09:30:00 (Turkey time) or " +
	"2026-03-18T06:30:00Z")

// momentLayouts are the forms of a moment; without an offset it is Turkey
// time.
var momentLayouts = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04"}

// ParseBound reads a date, which is the whole day in Turkey time, or a date and
// time, with an offset or in Turkey time.
func ParseBound(text string) (Bound, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, value.Turkey); err == nil && day.Year() > 1 {
		return Bound{text, value.At(day), value.At(day.AddDate(0, 0, 1)).Add(-time.Millisecond)}, nil
	}
	for _, layout := range momentLayouts {
		t, err := time.ParseInLocation(layout, text, value.Turkey) // accepts a comma, and an hour of one digit
		if err == nil && t.Year() > 1 && text[13] == ':' && !strings.Contains(text, ",") {
			return Bound{text, value.At(t), value.At(t)}, nil
		}
	}
	return Bound{}, errBound
}

// Before reports whether the whole of b is earlier than c.
func (b Bound) Before(c Bound) bool { return b.last.Before(c.first) }

// String returns the bound as the client wrote it.
func (b Bound) String() string { return b.text }

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bound) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBound(string(text))
	return err
}

// UnmarshalGQL reads the scalar DateOrDateTime.
func (b *Bound) UnmarshalGQL(v any) error {
	text, ok := v.(string)
	if !ok {
		return errBound
	}
	return b.UnmarshalText([]byte(text))
}

// MarshalGQL writes the scalar DateOrDateTime.
func (b Bound) MarshalGQL(w io.Writer) { _, _ = fmt.Fprintf(w, "%q", b.text) }
