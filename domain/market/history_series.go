package market

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/internal/value"
)

// seriesKey names a series.
type seriesKey struct {
	id         ID
	resolution Resolution
}

// keptSeries is the bars of a series from a moment on. Only behind changes after it is made.
type keptSeries struct {
	from      value.Instant // all bars from here on are kept
	settled   value.Instant // bars before it are in past, others in recent
	corrected int64         // the number of the last correction of the past
	past      *barRun
	recent    *barRun
	behind    atomic.Bool  // whether recent may be older than what is stored
	weighed   atomic.Int64 // its weight as the cache counts it
}

// seriesLoad is a read of a series in progress.
type seriesLoad struct {
	seriesKey
	base *keptSeries // its past is kept and only recent bars are read again; nil: everything is read
	done chan struct{}

	mu        *sync.Mutex   // of the cache: guards the next three
	from      value.Instant // everything from here on will be read
	need      value.Instant // everything from here on was asked for by some waiting request
	overtaken bool          // recent bars have changed since it began

	got *keptSeries
	err error
}

// span returns the span to read.
func (l *seriesLoad) span() Span {
	if l.base != nil {
		return Span{l.id, l.base.settled, value.LastMoment}
	}
	return Span{l.id, l.from, value.LastMoment}
}

// maxRecent is how many settled bars are read again with the recent ones before they join the
// past.
const maxRecent = 64

// finish makes a series of what was read.
func (l *seriesLoad) finish(live *Live, stored StoredBars) {
	bars := shown(live, l.id, stored.Bars)
	settled := placeOf(bars, stored.Settled)
	run := func(bars []*Bar) *barRun { return newRun(l.seriesKey, bars) }
	grows := l.base != nil && settled > maxRecent
	from := l.keepFrom(grows)
	switch {
	case l.base == nil:
		l.got = &keptSeries{from: from, settled: stored.Settled, past: run(bars[:settled]), recent: run(bars[settled:])}
	case grows:
		old := l.base.past.within(Span{First: from, Last: value.LastMoment})
		l.got = &keptSeries{from: from, settled: stored.Settled, past: old.with(bars[:settled]), recent: run(bars[settled:])}
	default:
		l.got = &keptSeries{from: from, settled: l.base.settled, past: l.base.past, recent: run(bars)}
	}
	l.got.corrected = stored.Corrected
}

// keepFrom returns the time from which bars are kept. Where the past grows, it is the time
// asked for, or a series of short bars would grow for ever; a later request for more does not
// join.
func (l *seriesLoad) keepFrom(grows bool) value.Instant {
	l.mu.Lock()
	defer l.mu.Unlock()
	if grows && l.from.Before(l.need) {
		l.from = l.need
	}
	return l.from
}

// covers reports whether the bars of a span are here, as they are stored.
func (s *keptSeries) covers(span Span) bool {
	return !earliestShown(span.First).Before(s.from) && (span.Last.Before(s.settled) || !s.behind.Load())
}

// within returns the bars of a span.
func (s *keptSeries) within(span Span) shownBars {
	return shownBars{past: s.past.within(span), recent: s.recent.within(span)}
}

// weight returns how many bytes of memory the series takes, about.
func (s *keptSeries) weight() int { return 512 + s.past.weight() + s.recent.weight() }

// placeOf returns the place of the first bar at t or later.
func placeOf(bars []*Bar, t value.Instant) int {
	at, _ := slices.BinarySearchFunc(bars, t, func(b *Bar, t value.Instant) int { return b.T.Compare(t) })
	return at
}

// shown returns the stored bars that answers show, which leaves out days that cannot have a
// bar.
func shown(live *Live, id ID, bars []*Bar) []*Bar {
	if len(bars) > 0 && bars[0].Resolution.isOfRates() {
		return bars
	}
	calendar := live.Snapshot().calendarOf(id)
	bars = slices.DeleteFunc(bars, func(b *Bar) bool { return !calendar.shows(b) })
	for _, b := range bars {
		b.present(id.Market())
	}
	return bars
}

// earliestShown returns the later of t and the first moment that records can have.
func earliestShown(t value.Instant) value.Instant {
	if t.Before(value.FirstMoment) {
		return value.FirstMoment
	}
	return t
}

// roomBefore returns a moment at or somewhat before first, so that requests for
// slightly different ranges share what is kept.
func roomBefore(first value.Instant, r Resolution) value.Instant {
	days := map[Resolution]time.Duration{FiveMinutes: 1, TwoHours: 7, Day: 366, ObservedRates: 7, HeldRates: 366}[r]
	return earliestShown(value.At(first.Time().Truncate(24 * time.Hour * days)))
}
