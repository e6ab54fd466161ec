package market

// Ratio is the exact quotient of two figures, by which amounts are restated.
type Ratio struct{ num, den Decimal }

// NewRatio is num / den; both must be above 0.
func NewRatio(num, den Decimal) Ratio { return Ratio{num, den} }

// Factor is the ratio as a figure: 12 significant digits, half away from zero.
func (r Ratio) Factor() Decimal {
	return step{num: r.num.number(), den: r.den.number()}.rate().Factor
}

// Amount restates an amount of money: 2 decimals, half away from zero, rounded
// once. Null stays null.
func (r Ratio) Amount(d Decimal) Decimal {
	if d.IsNull() {
		return d
	}
	return newDecimal(d.number().Mul(r.num.number()).DivRound(r.den.number(), 2))
}
