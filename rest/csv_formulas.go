package rest

import (
	"regexp"
	"strings"
)

// number matches text that a spreadsheet can only read as a figure.
var number = regexp.MustCompile(`^[+-]?[0-9][0-9.,]*%?$`)

// formula matches what a spreadsheet may take for a formula: at the beginning of a text, and after
// a character that ends a cell in the settings of some country, with or without quotes between.
var formula = regexp.MustCompile(`(^|[;|\t\r\n])("*)([=+@-][^;|\t\r\n]*)`)

// appendText appends external text, in quotes if it contains a character that ends a cell
// anywhere. A spreadsheet would run text that begins like a formula: an apostrophe prevents that.
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
