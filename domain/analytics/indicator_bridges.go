package analytics

import (
	"math/big"
	"slices"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// barScale makes bars from before bridges count as those after them.
type barScale struct{ prices, volumes exactScale }

// exactScale multiplies the numbers of each bar by a whole number, and divides what is made of
// all of them by one: so ratios stay exact.
type exactScale struct {
	times []*big.Int
	over  *big.Int
}

// scaleOf returns the scale of bars by their days, which ascend; nil if they cross no bridge,
// or not all of them can be combined.
func scaleOf(days []value.Date, boundaries segment.Boundaries) *barScale {
	if len(days) == 0 {
		return nil
	}
	crossed := boundaries.Between(days[0], days[len(days)-1])
	if len(crossed) == 0 || crossed.Unbridged() != nil {
		return nil
	}
	prices, volumes := make([]*big.Rat, len(days)), make([]*big.Rat, len(days))
	for i, left := 0, -1; i < len(days); i++ {
		ahead := crossed.Between(days[i], days[len(days)-1])
		if len(ahead) == left {
			prices[i], volumes[i] = prices[i-1], volumes[i-1]
			continue
		}
		left, prices[i], volumes[i] = len(ahead), ahead.Ratio().Rat(), ahead.CountsRatio().Rat()
	}
	return &barScale{exactScaleOf(prices), exactScaleOf(volumes)}
}

// exactScaleOf brings ratios to one denominator. Equal ones in a row share their number.
func exactScaleOf(ratios []*big.Rat) exactScale {
	s := exactScale{make([]*big.Int, len(ratios)), big.NewInt(1)}
	each := func(use func(i int)) {
		for i := range ratios {
			if i == 0 || ratios[i] != ratios[i-1] {
				use(i)
			}
		}
	}
	var common big.Int
	each(func(i int) { // the least common multiple
		den := ratios[i].Denom()
		common.GCD(nil, nil, s.over, den)
		s.over.Mul(s.over, new(big.Int).Quo(den, &common))
	})
	each(func(i int) {
		s.times[i] = new(big.Int).Quo(s.over, ratios[i].Denom())
		s.times[i].Mul(s.times[i], ratios[i].Num())
	})
	for i := range ratios {
		if s.times[i] == nil {
			s.times[i] = s.times[i-1]
		}
	}
	return s
}

// oneSegment returns the newest of bars that can be combined with the last one, and what
// changed before them; nil: nothing did.
func oneSegment(m market.Market, bars []*market.Bar, boundaries segment.Boundaries) ([]*market.Bar, *segment.Change) {
	if len(bars) == 0 || len(boundaries) == 0 {
		return bars, nil
	}
	last := m.DayOf(bars[len(bars)-1])
	change := boundaries.Between(m.DayOf(bars[0]), last).Unbridged()
	if change == nil {
		return bars, nil
	}
	from, _ := slices.BinarySearchFunc(bars, change.On, func(b *market.Bar, day value.Date) int { return m.DayOf(b).Compare(day) })
	return bars[from:], change
}

// bridgesOf returns the bridges between the first and the last of bars.
func bridgesOf(m market.Market, bars []*market.Bar, boundaries segment.Boundaries) []*segment.Bridge {
	if len(bars) == 0 {
		return nil
	}
	return boundaries.Between(m.DayOf(bars[0]), m.DayOf(bars[len(bars)-1])).Bridges()
}

// computeIn computes figures of the newest bars that can be combined. Where these are too few
// and all would be enough, what changed is the reason.
func computeIn(bars, all []*market.Bar, change *segment.Change, prices func([]*market.Bar) Prices, which []Indicator,
	periods []int) []*IndicatorValue {
	values := Compute(prices(bars), which, periods)
	if change == nil {
		return values
	}
	var enough []*IndicatorValue
	for i, v := range values {
		if v.NullReason == nil || *v.NullReason != value.InsufficientHistory {
			continue
		}
		if enough == nil {
			enough = Compute(prices(all), which, periods)
		}
		if why := enough[i].NullReason; why == nil || *why != value.InsufficientHistory {
			v.NullReason, v.MeaningChanged = new(value.MeaningChanged), change
		}
	}
	return values
}
