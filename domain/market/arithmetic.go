package market

import "math/big"

// Arithmetic on figures. Sums, differences and products are exact; a quotient
// says how far it is carried. Operands must not be null. Results are spelled
// as computed figures are: without trailing zeros.

// Plus is d + e.
func (d Decimal) Plus(e Decimal) Decimal { return newDecimal(d.number().Add(e.number())) }

// Minus is d − e.
func (d Decimal) Minus(e Decimal) Decimal { return newDecimal(d.number().Sub(e.number())) }

// Times is d × e.
func (d Decimal) Times(e Decimal) Decimal { return newDecimal(d.number().Mul(e.number())) }

// Over is d / e to a number of decimals, rounded once, half away from zero. e
// must not be 0.
func (d Decimal) Over(e Decimal, places int32) Decimal {
	return newDecimal(d.number().DivRound(e.number(), places))
}

// Rounded is d to a number of decimals, half away from zero.
func (d Decimal) Rounded(places int32) Decimal { return newDecimal(d.number().Round(places)) }

// Shifted is d × 10^places, exactly. Null stays null.
func (d Decimal) Shifted(places int32) Decimal {
	if d.IsNull() {
		return d
	}
	return newDecimal(d.number().Shift(places))
}

// Rat is d as a fraction, for quotients that more is made of. d must not be
// null.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.text) // every text of a Decimal is one
	return r
}
