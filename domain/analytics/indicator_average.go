package analytics

import (
	"cmp"
	"math/big"
)

// MACD's bars.
const (
	macdFast   = 12
	macdSlow   = 26
	macdSignal = 9
)

// sma computes the mean of the n newest closes. It needs n bars.
func (s *series) sma(n int) run {
	var sum big.Int
	den := s.times(n)
	add := func(i, leaves int) {
		sum.Add(&sum, s.close.at(i))
		if leaves >= 0 {
			sum.Sub(&sum, s.close.at(leaves))
		}
	}
	return run{n, add, func(i int) []figure {
		if reason := s.lacks(i, n, &s.close); reason != "" {
			return null(reason, 1)
		}
		return []figure{quotient(&sum, den)}
	}}
}

// bollinger computes the mean of the n newest closes, and 2 population standard
// deviations above and below it. It needs n bars.
func (s *series) bollinger(n int) run {
	var sum, squares, t, width, band big.Int
	den := s.times(n)
	add := func(i, leaves int) {
		c := s.close.at(i)
		sum.Add(&sum, c)
		squares.Add(&squares, t.Mul(c, c))
		if leaves >= 0 {
			c = s.close.at(leaves)
			sum.Sub(&sum, c)
			squares.Sub(&squares, t.Mul(c, c))
		}
	}
	return run{n, add, func(i int) []figure {
		if reason := s.lacks(i, n, &s.close); reason != "" {
			return null(reason, 3)
		}
		// n standard deviations: √(n·Σx² − (Σx)²).
		width.Mul(&squares, big.NewInt(int64(n)))
		width.Sub(&width, t.Mul(&sum, &sum))
		width.Sqrt(&width)
		width.Lsh(&width, 1)
		return []figure{
			quotient(band.Add(&sum, &width), den),
			quotient(&sum, den),
			quotient(band.Sub(&sum, &width), den),
		}
	}}
}

// ema computes the exponential moving average of all closes. It needs n bars.
func (s *series) ema(n int) run {
	a := newEMA(n)
	return run{0, func(i, _ int) { a.add(s.close.at(i)) }, func(i int) []figure {
		if reason := s.lacks(i, max(n, i+1), &s.close); reason != "" {
			return null(reason, 1)
		}
		return []figure{quotient(&a.value, s.one)}
	}}
}

// macd computes the fast average less the slow one, each from the first close on; the average
// of that difference, from its first value on; and the difference of the two. The line needs 26
// bars, signal and histogram need 34.
func (s *series) macd(int) run {
	fast, slow, signal := newEMA(macdFast), newEMA(macdSlow), newEMA(macdSignal)
	var line, histogram big.Int
	add := func(i, _ int) {
		fast.add(s.close.at(i))
		slow.add(s.close.at(i))
		if slow.ready() {
			signal.add(line.Sub(&fast.value, &slow.value))
		}
	}
	return run{0, add, func(i int) []figure {
		short := s.lacks(i, macdSlow+macdSignal-1) // for a signal
		if reason := s.lacks(i, max(macdSlow, i+1), &s.close); reason != "" {
			return append(null(reason, 1), null(cmp.Or(short, reason), 2)...)
		}
		figures := []figure{quotient(&line, s.one)}
		if short != "" {
			return append(figures, null(short, 2)...)
		}
		histogram.Sub(&line, &signal.value)
		return append(figures, quotient(&signal.value, s.one), quotient(&histogram, s.one))
	}}
}

// average is a smoothed average in progress: it starts as the mean of the first n numbers, and
// each further number moves it by a fixed part of the distance.
type average struct {
	n, seen int
	doubled uint     // 1: the distance is doubled before it is divided
	by      *big.Int // divisor of the distance

	value      big.Int // while not ready, a sum
	step, rest big.Int
}

// newEMA returns an exponential average: it moves by 2/(n+1) of the distance.
func newEMA(n int) *average { return &average{n: n, doubled: 1, by: big.NewInt(int64(n) + 1)} }

// newWilder returns Wilder's average: it moves by 1/n of the distance.
func newWilder(n int) *average { return &average{n: n, by: big.NewInt(int64(n))} }

// ready reports whether value is the average.
func (a *average) ready() bool { return a.seen >= a.n }

func (a *average) add(x *big.Int) {
	a.seen++
	if a.seen <= a.n {
		a.value.Add(&a.value, x)
		if a.seen == a.n {
			a.value.Quo(&a.value, big.NewInt(int64(a.n)))
		}
		return
	}
	a.step.Sub(x, &a.value)
	a.step.Lsh(&a.step, a.doubled)
	a.step.QuoRem(&a.step, a.by, &a.rest) // Quo would allocate a rest each time
	a.value.Add(&a.value, &a.step)
}
