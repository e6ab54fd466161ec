package value

import "math/big"

// Arithmetic on figures. Sums, differences and products are exact; the caller states where to round
// a quotient. Operands must not be null. Results have no trailing zeros.

// Plus returns d + e.
func (d Decimal) Plus(e Decimal) Decimal { return OfNumber(d.Number().Add(e.Number())) }

// Minus returns d − e.
func (d Decimal) Minus(e Decimal) Decimal { return OfNumber(d.Number().Sub(e.Number())) }

// Times returns d × e.
func (d Decimal) Times(e Decimal) Decimal { return OfNumber(d.Number().Mul(e.Number())) }

// Over returns d / e to a number of decimals, rounded once, half away from zero.
// e must not be 0.
func (d Decimal) Over(e Decimal, places int32) Decimal {
	return OfNumber(d.Number().DivRound(e.Number(), places))
}

// Shifted returns d × 10^places, exactly. Null stays null.
func (d Decimal) Shifted(places int32) Decimal {
	if d.IsNull() {
		return d
	}
	return OfNumber(d.Number().Shift(places))
}

// Rat returns d as a fraction, for quotients in further arithmetic. d must not be null.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.text) // every text of a Decimal is one
	return r
}
