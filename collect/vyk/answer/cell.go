package answer

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
)

// Cell is what the details of a company state in one place: a text, a number, or a coded text,
// which is an object. A dash is empty.
type Cell string

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var plain Scalar
	var coded struct {
		Text Scalar `json:"text"`
	}
	err := collect.ReadJSON(text, &plain)
	if text[0] == '{' {
		err = collect.ReadJSON(text, &coded)
		plain = coded.Text
	}
	if *c = Cell(strings.TrimSpace(string(plain))); *c == "-" {
		*c = ""
	}
	return err
}

// turkish is a number whose thousands a point separates, and whose decimals a comma.
var turkish = regexp.MustCompile(`^%?\s*((?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?)$`)

// Decimal returns a number as records write it, digit for digit.
func (c Cell) Decimal() (string, error) {
	m := turkish.FindStringSubmatch(string(c))
	if m == nil {
		return "", fmt.Errorf("must be a number such as 1.250.000,50; got %.50q", string(c))
	}
	return strings.NewReplacer(".", "", ",", ".").Replace(m[1]), nil
}

// moment is how the details of a company write when something was.
const moment = "02/01/2006 15:04:05"

// Day returns a day as records write it; empty: it is none.
func (c Cell) Day() string {
	for _, layout := range []string{"02/01/2006", "02.01.2006", moment} {
		if day, err := time.Parse(layout, string(c)); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	return ""
}

// Published returns when a part of the details of a company was published.
func Published(text Scalar) (time.Time, error) {
	return time.ParseInLocation(moment, string(text), collect.Istanbul)
}
