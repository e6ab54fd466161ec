package analytics

import (
	"math/big"

	"piyasa/internal/value"
)

// rsi computes the average gain as a percentage of the sum of average gain and average loss. It
// needs n + 1 bars. It is 100 for a run that only gains, 0 for one that only loses, and null
// for one that never moves.
func (s *series) rsi(n int) run {
	w := newWeights(n, n)
	var gain, loss, change, weighed, num, den big.Int
	add := func(i, _ int) {
		if i == 0 {
			return
		}
		weight := w.next()
		change.Sub(s.close.at(i), s.close.at(i-1))
		switch change.Sign() {
		case 1:
			gain.Add(&gain, weighed.Mul(&change, weight))
		case -1:
			loss.Sub(&loss, weighed.Mul(&change, weight))
		}
	}
	return run{0, add, func(i int) []figure {
		if reason := s.lacks(i, max(n+1, i+1), &s.close); reason != "" {
			return null(reason, 1)
		}
		return []figure{quotient(num.Mul(&gain, hundred), den.Add(&gain, &loss))}
	}}
}

// roc computes the percentage by which the newest close differs from the close n bars before.
// It needs n + 1 bars, and a close above 0 at the earlier bar.
func (s *series) roc(n int) run {
	var change big.Int
	return run{n + 1, nil, func(i int) []figure {
		if reason := s.lacks(i, n+1, &s.close); reason != "" {
			return null(reason, 1)
		}
		change.Sub(s.close.at(i), s.close.at(i-n))
		return []figure{quotient(change.Mul(&change, hundred), s.close.at(i-n))}
	}}
}

// obv sums the volumes of bars that closed higher than the bar before, less
// those of bars that closed lower. It needs one bar, which counts 0, and the
// volume of every bar that closed higher or lower.
func (s *series) obv(int) run {
	places := decimals(s.volume)
	whole := powers[places]
	if s.scale != nil {
		whole = new(big.Int).Mul(whole, s.scale.volumes.over)
	}
	var total, volume big.Int
	lacking := false
	add := func(i, _ int) {
		lacking = lacking || s.close.figures[i].IsNull()
		if i == 0 || lacking {
			return
		}
		direction := s.rises(i)
		if direction == 0 {
			return
		}
		if lacking = i >= len(s.volume) || s.volume[i].IsNull(); lacking {
			return
		}
		setNumber(&volume, s.volume[i], places)
		if s.scale != nil {
			volume.Mul(&volume, s.scale.volumes.times[i])
		}
		if direction > 0 {
			total.Add(&total, &volume)
		} else {
			total.Sub(&total, &volume)
		}
	}
	return run{0, add, func(i int) []figure {
		reason := s.lacks(i, max(1, i+1))
		if reason == "" && lacking {
			reason = value.NotProvidedBySource
		}
		if reason != "" {
			return null(reason, 1)
		}
		return []figure{quotient(&total, whole)}
	}}
}

// stochasticBars is the number of bars of an unsmoothed %K.
const stochasticBars = 14

// The weights of the newest %K in the smoothed %K and in %D, the mean of the 3 newest of these.
var smoothK, smoothD = []int64{1, 1, 1}, []int64{1, 2, 3, 2, 1}

// stochastic computes where the newest close lies between the lowest low and
// the highest high of 14 bars, in percent: %K, the mean of the 3 newest, and
// %D, the mean of the 3 newest %K. They need 16 and 18 bars.
func (s *series) stochastic(int) run {
	newest := make([]struct{ above, spread big.Int }, len(smoothD)) // of bar i at i modulo its length
	add := func(i, _ int) {
		if i < stochasticBars-1 {
			return
		}
		highest, lowest := s.high.at(i), s.low.at(i)
		for j := i - stochasticBars + 1; j < i; j++ {
			if h := s.high.at(j); h.Cmp(highest) > 0 {
				highest = h
			}
			if l := s.low.at(j); l.Cmp(lowest) < 0 {
				lowest = l
			}
		}
		k := &newest[i%len(newest)]
		k.above.Sub(s.close.at(i), lowest)
		k.spread.Sub(highest, lowest)
	}
	var num, part, den big.Int
	// smoothed computes the weighted mean of the newest %K. It is null if any of these bars has
	// no spread between high and low.
	smoothed := func(i int, weights []int64) figure {
		if reason := s.lacks(i, stochasticBars+len(weights)-1, &s.close, &s.high, &s.low); reason != "" {
			return figure{reason: reason}
		}
		var total int64
		num.SetInt64(0)
		den.SetInt64(1)
		for j, weight := range weights {
			k := &newest[(i-len(weights)+1+j)%len(newest)]
			if k.spread.Sign() <= 0 {
				return figure{reason: value.NonPositiveBase}
			}
			// num/den + weight × above/spread
			part.Mul(&k.above, big.NewInt(weight))
			part.Mul(&part, &den)
			num.Mul(&num, &k.spread)
			num.Add(&num, &part)
			den.Mul(&den, &k.spread)
			total += weight
		}
		return quotient(num.Mul(&num, hundred), den.Mul(&den, big.NewInt(total)))
	}
	return run{stochasticBars + len(smoothD) - 1, add, func(i int) []figure {
		return []figure{smoothed(i, smoothK), smoothed(i, smoothD)}
	}}
}
