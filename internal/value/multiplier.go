package value

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"
)

// Multiplier multiplies figures by one exact fraction and rounds each product once, half away from
// zero: to digits decimals if it is 1 or more, or else to digits significant digits. It is for the
// thousands of prices of an adjusted series, and not safe for concurrent use.
type Multiplier struct {
	num, den decimal.Decimal
	digits   int32

	n, d, one *big.Int // num / den in whole numbers, and 1 with its decimals

	word, product, quotient, rest big.Int
}

// NewMultiplier returns a Multiplier by num / den; den must be above 0, and digits at most 18.
func NewMultiplier(num, den decimal.Decimal, digits int32) *Multiplier {
	m := &Multiplier{num: num, den: den, digits: digits, n: num.Coefficient(), d: den.Coefficient(), one: power(int64(digits))}
	switch e := int64(num.Exponent()) - int64(den.Exponent()); {
	case e > 0:
		m.n.Mul(m.n, power(e))
	case e < 0:
		m.d.Mul(m.d, power(-e))
	}
	return m
}

// power returns 10 to the power of e.
func power(e int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(e), nil) }

// Of returns the product; null for null.
func (m *Multiplier) Of(d Decimal) Decimal {
	if d.IsNull() {
		return d
	}
	if product, ok := m.inWords(d.text); ok {
		return product
	}
	x := d.Number().Mul(m.num)
	if x.Abs().LessThan(m.den) {
		return OfNumber(Quotient(x, m.den, m.digits))
	}
	return OfNumber(x.DivRound(m.den, m.digits))
}

// inWords is Of for figures with few digits whose product is 1 or more, as for nearly all prices;
// ok is false for other figures.
func (m *Multiplier) inWords(text string) (_ Decimal, ok bool) {
	coefficient, decimals, negative, ok := inWord(text)
	if !ok || decimals > m.digits || m.n.Sign() < 0 {
		return Decimal{}, false
	}
	for ; decimals < m.digits; decimals++ {
		high, low := bits.Mul64(coefficient, 10)
		if high != 0 {
			return Decimal{}, false
		}
		coefficient = low
	}
	m.product.Mul(m.n, m.word.SetUint64(coefficient))
	m.quotient.QuoRem(&m.product, m.d, &m.rest)
	if m.quotient.BitLen() > 63 || m.quotient.Cmp(m.one) < 0 {
		return Decimal{}, false
	}
	product := m.quotient.Uint64()
	if m.rest.Lsh(&m.rest, 1).Cmp(m.d) >= 0 {
		product++
	}
	return Decimal{fixed(product, int(m.digits), negative)}, true
}

// inWord reads a figure as a whole number of units of its last decimal; ok is false if it has too
// many digits.
func inWord(text string) (coefficient uint64, decimals int32, negative, ok bool) {
	if text[0] == '-' {
		negative, text = true, text[1:]
	}
	if len(text) > 19 {
		return 0, 0, false, false
	}
	for i := range len(text) {
		if text[i] == '.' {
			decimals = int32(len(text) - 1 - i)
			continue
		}
		coefficient = 10*coefficient + uint64(text[i]-'0')
	}
	return coefficient, decimals, negative, true
}

// fixed returns the text of a number with so many decimals, without trailing zeros.
func fixed(n uint64, decimals int, negative bool) string {
	var buffer [24]byte
	b := buffer[:0]
	if negative {
		b = append(b, '-')
	}
	b = strconv.AppendUint(b, n, 10)
	whole := len(b) - decimals
	b = append(b, 0)
	copy(b[whole+1:], b[whole:])
	b[whole] = '.'
	end := len(b)
	for b[end-1] == '0' {
		end--
	}
	if b[end-1] == '.' {
		end--
	}
	return string(b[:end])
}
