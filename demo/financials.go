package demo

import (
	"slices"
	"time"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// financials are the earnings and assets of a company by quarter.
type financials struct {
	company  market.ID
	template fundamentals.Template
	shares   int64
	dollars  bool      // statements come in dollars, too
	quarters []quarter // oldest first; the first ends a year, whose cash begins the next one
}

// quarter is a quarter of a company, in whole units of its currency.
type quarter struct {
	period        fundamentals.Period
	sales, profit int64 // of these three months; the parent's profit
	equity        int64 // of the parent, at the end
	restated      int64 // amount by which the profit first filed exceeded profit
}

// yearsBack is the number of years of quarters before the newest year.
const yearsBack = 3

// losing are the companies that make losses.
var losing = []market.ID{market.BistID("DMAYK"), market.BistID("DMKRG")}

// newFinancials makes the quarters backwards from the last filed ones, and fits them to a price
// in hundredths.
func newFinancials(l listing, price int64, now value.Instant) *financials {
	random := seeded(string(l.InstrumentID) + " financials")
	between := func(low, high int64) int64 { return low + random.Int64N(high-low+1) }
	b := &financials{company: l.InstrumentID, template: templateOf(&l.Instrument), shares: l.shares}
	b.dollars = slices.ContainsFunc(companies(), func(c company) bool { return market.BistID(c.code) == b.company })
	worth := price * l.shares / 100
	profit := worth / between(6, 22) / 4 // of a quarter
	equity := worth * 10 / between(8, 40)
	margin, growth := between(60, 160), between(30, 110) // per mille, a year's of sales and a quarter's
	if l.Market == market.US {
		growth = between(5, 30)
	}
	newest := newestPeriod(now)
	first := fundamentals.Period{Year: newest.Year - yearsBack - 1, Month: 12}
	for p := newest; ; p = before(p) {
		q := quarter{period: p, sales: profit * 1000 / margin * between(95, 105) / 100, profit: profit * between(85, 115) / 100,
			equity: equity}
		if slices.Contains(losing, b.company) {
			q.profit = -q.profit / 2
		}
		b.quarters = append(b.quarters, q)
		if p == first {
			break
		}
		profit, equity = profit*1000/(1000+growth), equity*1000/(1000+growth)
	}
	slices.Reverse(b.quarters)
	if l.InstrumentID == Sample {
		q := &b.quarters[b.place(fundamentals.Period{Year: newest.Year - 1, Month: 12})]
		q.restated = q.profit / 10
	}
	return b
}

// templateOf returns the template of the companies of a sector.
func templateOf(in *market.Instrument) fundamentals.Template {
	switch {
	case in.Market == market.BIST && in.SectorCode != nil && *in.SectorCode == "bankacilik":
		return fundamentals.Bank
	case in.Market == market.BIST && in.SectorCode != nil && *in.SectorCode == "sigorta":
		return fundamentals.Insurer
	}
	return fundamentals.Industrial
}

// before returns the quarter before p.
func before(p fundamentals.Period) fundamentals.Period {
	if p.Month == 3 {
		return fundamentals.Period{Year: p.Year - 1, Month: 12}
	}
	return fundamentals.Period{Year: p.Year, Month: p.Month - 3}
}

// endOf returns the last day of p.
func endOf(p fundamentals.Period) value.Date {
	return value.NewDate(p.Year, time.Month(p.Month)+1, 1).AddDays(-1)
}

// filedAt returns when p is filed: 40 days after its end, or 70 for a full year.
func filedAt(p fundamentals.Period) value.Instant {
	days := 40
	if p.Month == 12 {
		days = 70
	}
	return weekday(endOf(p).AddDays(days)).TurkeyStart().Add(18*time.Hour + 30*time.Minute)
}

// weekday returns the day, or the Monday after it.
func weekday(d value.Date) value.Date {
	for d.Weekday() == time.Saturday || d.Weekday() == time.Sunday {
		d = d.AddDays(1)
	}
	return d
}

// newestPeriod returns the last quarter that has been filed at a moment.
func newestPeriod(at value.Instant) fundamentals.Period {
	p := fundamentals.Period{Year: at.Time().Year(), Month: 12}
	for filedAt(p).After(at) {
		p = before(p)
	}
	return p
}

// place returns the index of p among the quarters, or -1.
func (b *financials) place(p fundamentals.Period) int {
	return slices.IndexFunc(b.quarters, func(q quarter) bool { return q.period == p })
}

// trailing returns the profit of the last four quarters filed by a moment.
func (b *financials) trailing(at value.Instant) int64 {
	newest := b.place(newestPeriod(at))
	if newest < 0 { // a running demonstration may outlive its financials
		newest = len(b.quarters) - 1
	}
	var sum int64
	for _, q := range b.quarters[newest-3 : newest+1] {
		sum += q.profit
	}
	return sum
}

// year returns the profit of the last full year filed by a moment; 0: none.
func (b *financials) year(at value.Instant) int64 {
	p := newestPeriod(at)
	for p.Month != 12 {
		p = before(p)
	}
	last := b.place(p)
	if last < 4 {
		return 0
	}
	return b.cumulative(last).profit
}

// cumulative returns the totals from the start of the year to the quarter at a place, which
// must not be the first.
func (b *financials) cumulative(place int) totals {
	t := totals{equity: b.quarters[place].equity, capital: b.shares}
	for ; ; place-- {
		q := b.quarters[place]
		t.sales += q.sales
		t.profit += q.profit
		if q.period.Month == 3 {
			t.opening = totals{equity: b.quarters[place-1].equity}.cash()
			return t
		}
	}
}
