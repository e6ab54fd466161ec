package analytics

import (
	"math/big"

	"piyasa/internal/value"
)

// rsi computes the average gain's part, in percent, of the average gain and the
// average loss together. It needs n + 1 bars. It is 100 for a run that only
// gains, 0 for one that only loses, and null for one that never moves.
func (s *series) rsi(n int) []figure {
	if reason := s.lacks(max(n+1, s.bars), &s.close); reason != "" {
		return null(reason, 1)
	}
	closes := s.close.last(s.bars)
	w := newWeights(n, n)
	var gain, loss, change, weighed big.Int
	for i := range closes[1:] {
		weight := w.next()
		change.Sub(&closes[i+1], &closes[i])
		switch change.Sign() {
		case 1:
			gain.Add(&gain, weighed.Mul(&change, weight))
		case -1:
			loss.Sub(&loss, weighed.Mul(&change, weight))
		}
	}
	loss.Add(&loss, &gain)
	return []figure{quotient(gain.Mul(&gain, hundred), &loss)}
}

// roc computes the newest close's distance, in percent, from the close n bars
// before. It needs n + 1 bars, and a close above 0 there.
func (s *series) roc(n int) []figure {
	if reason := s.lacks(n+1, &s.close); reason != "" {
		return null(reason, 1)
	}
	closes := s.close.last(n + 1)
	var change big.Int
	change.Sub(&closes[n], &closes[0])
	return []figure{quotient(change.Mul(&change, hundred), &closes[0])}
}

// obv sums the volumes of bars that closed higher than the bar before, less
// those of bars that closed lower. It needs one bar, which counts 0, and the
// volume of every bar that closed higher or lower.
func (s *series) obv(int) []figure {
	if reason := s.lacks(max(1, s.bars)); reason != "" {
		return null(reason, 1)
	}
	places := decimals(s.volume)
	var total, volume big.Int
	for i, c := range s.close.figures {
		if c.IsNull() {
			return null(value.NotProvidedBySource, 1)
		}
		if i == 0 {
			continue
		}
		direction := s.rises(i)
		if direction == 0 {
			continue
		}
		if i >= len(s.volume) || s.volume[i].IsNull() {
			return null(value.NotProvidedBySource, 1)
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
	whole := powers[places]
	if s.scale != nil {
		whole = new(big.Int).Mul(whole, s.scale.volumes.over)
	}
	return []figure{quotient(&total, whole)}
}

// stochasticBars are the bars of a %K before it is smoothed.
const stochasticBars = 14

// stochastic computes where the newest close lies between the lowest low and
// the highest high of 14 bars, in percent: %K, the mean of the 3 newest, and
// %D, the mean of the 3 newest %K. They need 16 and 18 bars.
func (s *series) stochastic(int) []figure {
	return []figure{s.smoothedK(1, 1, 1), s.smoothedK(1, 2, 3, 2, 1)}
}

// smoothedK computes the weighted mean of the newest %K, none of which may lack
// a spread between high and low.
func (s *series) smoothedK(weights ...int64) figure {
	n := stochasticBars + len(weights) - 1
	if reason := s.lacks(n, &s.close, &s.high, &s.low); reason != "" {
		return figure{reason: reason}
	}
	closes, highs, lows := s.close.last(n), s.high.last(n), s.low.last(n)
	var total int64
	var num, part, spread big.Int
	den := big.NewInt(1)
	for i, weight := range weights {
		end := i + stochasticBars
		highest, lowest := &highs[i], &lows[i]
		for j := i + 1; j < end; j++ {
			if highs[j].Cmp(highest) > 0 {
				highest = &highs[j]
			}
			if lows[j].Cmp(lowest) < 0 {
				lowest = &lows[j]
			}
		}
		if spread.Sub(highest, lowest).Sign() <= 0 {
			return figure{reason: value.NonPositiveBase}
		}
		// num/den + weight × (close − lowest)/spread
		part.Sub(&closes[end-1], lowest)
		part.Mul(&part, big.NewInt(weight))
		part.Mul(&part, den)
		num.Mul(&num, &spread)
		num.Add(&num, &part)
		den.Mul(den, &spread)
		total += weight
	}
	return quotient(num.Mul(&num, hundred), den.Mul(den, big.NewInt(total)))
}
