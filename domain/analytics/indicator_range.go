package analytics

import (
	"cmp"
	"math/big"

	"piyasa/internal/value"
)

// atr computes Wilder's average of the true ranges from the second bar on. It
// needs n + 1 bars.
func (s *series) atr(n int) run {
	a := newWilder(n)
	var r, t big.Int
	add := func(i, _ int) {
		if i > 0 {
			trueRange(&r, &t, s.high.at(i), s.low.at(i), s.close.at(i-1))
			a.add(&r)
		}
	}
	return run{0, add, func(i int) []figure {
		reason := s.lacks(i, max(n+1, i+1), &s.close)
		if reason == "" {
			reason = s.lacks(i, i, &s.high, &s.low)
		}
		if reason != "" {
			return null(reason, 1)
		}
		return []figure{quotient(&a.value, s.one)}
	}}
}

// trueRange sets z to the largest distance between a bar's high, its low and the close of the
// bar before. It uses t as scratch.
func trueRange(z, t, high, low, before *big.Int) {
	z.Sub(high, low)
	if t.Sub(high, before); t.CmpAbs(z) > 0 || z.Sign() < 0 {
		z.Abs(t)
	}
	if t.Sub(low, before); t.CmpAbs(z) > 0 {
		z.Abs(t)
	}
}

// adx computes the strength of the directional movement, and the shares of upward and of
// downward movement in the true range, in percent. They are seeded as in TA-Lib: with the plain
// sums of the first n − 1 movements and ranges, and with the mean of the first n directional
// indices. The index needs 2n bars, the shares need n + 1.
func (s *series) adx(n int) run {
	w, strength := newWeights(n, n-1), newWilder(n)
	var plus, minus, ranges, up, down, r, t, weighed big.Int
	add := func(i, _ int) {
		if i == 0 {
			return
		}
		weight := w.next()
		up.Sub(s.high.at(i), s.high.at(i-1))
		down.Sub(s.low.at(i-1), s.low.at(i))
		switch larger := up.Cmp(&down); {
		case larger > 0 && up.Sign() > 0:
			plus.Add(&plus, weighed.Mul(&up, weight))
		case larger < 0 && down.Sign() > 0:
			minus.Add(&minus, weighed.Mul(&down, weight))
		}
		trueRange(&r, &t, s.high.at(i), s.low.at(i), s.close.at(i-1))
		ranges.Add(&ranges, weighed.Mul(&r, weight))
		if i >= n {
			directional(&r, &t, &plus, &minus)
			strength.add(&r)
		}
	}
	return run{0, add, func(i int) []figure {
		short := s.lacks(i, 2*n) // for an index
		if reason := s.lacks(i, max(n+1, i+1), &s.close, &s.high, &s.low); reason != "" {
			return append(null(cmp.Or(short, reason), 1), null(reason, 2)...)
		}
		index := figure{reason: short}
		switch {
		case short != "":
		case plus.Sign() == 0 && minus.Sign() == 0:
			index.reason = value.NonPositiveBase
		default:
			index = quotient(&strength.value, powers[guardPlaces])
		}
		return []figure{
			index,
			quotient(up.Mul(&plus, hundred), &ranges),
			quotient(down.Mul(&minus, hundred), &ranges),
		}
	}}
}

// directional sets z to the directional index: the difference of the movements in percent of
// their sum, times 10^guardPlaces; 0 while nothing has moved, as in TA-Lib. It uses t as
// scratch.
func directional(z, t, plus, minus *big.Int) {
	if t.Add(plus, minus); t.Sign() == 0 {
		z.SetInt64(0)
		return
	}
	z.Sub(plus, minus)
	z.Abs(z)
	z.Mul(z, hundred)
	z.Mul(z, powers[guardPlaces])
	z.Quo(z, t)
}

// weights are Wilder's weights up to a common factor, which cancels in quotients: the first
// numbers have equal weights, and each later one n/(n−1) times the one before. Sums with these
// weights keep their digits where averages would shrink to nothing, as in a long run of equal
// closes.
type weights struct {
	alike        int // how many more numbers get the same weight
	num, den     *big.Int
	weight, rest big.Int
}

func newWeights(n, alike int) *weights {
	w := &weights{alike: alike, num: big.NewInt(int64(n)), den: big.NewInt(int64(n) - 1)}
	w.weight.Set(powers[guardPlaces])
	return w
}

// next returns the weight of the next number; the result is valid until the
// next call.
func (w *weights) next() *big.Int {
	if w.alike > 0 {
		w.alike--
		return &w.weight
	}
	w.weight.Mul(&w.weight, w.num)
	w.weight.QuoRem(&w.weight, w.den, &w.rest)
	return &w.weight
}
