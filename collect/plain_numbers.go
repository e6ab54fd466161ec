package collect

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// number is the form of numbers in JSON and most other texts.
var number = regexp.MustCompile(`^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$`)

// mostDigits is how long a number may become without its exponent.
const mostDigits = 400

// Plain returns a number without an exponent, digit for digit: 1.50e3 is 1500, 5E-3 is 0.005.
// It changes a number without an exponent only by removing a leading plus.
func Plain(text string) (string, error) {
	m := number.FindStringSubmatch(text)
	if m == nil || len(text) > mostDigits {
		return "", fmt.Errorf("must be a decimal such as 305.20; got %q", short(text))
	}
	sign := strings.TrimPrefix(m[1], "+")
	whole, fraction := m[2], m[3]
	if m[4] == "" {
		return strings.TrimPrefix(text, "+"), nil
	}
	by, err := strconv.Atoi(m[4])
	if err != nil || by > mostDigits || by < -mostDigits {
		return "", fmt.Errorf("must have an exponent from -%d to %d; got %q", mostDigits, mostDigits, text)
	}
	if by > 0 {
		fraction += strings.Repeat("0", max(0, by-len(fraction)))
		whole, fraction = whole+fraction[:by], fraction[by:]
	} else {
		whole = strings.Repeat("0", max(0, -by-len(whole)+1)) + whole
		at := len(whole) + by
		whole, fraction = whole[:at], whole[at:]+fraction
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction, nil
}
