package value

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Instant is a moment in UTC with the precision of its source, at most milliseconds. The zero
// Instant is null. Instants of the same moment are equal under ==.
type Instant struct {
	ms int64 // since the year 1 began, which is null
}

// The zero time.Time and the zero Instant are the same moment, which no source states.
const yearOne = -62_135_596_800_000 // in milliseconds since 1970

// The bounds of the times of records: every store can hold them, and every
// calendar day around them.
var (
	FirstMoment = MustInstant("1800-01-01T00:00:00Z") // the earliest time of a record
	LastMoment  = MustInstant("2199-12-31T23:59:59Z") // the latest one
)

var errInstant = errors.New("an instant in UTC such as 2026-03-18T11:45:00Z, with at most milliseconds")

// At returns the Instant of t, cut to milliseconds.
func At(t time.Time) Instant { return Instant{t.UnixMilli() - yearOne} }

// ParseInstant reads RFC 3339 text that ends in Z; the error says what an
// instant must be.
func ParseInstant(text string) (Instant, error) {
	t, err := time.Parse("2006-01-02T15:04:05Z", text) // also accepts a fraction, a comma before it, and an hour of one digit
	if err != nil || len(text) > len("2006-01-02T15:04:05.000Z") || text[13] != ':' || strings.Contains(text, ",") ||
		t.Year() < 1 || t.IsZero() {
		return Instant{}, fmt.Errorf("must be %w", errInstant)
	}
	return At(t), nil
}

// MustInstant returns the moment that a constant states; it panics on text that
// ParseInstant rejects.
func MustInstant(text string) Instant { return must(ParseInstant, text) }

// Time returns the moment as a time.Time in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(i.ms + yearOne).UTC() }

// IsNull reports whether the instant is null.
func (i Instant) IsNull() bool { return i.ms == 0 }

// IsZero reports the same as IsNull; encoding packages call it for omitzero.
func (i Instant) IsZero() bool { return i.ms == 0 }

// Before reports whether i is earlier than j.
func (i Instant) Before(j Instant) bool { return i.ms < j.ms }

// After reports whether i is later than j.
func (i Instant) After(j Instant) bool { return i.ms > j.ms }

// Compare returns -1, 0 or 1 as i is before, at or after j.
func (i Instant) Compare(j Instant) int { return cmp.Compare(i.ms, j.ms) }

// Add returns i moved by d.
func (i Instant) Add(d time.Duration) Instant { return At(i.Time().Add(d)) }

// Sub returns the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return i.Time().Sub(j.Time()) }

// WholeSecond returns i without its fraction.
func (i Instant) WholeSecond() Instant { return At(i.Time().Truncate(time.Second)) }

// String returns RFC 3339 in UTC: whole seconds, or milliseconds where the source
// has a fraction; empty for null.
func (i Instant) String() string {
	if i.IsNull() {
		return ""
	}
	return string(i.appendText(make([]byte, 0, len(withMilliseconds))))
}

// AppendText implements encoding.TextAppender.
func (i Instant) AppendText(b []byte) ([]byte, error) {
	if i.IsNull() {
		return b, nil
	}
	return i.appendText(b), nil
}

// AppendJSON appends the instant as a JSON string, or null.
func (i Instant) AppendJSON(b []byte) []byte {
	if i.IsNull() {
		return append(b, "null"...)
	}
	return append(i.appendText(append(b, '"')), '"')
}

// MarshalJSON implements json.Marshaler.
func (i Instant) MarshalJSON() ([]byte, error) { return i.AppendJSON(nil), nil }

// MarshalGQL writes the scalar DateTime.
func (i Instant) MarshalGQL(w io.Writer) { _, _ = w.Write(i.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar DateTime.
func (i *Instant) UnmarshalGQL(v any) error { return UnmarshalScalar(v, i, "DateTime") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Instant) UnmarshalText(text []byte) (err error) {
	*i, err = ParseInstant(string(text))
	return err
}

// Value implements driver.Valuer. Each store encodes a time exactly:
// microseconds since 1970 on SQLite, timestamptz on Postgres.
func (i Instant) Value() (driver.Value, error) {
	if i.IsNull() {
		return nil, nil
	}
	return i.Time(), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = At(time.UnixMicro(v))
	case time.Time:
		*i = At(v)
	default:
		return fmt.Errorf("a stored instant came back as %T", src)
	}
	return nil
}
