package market

import (
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Bars of weeks and months are made from daily ones on request; none are stored. The days are
// adjusted and converted first, so that a client can make the same weeks and months from the
// days that it sees.

// stored returns the resolution of the stored bars from which bars of r are made.
func (r Resolution) stored() Resolution {
	if r == OneWeek || r == OneMonth {
		return Day
	}
	return r
}

// period is a week or a month, both days included.
type period struct{ first, last value.Date }

// period returns the week or month of a day. A week begins on the first day of the market's
// week: Monday, unless the session of an index says otherwise.
func (c TradingCalendar) period(r Resolution, d value.Date) period {
	if r == OneMonth {
		first := d.Month().First()
		return period{first, first.AddMonths(1).AddDays(-1)}
	}
	begins, _ := c.week.bounds()
	first := d.AddDays(-((int(d.Weekday()) - begins + 7) % 7))
	return period{first, first.AddDays(6)}
}

// whole widens days to whole weeks or months. Bounds at the ends of all time do not change.
func (c TradingCalendar) whole(r Resolution, days value.Range) value.Range {
	if r.stored() == r || days.From.Date.AddDays(-longestPeriod).Year() < 1 || lastDate.Before(days.To.Date.AddDays(longestPeriod)) {
		return days
	}
	days.From.Date, days.To.Date = c.period(r, days.From.Date).first, c.period(r, days.To.Date).last
	return days
}

// longestPeriod is the most days that a month can have.
const longestPeriod = 31

// within limits factors to boundaries inside a week or month, whose bar has the meaning of its
// last day. Prices of other weeks or months do not change.
func (f *seriesFactors) within(c TradingCalendar, r Resolution, shown shownBars) {
	zone := c.market.zone()
	var days []*Bar
	if len(f.scales) > 0 {
		days = shown.all()
	}
	var all scales
	for _, s := range f.scales {
		p := c.period(r, value.DayIn(s.until, zone))
		began, ended := p.first.Start(zone), p.last.AddDays(1).Start(zone)
		last := lastBefore(days, ended)
		if last == nil || last.T.Before(s.until) || began == s.until {
			continue
		}
		price, volume := s.price, s.volume
		if after := f.scales.of(last.T); after != nil {
			price, volume = price.Times(after.price.Inverse()), volume.Times(after.volume.Inverse())
		}
		if len(all) == 0 || all[len(all)-1].until.Before(began) {
			all = append(all, scale{until: began, stays: true})
		}
		all = append(all, scale{s.until, price, volume, price.Factor(), price.IsSame() && volume.IsSame()})
	}
	f.adjust, f.scales, f.note = AdjustNone, all, nil
}

// lastBefore returns the newest of ascending bars before a moment, or nil.
func lastBefore(bars []*Bar, end value.Instant) *Bar {
	n, _ := slices.BinarySearchFunc(bars, end, func(b *Bar, end value.Instant) int { return b.T.Compare(end) })
	if n == 0 {
		return nil
	}
	return bars[n-1]
}

// longerBars makes weeks or months of the daily bars of one instrument.
type longerBars struct {
	resolution Resolution
	calendar   TradingCalendar
	closed     value.Date         // the newest day that is over
	shown      value.Date         // the first day that is shown; null: not known
	boundaries segment.Boundaries // with the bridges that multiplied the days
	converted  bool               // a day without a known rate has no prices
	unclosed   map[value.Instant]bool
}

// replace turns a series of days into one of longer bars.
func (l *longerBars) replace(series *CandleSeries) {
	days, m := series.Bars(), l.calendar.market
	var bars []*Bar
	crossed := map[*PriceFactor]bool{}
	for len(days) > 0 {
		p := l.calendar.period(l.resolution, m.DayOf(days[0]))
		end := slices.IndexFunc(days, func(b *Bar) bool { return p.last.Before(m.DayOf(b)) })
		if end < 0 {
			end = len(days)
		}
		bars = append(bars, l.bar(p, days[:end]))
		for _, f := range series.Factors {
			if m.DayOf(days[0]).Before(f.ExDate) && !m.DayOf(days[end-1]).Before(f.ExDate) {
				crossed[f] = true
			}
		}
		series.newest = append(series.newest, days[end-1].T)
		days = days[end:]
	}
	if series.Adjust == AdjustNone { // only factors inside a bar were used
		series.Factors = slices.DeleteFunc(slices.Clone(series.Factors), func(f *PriceFactor) bool { return !crossed[f] })
	}
	series.Resolution, series.Count, series.of = l.resolution, len(bars), shownBars{unpacked: bars}
}

// bar returns the bar of a period. If its days do not mean the same and no bridge connects
// them, the bar has only the last ones and is not complete.
func (l *longerBars) bar(p period, days []*Bar) *Bar {
	m, last := l.calendar.market, days[len(days)-1]
	complete := l.covers(p)
	if change := l.boundaries.Between(m.DayOf(days[0]), m.DayOf(last)).Unbridged(); change != nil {
		first := slices.IndexFunc(days, func(b *Bar) bool { return !m.DayOf(b).Before(change.On) })
		days, complete = days[first:], false
	}
	newest := l.newestClose(days)
	return &Bar{
		InstrumentID: last.InstrumentID, Resolution: l.resolution, T: p.first.Start(m.zone()), complete: &complete,
		Open: days[0].Open, Close: newest.Close, FxRate: newest.FxRate,
		High:     combined(days, highFigure, func(a, b value.Decimal) value.Decimal { return extreme(a, b, 1) }),
		Low:      combined(days, lowFigure, func(a, b value.Decimal) value.Decimal { return extreme(a, b, -1) }),
		Volume:   combined(days, volumeFigure, sum),
		Turnover: combined(days, turnoverFigure, sum), TradeCount: allTrades(days),
	}
}

// covers reports whether every trading day of a period is over and shown.
func (l *longerBars) covers(p period) bool {
	for d := p.first; !p.last.Before(d); d = d.AddDays(1) {
		if (d.Before(l.shown) || l.closed.Before(d)) && l.calendar.Trades(d) {
			return false
		}
	}
	return true
}

// newestClose returns the newest day that states a close, or whose close is not known in the
// currency asked for.
func (l *longerBars) newestClose(days []*Bar) *Bar {
	for _, b := range slices.Backward(days) {
		if !b.Close.IsNull() || l.converted && b.FxRate.IsNull() && !l.unclosed[b.T] {
			return b
		}
	}
	return days[len(days)-1]
}

// combined combines one figure of several days; null if a day does not state it.
func combined(days []*Bar, which int, with func(a, b value.Decimal) value.Decimal) value.Decimal {
	all := *days[0].figures()[which]
	for _, b := range days[1:] {
		one := *b.figures()[which]
		if all.IsNull() || one.IsNull() {
			return value.Decimal{}
		}
		all = with(all, one)
	}
	return all
}

// extreme returns the higher figure if sign is 1, and the lower one if it is -1.
func extreme(a, b value.Decimal, sign int) value.Decimal {
	if a.Cmp(b) == sign {
		return a
	}
	return b
}

func sum(a, b value.Decimal) value.Decimal { return value.OfNumber(a.Number().Add(b.Number())) }

// allTrades returns the total trade count of several days.
func allTrades(days []*Bar) *int {
	all := 0
	for _, b := range days {
		if b.TradeCount == nil {
			return nil
		}
		all += *b.TradeCount
	}
	return &all
}
