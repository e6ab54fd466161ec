package value

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Decimal is an exact decimal number, kept as the text of its source: digits are shown as they were
// read ("305.20" stays "305.20"), and arithmetic uses shopspring/decimal, never a float. The zero
// Decimal is null: a figure that is not known.
//
// The text matches ^-?(0|[1-9][0-9]*)(\.[0-9]+)?$: no exponent, no thousands
// separator, no negative zero.
type Decimal struct{ text string }

// maxDecimalText is the most bytes of a Decimal that a source states or that is stored; the longest
// real figures have some thirty digits.
const maxDecimalText = 100

var errDecimal = fmt.Errorf(`an exact decimal as text, such as "305.25": digits, an optional minus and fraction, no exponent, no separator, no -0, at most %d characters`, maxDecimalText)

// ParseDecimal returns the Decimal with exactly this text. The error says what a decimal looks
// like.
func ParseDecimal(text string) (Decimal, error) {
	if len(text) > maxDecimalText || !isDecimal(text) {
		return Decimal{}, fmt.Errorf("must be %w", errDecimal)
	}
	return Decimal{text}, nil
}

// StoredDecimal returns the Decimal of a text from the store, which may be longer than
// maxDecimalText if an older version stored it.
func StoredDecimal(text string) (Decimal, error) {
	if !isDecimal(text) {
		return Decimal{}, fmt.Errorf("must be %w", errDecimal)
	}
	return Decimal{text}, nil
}

// MustDecimal returns the figure that a constant states; it panics on text that
// ParseDecimal rejects.
func MustDecimal(text string) Decimal { return must(ParseDecimal, text) }

// isDecimal reports whether s is the text of a Decimal of any length.
func isDecimal(s string) bool {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	whole := Digits(s)
	if whole == 0 || (whole > 1 && s[0] == '0') {
		return false
	}
	if rest := s[whole:]; rest != "" && (rest[0] != '.' || len(rest) == 1 || Digits(rest[1:]) != len(rest)-1) {
		return false
	}
	return !negative || nonZero(s)
}

// nonZero reports whether s contains a digit other than 0.
func nonZero(s string) bool {
	for i := range len(s) {
		if s[i] >= '1' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// OfNumber returns a computed figure, without trailing zeros.
func OfNumber(n decimal.Decimal) Decimal {
	return Decimal{n.String()}
}

// ToStore returns a computed figure as it may be stored: null if its text is longer than
// maxDecimalText. Use it for every computed figure that is stored.
func (d Decimal) ToStore() Decimal {
	if len(d.text) > maxDecimalText {
		return Decimal{}
	}
	return d
}

// Number returns d for arithmetic. d must not be null.
func (d Decimal) Number() decimal.Decimal {
	return decimal.RequireFromString(d.text)
}

// IsNull reports whether the figure is null.
func (d Decimal) IsNull() bool { return d.text == "" }

// IsZero reports the same as IsNull; encoding packages call it for omitzero.
func (d Decimal) IsZero() bool { return d.text == "" }

// String returns the exact text; empty for null.
func (d Decimal) String() string { return d.text }

// Sign returns -1, 0 or 1; 0 for null too.
func (d Decimal) Sign() int {
	switch {
	case !nonZero(d.text):
		return 0
	case d.text[0] == '-':
		return -1
	}
	return 1
}

// Cmp compares by value: "1.50" equals "1.5". Both must not be null.
func (d Decimal) Cmp(e Decimal) int {
	a, aMinus := strings.CutPrefix(d.text, "-")
	b, bMinus := strings.CutPrefix(e.text, "-")
	switch {
	case !aMinus && !bMinus:
		return cmpDigits(a, b)
	case aMinus && bMinus:
		return cmpDigits(b, a)
	case aMinus:
		return -1
	}
	return 1
}

// cmpDigits compares figures without signs: they have no leading zeros, so the
// one with more digits before its point is larger.
func cmpDigits(a, b string) int {
	whole, fraction, _ := strings.Cut(a, ".")
	otherWhole, otherFraction, _ := strings.Cut(b, ".")
	return cmp.Or(
		cmp.Compare(len(whole), len(otherWhole)),
		cmp.Compare(whole, otherWhole),
		cmp.Compare(strings.TrimRight(fraction, "0"), strings.TrimRight(otherFraction, "0")))
}

// AppendJSON appends the figure as a JSON string, or null.
func (d Decimal) AppendJSON(b []byte) []byte {
	if d.text == "" {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = append(b, d.text...)
	return append(b, '"')
}

// JSONSize returns how many bytes AppendJSON appends.
func (d Decimal) JSONSize() int {
	if d.text == "" {
		return len("null")
	}
	return len(d.text) + len(`""`)
}

// DecimalOfJSON returns the figure that AppendJSON wrote as this text, without a check; they
// share memory.
func DecimalOfJSON(text string) Decimal {
	if text[0] == 'n' { // null
		return Decimal{}
	}
	return Decimal{text[1 : len(text)-1]}
}

// Clone returns a copy of d with its own memory, since a figure that is kept for long must not keep
// the whole text that it was read from.
func (d Decimal) Clone() Decimal { return Decimal{strings.Clone(d.text)} }

// MarshalJSON implements json.Marshaler.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// MarshalGQL writes the scalar Decimal.
func (d Decimal) MarshalGQL(w io.Writer) { _, _ = w.Write(d.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar Decimal: text only, never a number.
func (d *Decimal) UnmarshalGQL(v any) error { return UnmarshalScalar(v, d, "Decimal") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Decimal) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDecimal(string(text))
	return err
}

// Value implements driver.Valuer: the text, which both stores keep exactly.
func (d Decimal) Value() (driver.Value, error) {
	if d.text == "" {
		return nil, nil
	}
	return d.text, nil
}

// Scan implements sql.Scanner. It rejects a float: a column that yields one has already lost
// digits.
func (d *Decimal) Scan(src any) (err error) {
	switch v := src.(type) {
	case nil:
		*d = Decimal{}
		return nil
	case string:
		*d, err = StoredDecimal(v)
		return err
	case []byte:
		*d, err = StoredDecimal(string(v))
		return err
	case int64:
		*d = Decimal{strconv.FormatInt(v, 10)}
		return nil
	}
	return fmt.Errorf("a stored decimal came back as %T", src)
}
