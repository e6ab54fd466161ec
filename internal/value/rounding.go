package value

import "github.com/shopspring/decimal"

// divisionDigits is the precision of a division beyond the digits of the divisor: enough for the
// quotient to be rounded only once.
const divisionDigits = 60

var numberOne = decimal.NewFromInt(1)

// Quotient returns num / den to a number of significant digits, half away from
// zero. den must not be 0.
func Quotient(num, den decimal.Decimal, digits int32) decimal.Decimal {
	if !den.Equal(numberOne) {
		num = num.DivRound(den, divisionDigits+int32(den.NumDigits())+max(0, den.Exponent()))
	}
	return Significant(num, digits)
}

// Significant rounds x to a number of significant digits, half away from zero.
func Significant(x decimal.Decimal, digits int32) decimal.Decimal {
	if x.IsZero() {
		return decimal.Zero
	}
	// An integer of d digits with exponent e has its first digit at 10^(d+e-1).
	return x.Round(digits - int32(x.NumDigits()) - x.Exponent())
}
