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
func (s *series) sma(n int) []figure {
	if reason := s.lacks(n, &s.close); reason != "" {
		return null(reason, 1)
	}
	closes := s.close.last(n)
	var sum big.Int
	for i := range closes {
		sum.Add(&sum, &closes[i])
	}
	return []figure{quotient(&sum, s.times(n))}
}

// bollinger computes the mean of the n newest closes, and 2 population standard
// deviations above and below it. It needs n bars.
func (s *series) bollinger(n int) []figure {
	if reason := s.lacks(n, &s.close); reason != "" {
		return null(reason, 3)
	}
	closes := s.close.last(n)
	var sum, squares, t, width, band big.Int
	for i := range closes {
		sum.Add(&sum, &closes[i])
		squares.Add(&squares, t.Mul(&closes[i], &closes[i]))
	}
	// n standard deviations: √(n·Σx² − (Σx)²).
	width.Mul(&squares, big.NewInt(int64(n)))
	width.Sub(&width, t.Mul(&sum, &sum))
	width.Sqrt(&width)
	width.Lsh(&width, 1)
	den := s.times(n)
	return []figure{
		quotient(band.Add(&sum, &width), den),
		quotient(&sum, den),
		quotient(band.Sub(&sum, &width), den),
	}
}

// ema computes the exponential moving average of all closes. It needs n bars.
func (s *series) ema(n int) []figure {
	if reason := s.lacks(max(n, s.bars), &s.close); reason != "" {
		return null(reason, 1)
	}
	closes := s.close.last(s.bars)
	a := newEMA(n)
	for i := range closes {
		a.add(&closes[i])
	}
	return []figure{quotient(&a.value, s.one)}
}

// macd computes the fast average less the slow one, each from the first close
// on; the average of that, from its first value on; and the difference of the
// two. The line needs 26 bars, signal and histogram need 34.
func (s *series) macd(int) []figure {
	short := s.lacks(macdSlow + macdSignal - 1) // for a signal
	if reason := s.lacks(max(macdSlow, s.bars), &s.close); reason != "" {
		return append(null(reason, 1), null(cmp.Or(short, reason), 2)...)
	}
	closes := s.close.last(s.bars)
	fast, slow, signal := newEMA(macdFast), newEMA(macdSlow), newEMA(macdSignal)
	var line big.Int
	for i := range closes {
		fast.add(&closes[i])
		slow.add(&closes[i])
		if slow.ready() {
			signal.add(line.Sub(&fast.value, &slow.value))
		}
	}
	figures := []figure{quotient(&line, s.one)}
	if short != "" {
		return append(figures, null(short, 2)...)
	}
	var histogram big.Int
	histogram.Sub(&line, &signal.value)
	return append(figures, quotient(&signal.value, s.one), quotient(&histogram, s.one))
}

// average is a smoothed average in progress: the mean of the first n numbers;
// each further number moves it by a fixed part of the distance.
type average struct {
	n, seen int
	doubled uint     // 1: twice the distance is divided
	by      *big.Int // the distance is divided by this

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
