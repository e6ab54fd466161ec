package demo

import (
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// calendar is the economic calendar around the start of the demonstration, and the price index.
type calendar struct {
	prices      *priceIndex
	occurrences []*occurrence // by time
	next        int           // the first occurrence not released yet
	published   int           // the newest month of the price index already sent; -1: none
}

// occurrence is an occurrence of an event, with its future figures.
type occurrence struct {
	macro.CalendarRecord
	before, after *occurrence // of the same event; nil: none
}

func newCalendar(now value.Instant) *calendar {
	a := &calendar{prices: newPriceIndex(), published: max(-1, newestPriceIndex(now))}
	for place, e := range eventTable {
		if a.published <= e.figures.months && e.figures.months > 0 {
			continue // no earlier prices to compare with
		}
		var last *occurrence
		previous := e.figures.start(a.prices, a.published)
		random := seeded("event " + strconv.Itoa(firstEvent+place))
		for n, at := range e.times(now) {
			o := &occurrence{CalendarRecord: macro.CalendarRecord{EventID: firstEvent + place, Time: at, Unit: e.figures.unit},
				before: last}
			if last != nil {
				last.after = o
			}
			last = o
			a.occurrences = append(a.occurrences, o)
			if e.figures.none() {
				continue
			}
			text, step := e.figures.format()
			walk := func() int64 { return step * (random.Int64N(3) - 1) }
			if e.figures.revised {
				previous += walk()
			}
			forecast := previous + walk()
			actual := forecast + walk()
			if e.figures.months > 0 {
				actual = a.prices.risen(a.published+n, e.figures.months)
				forecast = actual + walk()
			}
			o.Previous, o.Forecast, o.Actual = text(previous), text(forecast), text(actual)
			previous = actual
		}
	}
	slices.SortStableFunc(a.occurrences, func(x, y *occurrence) int { return x.Time.Time().Compare(y.Time.Time()) })
	a.next = a.released(now)
	return a
}

// start returns the figure before the first one, in units of its last decimal.
func (f figures) start(p *priceIndex, newest int) int64 {
	switch {
	case f.months > 0:
		return p.risen(newest-1, f.months)
	case f.level != "":
		level, _ := units(f.level)
		return level
	}
	return 0
}

// format returns a function that writes figures with all decimals, and the distance between one
// figure and the next.
func (f figures) format() (text func(int64) macro.Number, step int64) {
	digits := int32(2)
	step = 5 // hundredths of a percent
	if f.step != "" {
		step, digits = units(f.step)
	}
	return func(n int64) macro.Number { return macro.Number(exact(decimal.New(n, -digits), digits).String()) }, step
}

// released returns how many occurrences have been released by a moment.
func (a *calendar) released(now value.Instant) int {
	n := slices.IndexFunc(a.occurrences, func(o *occurrence) bool { return o.Time.After(now) })
	if n < 0 {
		return len(a.occurrences)
	}
	return n
}

// record returns the occurrence as known at a moment: its figure once it is released, and the
// figures to compare with once the one before is released.
func (o *occurrence) record(now value.Instant) *macro.CalendarRecord {
	r := o.CalendarRecord
	if r.Time.After(now) {
		r.Actual = ""
	}
	if o.before != nil && o.before.Time.After(now) {
		r.Forecast, r.Previous = "", ""
	}
	return &r
}

// appendRecords appends the events, their occurrences as known, and the price index.
func (a *calendar) appendRecords(lines []byte, now value.Instant) []byte {
	for place, e := range eventTable {
		lines = appendRecord(lines, "calendar_event", e.definition(firstEvent+place))
	}
	for _, o := range a.occurrences {
		lines = appendRecord(lines, "calendar_item", o.record(now))
	}
	for month := range a.published + 1 {
		lines = appendRecord(lines, "inflation_point", a.point(month))
	}
	return lines
}

// appendReleases appends the releases since the last call, with the changes of the occurrences
// that follow.
func (a *calendar) appendReleases(lines []byte, now value.Instant) []byte {
	for ; a.next < len(a.occurrences) && !a.occurrences[a.next].Time.After(now); a.next++ {
		o := a.occurrences[a.next]
		lines = appendRecord(lines, "calendar_item", o.record(now))
		if o.after != nil {
			lines = appendRecord(lines, "calendar_item", o.after.record(now))
		}
	}
	for newest := newestPriceIndex(now); a.published < newest; {
		a.published++
		lines = appendRecord(lines, "inflation_point", a.point(a.published))
	}
	return lines
}
