package coverage

import (
	"slices"
	"strconv"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// mostGaps is how many gaps of a row are kept, the newest ones.
const mostGaps = 200

// gaps are the gaps of a row, collected from the oldest to the newest.
type gaps struct {
	newest  []*Gap // the newest last, at most twice mostGaps
	runs    int
	missing int
	own     bool // whether any gap is the row's own, not that of a whole market
}

func (g *gaps) add(from, to string, count int, reason string) {
	if g.runs++; len(g.newest) == 2*mostGaps {
		g.newest = append(g.newest[:0], g.newest[mostGaps:]...)
	}
	g.missing += count
	g.own = g.own || reason != MarketSilent
	g.newest = append(g.newest, &Gap{from, to, count, reason})
}

// list returns the newest gaps, newest first.
func (g *gaps) list() []*Gap {
	kept := append([]*Gap{}, g.newest[max(0, len(g.newest)-mostGaps):]...)
	slices.Reverse(kept)
	return kept
}

// on writes the gaps to a row. in says what they consist of.
func (g *gaps) on(r *Row, in string) {
	r.GapsIn, r.Missing, r.GapCount, r.Gaps = &in, &g.missing, &g.runs, g.list()
	r.ownGaps = g.own || g.missing > 0 && r.InstrumentID == nil
}

var epochDay = value.NewDate(1970, 1, 1)

// dayNumber returns a day as the number of days since 1970.
func dayNumber(d value.Date) int { return epochDay.DaysUntil(d) }

func dayOf(number int) value.Date { return epochDay.AddDays(number) }

// daily is the days with a bar of an instrument or an index of the exchange.
type daily struct {
	id          market.ID // empty: an index
	calendar    market.TradingCalendar
	listed      bool // whether the catalog has it
	first, last int  // days since 1970
	jumps       []Jump
}

// presence counts for each day how many instruments of a market have a bar. Weekends within a
// series without a jump count as having one; they are never looked up.
type presence struct {
	first int
	bars  []int // by days after first
}

// presenceOf counts the days of instruments.
func presenceOf(all []*daily) *presence {
	if len(all) == 0 {
		return &presence{}
	}
	p := &presence{first: all[0].first}
	last := all[0].last
	for _, d := range all {
		p.first, last = min(p.first, d.first), max(last, d.last)
	}
	p.bars = make([]int, last-p.first+2)
	for _, d := range all {
		p.bars[d.first-p.first]++
		p.bars[d.last+1-p.first]--
		for _, j := range d.jumps {
			p.bars[j.Before+1-p.first]--
			p.bars[j.After-p.first]++
		}
	}
	for i := 1; i < len(p.bars); i++ {
		p.bars[i] += p.bars[i-1]
	}
	return p
}

// silent reports whether no instrument has a bar on a day.
func (p *presence) silent(day int) bool {
	i := day - p.first
	return i < 0 || i >= len(p.bars) || p.bars[i] == 0
}

// gapsOf returns the trading days up to until without a bar of an instrument. Before its first
// bar the instrument was not listed.
func (d *daily) gapsOf(p *presence, until int) *gaps {
	g := new(gaps)
	for _, j := range d.jumps {
		g.days(d.calendar, j.Before+1, j.After-1, func(day int) string { return d.reason(p, day, NotStored) })
	}
	if d.listed {
		g.days(d.calendar, d.last+1, until, func(day int) string { return d.reason(p, day, Ended) })
	}
	return g
}

func (d *daily) reason(p *presence, day int, otherwise string) string {
	switch {
	case p.silent(day):
		return MarketSilent
	case otherwise == NotStored && !d.calendar.KnowsHolidays():
		return HolidaysUnknown
	}
	return otherwise
}

// days adds the trading days from first to last, each run with one reason. A day without a
// reason is not missing.
func (g *gaps) days(calendar market.TradingCalendar, first, last int, why func(day int) string) {
	from, to, count, reason := 0, 0, 0, ""
	end := func() {
		if count > 0 && reason != "" {
			g.add(dayOf(from).String(), dayOf(to).String(), count, reason)
		}
		count = 0
	}
	for day := first; day <= last; day++ {
		if !calendar.Trades(dayOf(day)) {
			continue
		}
		if now := why(day); now != reason {
			end()
			reason = now
		}
		if count == 0 {
			from = day
		}
		to = day
		count++
	}
	end()
}

// silentDays returns the trading days of a market, from its first bar up to until, on which no
// instrument has a bar.
func silentDays(calendar market.TradingCalendar, p *presence, until int) *gaps {
	g := new(gaps)
	if len(p.bars) > 0 {
		g.days(calendar, p.first, until, func(day int) string {
			if p.silent(day) {
				return MarketSilent
			}
			return ""
		})
	}
	return g
}

// numbers are the counted disclosures, and the numbers between them without a disclosure.
type numbers struct {
	gaps
	records     int
	first, last int // 0: there are none
}

func (n *numbers) put(next Numbers) {
	if n.first == 0 {
		n.first = next.First
	}
	n.records, n.last = n.records+next.Count, next.Last
	for _, h := range next.Holes {
		n.add(strconv.Itoa(h[0]), strconv.Itoa(h[1]), h[1]-h[0]+1, NotStored)
	}
}

// cancel moves cancelled numbers, ascending, from the newest gaps to gaps of their own.
func (n *numbers) cancel(cancelled []int) {
	if len(cancelled) == 0 {
		return
	}
	all := slices.Clone(n.newest)
	n.newest = nil
	for _, g := range all {
		from, _ := strconv.Atoi(g.From)
		to, _ := strconv.Atoi(g.To)
		n.runs, n.missing = n.runs-1, n.missing-g.Count
		put := func(first, last int, reason string) {
			if first <= last {
				n.add(strconv.Itoa(first), strconv.Itoa(last), last-first+1, reason)
			}
		}
		for len(cancelled) > 0 && cancelled[0] <= to {
			if k := cancelled[0]; k >= from {
				put(from, k-1, NotStored)
				put(k, k, Cancelled)
				from = k + 1
			}
			cancelled = cancelled[1:]
		}
		put(from, to, NotStored)
	}
}

// monthsOf returns the months up to until without a level of a price index.
func monthsOf(points []*macro.Point, until value.Month) *gaps {
	g := new(gaps)
	if len(points) == 0 {
		return g
	}
	known := make(map[value.Month]*macro.Point, len(points))
	for _, p := range points {
		known[p.Month] = p
	}
	newest := points[len(points)-1].Month
	from, to, count, reason := value.Month{}, value.Month{}, 0, ""
	end := func() {
		if count > 0 {
			g.add(from.String(), to.String(), count, reason)
			count = 0
		}
	}
	for m := points[0].Month; !until.Before(m) || !newest.Before(m); m = m.Next() {
		why := ""
		switch p := known[m]; {
		case p == nil && newest.Before(m):
			why = Ended
		case p == nil:
			why = NotStored
		case p.Value.IsNull():
			why = NoValue
		}
		if why != reason {
			end()
			from, reason = m, why
		}
		if to = m; why != "" {
			count++
		}
	}
	end()
	return g
}
