package value

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"
)

// Month is a calendar month. The zero Month is null.
type Month struct{ text string } // YYYY-MM, which sorts as text

var errMonth = errors.New("a month such as 2026-03 (YYYY-MM)")

// ParseMonth reads YYYY-MM; the error says what a month must be.
func ParseMonth(text string) (Month, error) {
	if t, err := time.Parse("2006-01", text); err != nil || t.Year() < 1 {
		return Month{}, fmt.Errorf("must be %w", errMonth)
	}
	return Month{text}, nil
}

// MustMonth returns the month that a constant states; it panics on text that
// ParseMonth rejects.
func MustMonth(text string) Month { return must(ParseMonth, text) }

// IsNull reports whether the month is null.
func (m Month) IsNull() bool { return m.text == "" }

// IsZero reports the same as IsNull; encoding packages call it for omitzero.
func (m Month) IsZero() bool { return m.text == "" }

// Before reports whether m is earlier than n; null is before every month.
func (m Month) Before(n Month) bool { return m.text < n.text }

// Next returns the month after m, which must not be null.
func (m Month) Next() Month {
	t, _ := time.Parse("2006-01", m.text)
	return Month{t.AddDate(0, 1, 0).Format("2006-01")}
}

// First returns the first day of m, which must not be null.
func (m Month) First() Date {
	t, _ := time.Parse("2006-01", m.text)
	return Date{t}
}

// EndsQuarter reports whether m is March, June, September or December.
func (m Month) EndsQuarter() bool {
	if m.IsNull() {
		return false
	}
	switch m.text[len(m.text)-2:] {
	case "03", "06", "09", "12":
		return true
	}
	return false
}

// String returns YYYY-MM; empty for null.
func (m Month) String() string { return m.text }

// MarshalJSON implements json.Marshaler.
func (m Month) MarshalJSON() ([]byte, error) { return appendQuoted(nil, m.text), nil }

// MarshalGQL writes the scalar Month.
func (m Month) MarshalGQL(w io.Writer) { _, _ = w.Write(appendQuoted(nil, m.text)) }

// UnmarshalGQL reads the scalar Month.
func (m *Month) UnmarshalGQL(v any) error { return UnmarshalScalar(v, m, "Month") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Month) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMonth(string(text))
	return err
}

// Value implements driver.Valuer.
func (m Month) Value() (driver.Value, error) {
	if m.IsNull() {
		return nil, nil
	}
	return m.text, nil
}

// Scan implements sql.Scanner.
func (m *Month) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*m = Month{}
		return nil
	case string:
		return m.UnmarshalText([]byte(v))
	case []byte:
		return m.UnmarshalText(v)
	}
	return fmt.Errorf("a stored month came back as %T", src)
}
