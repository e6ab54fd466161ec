package analytics

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"piyasa/internal/value"
)

// Figures are computed with integers: all prices of a run are multiplied by one power of ten
// that makes them whole. Sums, products and quotients of sums are exact and rounded once.
// Figures that cannot be exact (smoothed averages and square roots) carry guardPlaces more
// decimals than the prices: each step of an average shrinks the errors of earlier steps, so
// even an average over 400 bars is right to 17 decimals, however long the run is.
const (
	valuePlaces = 6
	guardPlaces = 20
)

// powers are the powers of ten up to the largest that figures need.
var powers = func() []*big.Int {
	all := []*big.Int{big.NewInt(1)}
	for range 130 { // a Decimal has less than 100 decimals
		all = append(all, new(big.Int).Mul(all[len(all)-1], big.NewInt(10)))
	}
	return all
}()

var hundred = big.NewInt(100)

// column is one column of a run of bars.
type column struct {
	figures []value.Decimal
	times   []*big.Int // the multiplier of each number; nil: none
	places  int        // decimals that the numbers hold
	numbers []big.Int  // figures times 10^places, 0 for null; nil: not computed yet
	nulls   []int      // where a figure is null
}

// known reports whether the n figures up to the i-th are not null.
func (c *column) known(i, n int) bool {
	if i >= len(c.figures) {
		return n <= 0
	}
	c.convert()
	newest, _ := slices.BinarySearch(c.nulls, i+1)
	return newest == 0 || c.nulls[newest-1] <= i-n
}

var zero big.Int

// at returns the i-th figure as a number; 0 for null.
func (c *column) at(i int) *big.Int {
	if i >= len(c.figures) {
		return &zero
	}
	c.convert()
	return &c.numbers[i]
}

func (c *column) convert() {
	if c.numbers != nil {
		return
	}
	c.numbers = make([]big.Int, len(c.figures))
	words := make([]big.Word, len(c.figures)*usualWords) // one allocation for all of them
	for i, d := range c.figures {
		if d.IsNull() {
			c.nulls = append(c.nulls, i)
			continue
		}
		at := i * usualWords
		c.numbers[i].SetBits(words[at : at : at+usualWords])
		setNumber(&c.numbers[i], d, c.places)
		if c.times != nil {
			c.numbers[i].Mul(&c.numbers[i], c.times[i])
		}
	}
}

// usualWords is the number of words of a usual price: below 2^63 without its guard digits.
const usualWords = 3

// decimals returns the largest number of decimals in the columns.
func decimals(columns ...[]value.Decimal) int {
	most := 0
	for _, figures := range columns {
		for _, d := range figures {
			_, fraction, _ := strings.Cut(d.String(), ".")
			most = max(most, len(fraction))
		}
	}
	return most
}

// setNumber sets z to d × 10^places; d has no more decimals than that.
func setNumber(z *big.Int, d value.Decimal, places int) {
	whole, fraction, _ := strings.Cut(d.String(), ".")
	if n, err := strconv.ParseInt(whole+fraction, 10, 64); err == nil {
		z.SetInt64(n)
	} else {
		z.SetString(whole+fraction, 10)
	}
	z.Mul(z, powers[places-len(fraction)])
}

// figure is a value, or the reason why there is none.
type figure struct {
	value  value.Decimal
	reason string
}

// null returns n figures without a value.
func null(reason string, n int) []figure { return slices.Repeat([]figure{{reason: reason}}, n) }

// quotient returns num/den, rounded half away from zero; null unless den is
// above 0.
func quotient(num, den *big.Int) figure {
	if den.Sign() <= 0 {
		return figure{reason: value.NonPositiveBase}
	}
	var millionths big.Int
	millionths.Mul(num, powers[valuePlaces])
	divideRounded(&millionths, &millionths, den)
	return figureOf(&millionths)
}

// divideRounded sets z to num/den, half away from zero; den is above 0.
func divideRounded(z, num, den *big.Int) {
	negative := num.Sign() < 0
	var double big.Int
	double.Lsh(den, 1)
	z.Abs(num)
	z.Lsh(z, 1)
	z.Add(z, den)
	z.Quo(z, &double)
	if negative {
		z.Neg(z)
	}
}

// figureOf returns the figure of a number of millionths.
func figureOf(millionths *big.Int) figure {
	digits := new(big.Int).Abs(millionths).String()
	if missing := valuePlaces + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - valuePlaces
	text := digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		text += "." + fraction
	}
	if millionths.Sign() < 0 {
		text = "-" + text
	}
	d, err := value.ParseDecimal(text)
	if err != nil {
		return figure{reason: value.OutOfRange}
	}
	return figure{value: d}
}
