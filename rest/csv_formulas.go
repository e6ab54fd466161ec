package rest

import (
	"regexp"
	"strings"
)

// number is text that a spreadsheet reads as a figure and nothing else.
var number = regexp.MustCompile(`^[+-]?[0-9][0-9.,]*%?$`)

// formula is where a spreadsheet may see the beginning of one: at the beginning of a text, and
// behind what ends a cell in the settings of some country, with or without quotes between.
var formula = regexp.MustCompile(`(^|[;|\t\r\n])("*)([=+@-][^;|\t\r\n]*)`)

// appendText appends text from outside, in quotes where it holds what ends a cell somewhere.
// A spreadsheet would run what begins like a formula: an apostrophe makes it text.
func appendText(b []byte, text string) []byte {
	if strings.ContainsAny(text, "=+@-") {
		text = formula.ReplaceAllStringFunc(text, func(found string) string {
			parts := formula.FindStringSubmatch(found)
			if number.MatchString(parts[3]) {
				return found
			}
			return parts[1] + parts[2] + "'" + parts[3]
		})
	}
	if text != "" && strings.ContainsRune("\t\r\n", rune(text[0])) {
		text = "'" + text
	}
	if !strings.ContainsAny(text, ",;|\t\"\r\n") {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}
