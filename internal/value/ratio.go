package value

import "math/big"

// Ratio is the exact quotient of two figures, for restating amounts.
type Ratio struct{ num, den Decimal }

// NewRatio returns num / den; both must be above 0.
func NewRatio(num, den Decimal) Ratio { return Ratio{num, den} }

// Same is the ratio of a figure to itself.
var Same = NewRatio(MustDecimal("1"), MustDecimal("1"))

// Times returns the exact product of two ratios.
func (r Ratio) Times(by Ratio) Ratio { return Ratio{r.num.Times(by.num), r.den.Times(by.den)} }

// Parts returns the two figures of the quotient.
func (r Ratio) Parts() (num, den Decimal) { return r.num, r.den }

// Inverse returns 1 / r.
func (r Ratio) Inverse() Ratio { return Ratio{r.den, r.num} }

// IsSame reports whether the ratio is 1.
func (r Ratio) IsSame() bool { return r.num.Cmp(r.den) == 0 }

// Rat returns the ratio as a fraction in its lowest terms.
func (r Ratio) Rat() *big.Rat { return new(big.Rat).Quo(r.num.Rat(), r.den.Rat()) }

// factorDigits is the number of significant digits of a factor.
const factorDigits = 12

// Factor returns the ratio as a figure: 12 significant digits, half away from zero.
func (r Ratio) Factor() Decimal {
	return OfNumber(Quotient(r.num.Number(), r.den.Number(), factorDigits))
}

// Amount restates an amount of money: 2 decimals, half away from zero, rounded
// once. Null stays null.
func (r Ratio) Amount(d Decimal) Decimal {
	if d.IsNull() {
		return d
	}
	return OfNumber(d.Number().Mul(r.num.Number()).DivRound(r.den.Number(), 2))
}
