package cmc

import (
	"encoding/json"
	"fmt"
	"strings"

	"piyasa/collect"
)

// mostDigits is the most characters of a number with its exponent written out.
const mostDigits = 100

// decimal returns a number digit for digit, with its exponent written out; empty: it is null.
func decimal(text json.RawMessage) (string, error) {
	if string(text) == "null" {
		return "", nil
	}
	plain, err := collect.Plain(string(text))
	if err != nil || len(plain) > mostDigits {
		return "", fmt.Errorf("must be a number of a sensible size; got %.*s", mostDigits, text)
	}
	if isZero(plain) {
		plain = strings.TrimPrefix(plain, "-")
	}
	return plain, nil
}

// isZero reports whether a number is 0.
func isZero(text string) bool { return strings.Trim(text, "-0.") == "" }
