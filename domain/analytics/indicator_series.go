package analytics

import (
	"math/big"

	"piyasa/internal/value"
)

// series is a run of bars to compute on. The numbers of closes, highs and lows
// are prices times one.
type series struct {
	bars             int
	close, high, low column
	volume           []value.Decimal
	one              *big.Int
}

func newSeries(p Prices) *series {
	places := decimals(p.Close, p.High, p.Low) + guardPlaces
	return &series{
		bars:   len(p.Close),
		close:  column{figures: p.Close, places: places},
		high:   column{figures: p.High, places: places},
		low:    column{figures: p.Low, places: places},
		volume: p.Volume,
		one:    powers[places],
	}
}

// lacks returns the null reason if there are fewer than n bars, or if one of
// these columns is null in the n newest; else it is empty.
func (s *series) lacks(n int, columns ...*column) string {
	if n > s.bars {
		return value.InsufficientHistory
	}
	for _, c := range columns {
		if !c.known(n) {
			return value.NotProvidedBySource
		}
	}
	return ""
}

// times returns n × s.one.
func (s *series) times(n int) *big.Int { return new(big.Int).Mul(big.NewInt(int64(n)), s.one) }
