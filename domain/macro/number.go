package macro

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// Number is a JSON number kept digit for digit, as the calendar's source wrote
// it: 2.50 stays 2.50. The empty Number is null.
type Number string

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

// MarshalGQL writes the scalar JSONNumber.
func (n Number) MarshalGQL(w io.Writer) {
	text, _ := n.MarshalJSON()
	_, _ = w.Write(text)
}

// UnmarshalGQL implements graphql.Unmarshaler; no argument is of this type.
func (n *Number) UnmarshalGQL(any) error { return errors.New("JSONNumber is not an input type") }

// Value implements driver.Valuer with text, which both stores keep unchanged.
func (n Number) Value() (driver.Value, error) {
	if n == "" {
		return nil, nil
	}
	return string(n), nil
}

// Scan implements sql.Scanner.
func (n *Number) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*n = ""
	case string:
		*n = Number(v)
	case []byte:
		*n = Number(v)
	default:
		return fmt.Errorf("a stored number came back as %T", src)
	}
	return nil
}
