package value

import "strings"

// UpperASCII returns text with a-z in capitals and nothing else changed: ı and İ stay.
func UpperASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

// Digits counts the ASCII digits that s starts with.
func Digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
