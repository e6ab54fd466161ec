package analytics

import (
	"math/big"

	"piyasa/internal/value"
)

// series is a run of bars to compute on. Closes, highs and lows are prices times one.
type series struct {
	bars             int
	close, high, low column
	volume           []value.Decimal
	one              *big.Int
	scale            *barScale // nil: no bar is scaled
	before           int       // number of bars before these that cannot be combined with them
}

func newSeries(p Prices) *series {
	places := decimals(p.Close, p.High, p.Low) + guardPlaces
	s := &series{
		bars:   len(p.Close),
		close:  column{figures: p.Close, places: places},
		high:   column{figures: p.High, places: places},
		low:    column{figures: p.Low, places: places},
		volume: p.Volume,
		one:    powers[places],
		scale:  p.scale,
		before: p.before,
	}
	if p.scale != nil {
		s.one = new(big.Int).Mul(s.one, p.scale.prices.over)
		for _, c := range []*column{&s.close, &s.high, &s.low} {
			c.times = p.scale.prices.times
		}
	}
	return s
}

// rises compares the close of a bar with that of the bar before.
func (s *series) rises(i int) int {
	now, before := s.close.figures[i], s.close.figures[i-1]
	if s.scale == nil || s.scale.prices.times[i] == s.scale.prices.times[i-1] {
		return now.Cmp(before)
	}
	a, b := now.Rat(), before.Rat()
	return a.Mul(a, new(big.Rat).SetInt(s.scale.prices.times[i])).Cmp(b.Mul(b, new(big.Rat).SetInt(s.scale.prices.times[i-1])))
}

// lacks returns the null reason at bar i if there are fewer than n bars up to it, or if one of
// the columns is null in the newest n of them; else "".
func (s *series) lacks(i, n int, columns ...*column) string {
	switch short := n - (i + 1); {
	case short > s.before:
		return value.InsufficientHistory
	case short > 0:
		return value.MeaningChanged
	}
	for _, c := range columns {
		if !c.known(i, n) {
			return value.NotProvidedBySource
		}
	}
	return ""
}

// times returns n × s.one.
func (s *series) times(n int) *big.Int { return new(big.Int).Mul(big.NewInt(int64(n)), s.one) }
