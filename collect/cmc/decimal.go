package cmc

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// number is a number as JSON writes it: its sign, its digits and its exponent.
var number = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$`)

// Bounds of numbers.
const (
	mostDigits   = 60
	mostExponent = 40
)

// decimal returns a number digit for digit, with its exponent spelled out; empty: it is null.
func decimal(text json.RawMessage) (string, error) {
	if string(text) == "null" {
		return "", nil
	}
	m := number.FindStringSubmatch(string(text))
	if m == nil || len(text) > mostDigits {
		return "", fmt.Errorf("must be a number of at most %d characters; got %.*s", mostDigits, mostDigits, text)
	}
	sign, whole, fraction := m[1], m[2], m[3]
	if m[4] != "" {
		exponent, err := strconv.Atoi(m[4])
		if err != nil || exponent < -mostExponent || exponent > mostExponent {
			return "", fmt.Errorf("must be a number of a sensible size; got %s", text)
		}
		digits, point := whole+fraction, len(whole)+exponent
		if point <= 0 {
			digits, point = strings.Repeat("0", 1-point)+digits, 1
		}
		if missing := point - len(digits); missing > 0 {
			digits += strings.Repeat("0", missing)
		}
		whole, fraction = digits[:point], digits[point:]
		if whole = strings.TrimLeft(whole, "0"); whole == "" {
			whole = "0"
		}
	}
	if isZero(whole + fraction) {
		sign = ""
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole, nil
}

// isZero reports whether a number is 0.
func isZero(text string) bool { return strings.Trim(text, "-0.") == "" }
