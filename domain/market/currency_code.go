package market

import (
	"regexp"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// CheckCurrencyCode returns the value.Invalid of a member currency that is no
// currency code.
func CheckCurrencyCode(currency string) error {
	if !currencyCode.MatchString(currency) {
		return value.Invalidf("currency", "must be a currency code of three letters such as TRY; got %s", problem.Shown(currency))
	}
	return nil
}

// checkCurrency demands a currency code, and the one that the id itself states:
// of a pair its second leg, of a coin the dollar.
func checkCurrency(id ID, currency string) error {
	if err := CheckCurrencyCode(currency); err != nil {
		return err
	}
	switch m := id.Market(); {
	case m == FX && currency != id.Symbol()[3:]:
		return value.Invalidf("currency", "must be %s, the second leg of the pair %s; got %s", id.Symbol()[3:], id, problem.Shown(currency))
	case m == Crypto && currency != string(USD):
		return value.Invalidf("currency", "must be USD, the currency of coins; got %s", problem.Shown(currency))
	}
	return nil
}
