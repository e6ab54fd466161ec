package fundamentals

import (
	"cmp"
	"slices"
	"sync/atomic"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// FilingHistory holds all filings of a company in one currency, with all their versions, by the
// periods of its fiscal calendar. The four timeframes and the valuation, with their null
// reasons, are computed from it. It is immutable, and kept until a filing of the company
// changes.
type FilingHistory struct {
	periods []*covered         // newest first
	moved   segment.Boundaries // of the fiscal calendar
	both    bool               // whether it has both filings of the group and of the company alone
	valued  atomic.Pointer[valued]
}

// valued is the last valuation computed from a history, with the metrics that it was
// computed from.
type valued struct {
	metrics   *Metrics        // may be nil
	changed   *segment.Change // of the currency since the metrics
	valuation *Valuation
}

// NewFilingHistory arranges the filings of one company in one currency.
func NewFilingHistory(all []*Filed) *FilingHistory {
	periods := arranged(all)
	h := &FilingHistory{periods: periods, moved: calendarChanges(periods), both: have(all, ofGroup) && have(all, ofCompany)}
	slices.Reverse(periods)
	return h
}

// compare orders filings by period, then by end and filing time.
func (f *Filed) compare(g *Filed) int {
	return cmp.Or(cmp.Compare(f.FiscalYear, g.FiscalYear), cmp.Compare(f.FiscalMonth, g.FiscalMonth), f.EndDate.Compare(g.EndDate),
		byFilingTime(f, g))
}

func byFilingTime(f, g *Filed) int {
	return cmp.Or(f.FiledAt.Time().Compare(g.FiledAt.Time()), cmp.Compare(f.Consolidation, g.Consolidation))
}

// size returns the number of filings.
func (h *FilingHistory) size() (n int) {
	for _, p := range h.periods {
		n += len(p.filed)
	}
	return n
}

// newest returns the newest period, or nil.
func (h *FilingHistory) newest() *covered {
	if len(h.periods) == 0 {
		return nil
	}
	return h.periods[0]
}

// covering returns the period that covers a span, or nil.
func (h *FilingHistory) covering(s span) *covered {
	for _, p := range h.ending(s.last) {
		if p.is(s) {
			return p
		}
	}
	return nil
}

// ending returns the periods whose last day is day.
func (h *FilingHistory) ending(day value.Date) []*covered {
	from, _ := slices.BinarySearchFunc(h.periods, day.AddDays(daysApart), func(p *covered, day value.Date) int {
		return day.Compare(p.last)
	})
	to := from
	for to < len(h.periods) && near(h.periods[to].last, day, daysApart) {
		to++
	}
	return h.periods[from:to]
}

// The consolidations of statements (CS and NC), and the two choices between them.
const (
	ofGroup      = "CS"
	ofCompany    = "NC"
	groupFirst   = "consolidated" // the group's, else the company's own; the default
	companyFirst = "solo"         // the company's own, else the group's
)

// have reports whether any filing is known to have a consolidation.
func have(all []*Filed, consolidation string) bool {
	return slices.ContainsFunc(all, func(f *Filed) bool { return f.of() == consolidation })
}

// consolidation returns the consolidation of filings of the period, the group's if it has both;
// "" if not known.
func (p *covered) consolidation() string {
	switch {
	case have(p.filed, ofGroup):
		return ofGroup
	case have(p.filed, ofCompany):
		return ofCompany
	}
	return ""
}

// of returns the filings of the period that a choice of consolidation selects, by filing time.
// If the period has both, filings of unknown consolidation count as the group's.
func (p *covered) of(choice string) []*Filed {
	var without []string
	switch {
	case choice == ofGroup:
		without = []string{ofCompany, ""}
	case choice == ofCompany:
		without = []string{ofGroup, ""}
	case !have(p.filed, ofGroup) || !have(p.filed, ofCompany):
		return p.filed
	case choice == companyFirst:
		without = []string{ofGroup, ""}
	default:
		without = []string{ofCompany}
	}
	return slices.DeleteFunc(slices.Clone(p.filed), func(f *Filed) bool { return slices.Contains(without, f.of()) })
}

// firstFiled returns the first filing that a choice selects, or nil.
func (p *covered) firstFiled(choice string) *Filed {
	if filed := p.of(choice); len(filed) > 0 {
		return filed[0]
	}
	return nil
}

// current returns the latest filing that a choice selects, or nil.
func (p *covered) current(choice string) *Filed {
	if filed := p.of(choice); len(filed) > 0 {
		return filed[len(filed)-1]
	}
	return nil
}

// consolidation returns the consolidation of a filing: the stated or published one, else that
// of other filings of its period, else that of the nearest periods before and after. It is nil
// if these two differ, since it is then not known.
func (h *FilingHistory) consolidation(f *Filed) *string {
	if of := f.of(); of != "" || !h.both {
		return &of
	}
	at := slices.IndexFunc(h.periods, func(p *covered) bool { return slices.Contains(p.filed, f) })
	var older, newer string
	for _, p := range h.periods[at:] {
		older = cmp.Or(older, p.consolidation())
	}
	for _, p := range slices.Backward(h.periods[:at+1]) {
		newer = cmp.Or(newer, p.consolidation())
	}
	if older != "" && newer != "" && older != newer {
		return nil
	}
	return new(cmp.Or(older, newer))
}

// alike returns the choice of consolidation for the inputs to combine with a filing.
func (h *FilingHistory) alike(f *Filed) string {
	if value.Or(h.consolidation(f), "") == ofCompany {
		return companyFirst
	}
	return groupFirst
}

// consolidated returns the change between filings of the group and of the company alone within
// some filings; nil if there is none.
func (h *FilingHistory) consolidated(some []*Filed) *segment.Change {
	if !h.both {
		return nil
	}
	newer := some[0]
	to := h.consolidation(newer)
	var older *Filed
	var from *string
	for _, f := range some[1:] {
		if of := h.consolidation(f); f != newer && (of == nil || to == nil || *of != *to) {
			older, from = f, of
		}
	}
	if older == nil {
		return nil
	}
	if newer.EndDate.Before(older.EndDate) {
		older, newer, from, to = newer, older, to, from
	}
	change := &segment.Change{What: segment.Consolidation, From: from, To: to, On: older.EndDate.AddDays(1)}
	for _, p := range slices.Backward(h.periods) { // the last period of the old kind
		if !p.last.Before(newer.EndDate) || !change.On.Before(p.last) {
			continue
		}
		if of := h.consolidation(p.current(groupFirst)); value.Or(of, "") == value.Or(from, "") {
			change.On = p.last.AddDays(1)
		}
	}
	return change
}
