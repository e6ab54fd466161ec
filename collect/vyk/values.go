package vyk

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"piyasa/collect"
)

// mostNumber is the greatest number that a disclosure may have.
const mostNumber = 1<<31 - 1

// lira is the currency of capitals and of funds.
const lira = "TRY"

// memberID is the form of a member's number.
var memberID = regexp.MustCompile(`^[0-9]{1,5}$`)

// scalar is a text or a number, since the service writes values either way; null is empty.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(text []byte) error {
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
	*s = scalar(n)
	return nil
}

// number returns the number of a disclosure, from 1 to mostNumber. The error names the member.
func (s scalar) number(member string) (int64, error) {
	n, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || n < 1 || n > mostNumber {
		return 0, fmt.Errorf("%s must be a number from 1 to %d; got %q", member, mostNumber, string(s))
	}
	return n, nil
}

// many is a list. The service writes a single element without brackets.
type many[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (m *many[T]) UnmarshalJSON(text []byte) error {
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
	*m = many[T]{one}
	return nil
}

// bilingual is a text in two languages; nil: not in this language.
type bilingual struct {
	TR *string `json:"tr"`
	EN *string `json:"en"`
}

// readRows reads a list. Its error calls the rows names.
func readRows[T any](body []byte, names string, least, most int) (rows []T, err error) {
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(rows) < least || len(rows) > most {
		return nil, fmt.Errorf("it must have from %d to %d %s", least, most, names)
	}
	return rows, nil
}

// addText adds a text to the members of a record, if the service states one.
func addText(fields map[string]any, member string, text scalar) {
	if text != "" {
		fields[member] = text
	}
}

// hasContent reports whether a member exists and is not empty.
func hasContent(text json.RawMessage) bool {
	return len(text) > 0 && !slices.Contains([]string{"null", `""`, "[]", "{}"}, string(text))
}

// codesOf returns the codes in texts, each once, and never nil. One text may have several.
func codesOf(texts ...scalar) []string {
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
