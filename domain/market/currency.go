package market

import (
	"slices"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Currency is a currency that prices can be converted into.
type Currency string

// The targets of conversion.
const (
	TRY Currency = "TRY"
	USD Currency = "USD"
	EUR Currency = "EUR"
)

var currencies = value.Enum(TRY, USD, EUR)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (c *Currency) UnmarshalText(text []byte) error {
	if *c = Currency(text); slices.Contains(currencies, *c) {
		return nil
	}
	return problem.New(problem.UnsupportedCurrency, "currency must be one of TRY, USD, EUR, in capital letters; got %s.",
		problem.Shown(string(text)))
}
