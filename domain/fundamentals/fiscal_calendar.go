package fundamentals

import (
	"math"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// How far apart two days may be to count as the same: fiscal years of 52 or 53 weeks end on a
// weekday, and quarters of 12 and of 16 weeks differ more from the months of their label. A
// fiscal year that moves does so by a month or more.
const (
	daysApart      = 10
	daysFromMonths = 24
)

// near reports whether two days are at most some days apart.
func near(a, b value.Date, days int) bool {
	n := a.DaysUntil(b)
	return -days <= n && n <= days
}

// span is the days that the flows of a statement cover.
type span struct{ first, last value.Date } // first is null if not known

// is reports whether two spans cover the same days.
func (s span) is(of span) bool {
	return near(s.last, of.last, daysApart) && !s.first.IsNull() && !of.first.IsNull() && near(s.first, of.first, daysApart)
}

// yearBefore returns the same days a year earlier.
func (s span) yearBefore() span {
	return span{s.first.AddMonths(-fullYear), s.last.AddMonths(-fullYear)}
}

// months returns the number of months, to the nearest, from one day to another, both included.
func months(first, last value.Date) int {
	const days = 365.25 / 12
	return max(1, int(math.Round(float64(first.DaysUntil(last)+1)/days)))
}

// covered is a period of the fiscal calendar with all its filings: of the group and of the
// company alone, first versions and corrections. The request decides which of them counts.
type covered struct {
	span
	months int      // its length; 0: not known
	stated bool     // whether the source states the first day
	filed  []*Filed // by filing time
}

// labelled returns the first day of the period by its label.
func (p *covered) labelled() value.Date { return p.last.AddDays(1).AddMonths(-p.filed[0].FiscalMonth) }

// closes reports whether the fiscal year ends with the period.
func (p *covered) closes() bool { return p.filed[len(p.filed)-1].closes() }

// arranged returns the periods of filings, the oldest first.
func arranged(all []*Filed) []*covered {
	all = slices.Clone(all)
	slices.SortFunc(all, (*Filed).compare)
	var periods []*covered
	for i, f := range all {
		if i == 0 || f.Period() != all[i-1].Period() || !near(periods[len(periods)-1].filed[0].EndDate, f.EndDate, daysFromMonths) {
			periods = append(periods, new(covered))
		}
		p := periods[len(periods)-1]
		p.filed = append(p.filed, f)
	}
	for _, p := range periods {
		slices.SortStableFunc(p.filed, byFilingTime)
		p.last = p.filed[len(p.filed)-1].EndDate
		for _, f := range p.filed {
			if !f.StartDate.IsNull() {
				p.first, p.stated = f.StartDate, true
			}
		}
	}
	slices.SortStableFunc(periods, func(p, q *covered) int { return p.last.Compare(q.last) })
	for i, p := range periods {
		if !p.stated {
			p.first = firstDay(periods, i)
		}
		switch label := p.filed[0].FiscalMonth; {
		case p.first.IsNull():
		case near(p.first, p.labelled(), daysFromMonths):
			p.months = label
		default:
			p.months = months(p.first, p.last)
		}
	}
	return joined(periods)
}

// firstDay returns the first day of a period whose source does not state it: that of its label,
// unless earlier filings contradict it. Then a fiscal year begins where the one before it
// ended. It is null if the fiscal year moved and the first day cannot be known.
func firstDay(periods []*covered, i int) value.Date {
	p := periods[i]
	label := p.labelled()
	var begun value.Date // the newest fiscal year that is known to have begun
	for _, q := range periods {
		switch {
		case q.stated && near(q.last, p.last, daysApart) && q.closes() == p.closes():
			return q.first
		case !q.last.AddDays(daysApart).Before(p.last):
		case q.closes():
			begun = later(begun, q.last.AddDays(1))
		default:
			begun = later(begun, q.first)
		}
	}
	switch {
	case begun.IsNull():
		return label
	case near(label, begun, daysFromMonths), label.Before(begun):
		return begun
	}
	for _, q := range periods[:i] { // a period that the label would cut in two
		if !q.closes() && label.AddDays(daysFromMonths).Before(q.last) && q.last.AddDays(daysApart).Before(p.last) {
			if q.filed[0].FiscalYear == p.filed[0].FiscalYear {
				return q.first
			}
			return value.Date{}
		}
	}
	if p.closes() && !anniversary(begun, label, daysFromMonths) {
		return value.Date{}
	}
	return label
}

func later(a, b value.Date) value.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// anniversary reports whether day is a whole number of years from of, give or take some days.
func anniversary(of, day value.Date, days int) bool {
	n := (months(of, day) + fullYear/2) / fullYear * fullYear
	return near(of.AddMonths(n), day, days)
}

// joined merges periods that cover the same days. It leaves out filings without a consolidation
// that were filed again with one at the same time.
func joined(periods []*covered) []*covered {
	var out []*covered
	for _, p := range periods {
		i := slices.IndexFunc(out, func(q *covered) bool { return q.is(p.span) })
		if i < 0 {
			out = append(out, p)
			continue
		}
		out[i].filed = append(out[i].filed, p.filed...)
		slices.SortStableFunc(out[i].filed, byFilingTime)
	}
	for _, p := range out {
		known := p.filed
		p.filed = slices.DeleteFunc(slices.Clone(known), func(f *Filed) bool {
			return f.Consolidation == "" && slices.ContainsFunc(known, func(g *Filed) bool {
				return g.Consolidation != "" && g.FiledAt == f.FiledAt
			})
		})
	}
	return out
}

// calendarChanges returns where the fiscal year moved. The new calendar begins on the first day
// of the first year of the old calendar that was not completed.
func calendarChanges(periods []*covered) segment.Boundaries {
	var begun []value.Date
	for _, p := range periods {
		if !p.first.IsNull() {
			begun = append(begun, p.first)
		}
		if p.closes() {
			begun = append(begun, p.last.AddDays(1))
		}
	}
	slices.SortFunc(begun, value.Date.Compare)
	ends := func(begins value.Date) *string { return new(begins.AddDays(-1).String()[len("2026-"):]) }
	var changes []segment.Boundary
	for i, day := range begun {
		if i == 0 {
			continue
		}
		if old := begun[i-1]; !near(old, day, daysFromMonths) && !anniversary(old, day, daysFromMonths) {
			on := old
			for !day.Before(on.AddMonths(fullYear)) {
				on = on.AddMonths(fullYear)
			}
			changes = append(changes, segment.Boundary{Change: segment.Change{
				What: segment.FiscalCalendar, From: ends(old), To: ends(day), On: on,
			}})
		}
	}
	return segment.Arrange(changes)
}
