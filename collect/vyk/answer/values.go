package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piyasa/collect"
)

// MostNumber is the greatest number that a disclosure may have.
const MostNumber = 1<<31 - 1

// Scalar is a text or a number, which the service writes either way; null is empty.
type Scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scalar) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*s = ""
		return nil
	case text[0] == '"':
		return collect.ReadJSON(text, (*string)(s))
	}
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*s = Scalar(n)
	return nil
}

// Number returns the number of a disclosure, from 1 to MostNumber. The error goes on from the name
// of a member.
func (s Scalar) Number() (int64, error) {
	n, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || n < 1 || n > MostNumber {
		return 0, fmt.Errorf("must be a number from 1 to %d; got %q", MostNumber, string(s))
	}
	return n, nil
}

// Many is a list, of which the service writes a single element without brackets.
type Many[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (m *Many[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if text[0] == '[' {
		return collect.ReadJSON(text, (*[]T)(m))
	}
	var one T
	if err := collect.ReadJSON(text, &one); err != nil {
		return err
	}
	*m = Many[T]{one}
	return nil
}

// Bilingual is a text in two languages; nil: not in this one.
type Bilingual struct {
	TR *string `json:"tr"`
	EN *string `json:"en"`
}

// Add adds a text to the members of a record, where the service states one.
func Add(fields map[string]any, member string, text Scalar) {
	if text != "" {
		fields[member] = text
	}
}

// Has reports whether a member is there, and not empty.
func Has(text json.RawMessage) bool {
	return len(text) > 0 && !slices.Contains([]string{"null", `""`, "[]", "{}"}, string(text))
}

// Codes returns codes, each once, and never nil. Several may be in one text.
func Codes(texts []Scalar) []string {
	all := []string{}
	for _, text := range texts {
		for _, code := range strings.Split(string(text), ",") {
			if code = strings.TrimSpace(code); code != "" && !slices.Contains(all, code) {
				all = append(all, code)
			}
		}
	}
	return all
}
