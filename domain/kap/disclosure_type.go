package kap

import (
	"errors"
	"slices"
	"strings"

	"piyasa/internal/value"
)

// Type is the kind of a disclosure.
type Type string

// The types.
const (
	FR  Type = "FR"  // financial report
	ODA Type = "ODA" // special-case disclosure
	DG  Type = "DG"  // other
	DUY Type = "DUY" // regulator notice
	CA  Type = "CA"  // corporate action
	FON Type = "FON" // fund notice
)

var types = value.Enum(FR, ODA, DG, DUY, CA, FON)

// typeAliases are other names in use; answers never have them.
var typeAliases = map[string]Type{"ÖDA": ODA, "DKB": DUY}

// parseType reads a type or one of its aliases, in capitals; ok is false for
// anything else.
func parseType(text string) (t Type, ok bool) {
	if t, ok = typeAliases[text]; !ok {
		t = Type(text)
	}
	return t, slices.Contains(types, t)
}

// upper converts to capitals: ASCII letters, and ö.
func upper(text string) string { return strings.ReplaceAll(value.UpperASCII(text), "ö", "Ö") }

// UnmarshalText implements encoding.TextUnmarshaler; aliases pass.
func (t *Type) UnmarshalText(text []byte) error {
	parsed, ok := parseType(upper(string(text)))
	if !ok {
		return errors.New("must be one of " + value.ListOf(types))
	}
	*t = parsed
	return nil
}
