package market

import "piyasa/internal/value"

// shownBars are the bars of a span as answers show them: packed as memory has them, or unpacked
// if they were read past memory or converted. They are shared: do not change them.
type shownBars struct {
	past, recent barPart
	unpacked     []*Bar // of no run
}

// packed returns both parts of runs; either may be empty.
func (s *shownBars) packed() [2]barPart { return [...]barPart{s.past, s.recent} }

// count returns how many bars there are.
func (s *shownBars) count() int { return s.past.count() + s.recent.count() + len(s.unpacked) }

// first returns the time of the first bar. There must be at least one.
func (s *shownBars) first() value.Instant {
	for _, p := range s.packed() {
		if p.count() > 0 {
			return p.run.times[p.from]
		}
	}
	return s.unpacked[0].T
}

// all returns the bars. They may be shared: do not change them.
func (s *shownBars) all() []*Bar {
	if s.unpacked != nil {
		return s.unpacked
	}
	return s.own()
}

// own returns the bars in memory that no other request shares.
func (s *shownBars) own() []*Bar {
	own, counts, bars := make([]Bar, s.count()), make([]int, s.count()), make([]*Bar, s.count())
	for i := range own {
		bars[i] = &own[i]
	}
	n := 0
	for _, p := range s.packed() {
		for i := p.from; i < p.to; i++ {
			p.run.unpack(i, &own[n], &counts[n])
			n++
		}
	}
	for i, b := range s.unpacked {
		own[i] = *b
	}
	return bars
}

// BarsInTurn gives access to the bars of a series one at a time, without memory for all of
// them. The bar that At returns, and its trade count, are valid until the next call of At.
type BarsInTurn struct {
	series *CandleSeries
	of     *shownBars
	bar    Bar
	count  int
}

// Len returns how many bars there are.
func (b *BarsInTurn) Len() int { return b.of.count() }

// At returns the i-th bar, which must not be changed.
func (b *BarsInTurn) At(i int) *Bar {
	if len(b.of.unpacked) > 0 {
		if b.series.Resolution != Day {
			return b.of.unpacked[i]
		}
		b.bar = *b.of.unpacked[i]
	} else {
		p := &b.of.past
		if n := p.count(); i >= n {
			p, i = &b.of.recent, i-n
		}
		p.run.unpack(p.from+i, &b.bar, &b.count)
	}
	if b.series.Resolution == Day {
		b.bar.complete = &yesNo[0]
		if b.series.isOver(b.bar.T) {
			b.bar.complete = &yesNo[1]
		}
	}
	return &b.bar
}

// yesNo is shared by all bars, which point to its elements.
var yesNo = [...]bool{false, true}

// times returns the times of the bars.
func (s *shownBars) times() []value.Instant {
	all := make([]value.Instant, 0, s.count())
	for _, p := range s.packed() {
		if p.count() > 0 {
			all = append(all, p.run.times[p.from:p.to]...)
		}
	}
	for _, b := range s.unpacked {
		all = append(all, b.T)
	}
	return all
}

// figure returns one figure of all bars.
func (s *shownBars) figure(which int) []value.Decimal {
	all := make([]value.Decimal, 0, s.count())
	for _, p := range s.packed() {
		for i := p.from; i < p.to; i++ {
			all = append(all, p.run.figure(i, which))
		}
	}
	for _, b := range s.unpacked {
		all = append(all, *b.figures()[which])
	}
	return all
}

// tradeCounts returns the trade counts of all bars.
func (s *shownBars) tradeCounts() []*int {
	all, counts := make([]*int, 0, s.count()), make([]int, s.count())
	for _, p := range s.packed() {
		for i := p.from; i < p.to; i++ {
			count := &counts[len(all)]
			if !p.run.tradeCount(i, count) {
				count = nil
			}
			all = append(all, count)
		}
	}
	for _, b := range s.unpacked {
		all = append(all, b.TradeCount)
	}
	return all
}

// fxRates returns the rates that converted the bars; null for a bar without conversion.
func (s *shownBars) fxRates() []value.Decimal {
	all := make([]value.Decimal, s.count())
	for i, b := range s.unpacked {
		all[i] = b.FxRate
	}
	return all
}
