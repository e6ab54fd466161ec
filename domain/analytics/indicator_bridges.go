package analytics

import (
	"math/big"
	"slices"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// barScale scales bars before bridges so that they compare with those after them.
type barScale struct{ prices, volumes exactScale }

// exactScale multiplies the numbers of each bar by an integer, and divides the result over all
// bars by one: so ratios stay exact.
type exactScale struct {
	times []*big.Int
	over  *big.Int
}

// scaleOf returns the scale that makes bars of ascending days comparable with those of the
// later day until; nil: they cross no bridge.
func scaleOf(days []value.Date, until value.Date, boundaries segment.Boundaries) *barScale {
	if len(days) == 0 {
		return nil
	}
	crossed := boundaries.Between(days[0], until)
	if len(crossed.Bridges()) == 0 {
		return nil
	}
	prices, volumes := make([]*big.Rat, len(days)), make([]*big.Rat, len(days))
	for i, left := 0, -1; i < len(days); i++ {
		ahead := crossed.Between(days[i], until)
		if len(ahead) == left {
			prices[i], volumes[i] = prices[i-1], volumes[i-1]
			continue
		}
		bridged := bridgedOf(ahead)
		left, prices[i], volumes[i] = len(ahead), bridged.Ratio().Rat(), bridged.CountsRatio().Rat()
	}
	return &barScale{exactScaleOf(prices), exactScaleOf(volumes)}
}

// bridgedOf returns those of the boundaries ahead by which candles multiply, too: boundaries
// with a bridge, up to where the id passed to another instrument.
func bridgedOf(ahead segment.Boundaries) segment.Boundaries {
	var bridged segment.Boundaries
	for _, b := range ahead {
		if b.Bridge != nil {
			bridged = append(bridged, b)
		} else if b.What == segment.Identity {
			break
		}
	}
	return bridged
}

// exactScaleOf brings ratios to one denominator. Consecutive equal ratios share their number.
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

// oneSegment returns the newest bars that can be combined with the last one, and the change
// before them; nil: none.
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

// history is the bars of an instrument, ascending, with the boundaries of their meaning.
type history struct {
	market     market.Market
	bars       []*market.Bar
	boundaries segment.Boundaries
}

// stretch is a run of bars that can be combined, as a series to compute on.
type stretch struct {
	*series
	of     []*market.Bar   // the bars of the series
	change *segment.Change // before them; nil: none
	shown  int             // how many of them are requested
}

// stretches returns the newest bars by segment, the newest first: the segment of the last bar,
// and earlier segments that have some of the requested bars.
func (h history) stretches(sampled bool, last int) []stretch {
	var all []stretch
	bars, until := h.bars, value.Date{}
	if usable := usableOf(bars, sampled); len(h.boundaries) > 0 && len(usable) > 0 {
		until = h.market.DayOf(usable[len(usable)-1])
	}
	for {
		some, change := oneSegment(h.market, bars, h.boundaries)
		bars = bars[:len(bars)-len(some)]
		one := stretch{of: usableOf(some, sampled), change: change}
		p := pricesOf(one.of, sampled)
		if len(h.boundaries) > 0 {
			days := make([]value.Date, len(one.of))
			for i, b := range one.of {
				days[i] = h.market.DayOf(b)
			}
			p.scale, p.before = scaleOf(days, until, h.boundaries), len(usableOf(bars, sampled))
		}
		one.series, one.shown = newSeries(p), min(len(one.of), last)
		all, last = append(all, one), last-one.shown
		if change == nil || last == 0 {
			return all
		}
	}
}

// usableOf returns the bars with a close; if sampled, only those that also have an open.
func usableOf(bars []*market.Bar, sampled bool) []*market.Bar {
	usable := make([]*market.Bar, 0, len(bars))
	for _, b := range bars {
		if !b.Close.IsNull() && !(sampled && b.Open.IsNull()) {
			usable = append(usable, b)
		}
	}
	return usable
}

// pricesOf arranges usable bars by column. Sampled bars use the larger and smaller of open and
// close as high and low.
func pricesOf(bars []*market.Bar, sampled bool) Prices {
	var p Prices
	for _, b := range bars {
		high, low := b.High, b.Low
		if sampled {
			high, low = b.Open, b.Close
			if high.Cmp(low) < 0 {
				high, low = low, high
			}
		}
		p.Close, p.High = append(p.Close, b.Close), append(p.High, high)
		p.Low, p.Volume = append(p.Low, low), append(p.Volume, b.Volume)
	}
	return p
}
