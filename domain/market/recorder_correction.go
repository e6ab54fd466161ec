package market

import (
	"slices"

	"piyasa/internal/value"
)

// Correction is the effect of late or revised observations.
type Correction struct {
	Bars      []*Bar     // new or changed
	Gone      []*Bar     // no observation is left for them
	Day       value.Date // the newest day recorded again
	Recording Recording  // at the end of Day
}

// Correct records the days of changed observations again. stored must be all observations of
// Span before the change.
func (r Recorder) Correct(stored, changed []*Observation) Correction {
	byTime := make(map[value.Instant]*Observation, len(stored)+len(changed))
	for _, o := range stored {
		byTime[o.AsOf] = o
	}
	was := r.samplesOf(byTime)
	touched := map[value.Date]bool{}
	for _, o := range changed {
		byTime[o.AsOf] = o
		touched[r.days.day(o.AsOf)] = true
	}
	is := r.samplesOf(byTime)
	var c Correction
	for day := range touched {
		before, _ := r.recordDay(day, was)
		after, end := r.recordDay(day, is)
		if c.Day.IsNull() || c.Day.Before(day) {
			c.Day, c.Recording = day, end
		}
		for at, b := range after {
			if old := before[at]; old == nil || !old.Same(b) {
				c.Bars = append(c.Bars, b)
			}
			delete(before, at)
		}
		for _, b := range before {
			c.Gone = append(c.Gone, b)
		}
	}
	return c
}

// samplesOf returns the prices among observations by time.
func (r Recorder) samplesOf(observations map[value.Instant]*Observation) []Sample {
	samples := make([]Sample, 0, len(observations))
	for _, o := range observations {
		if s, ok := r.Sample(o); ok {
			samples = append(samples, s)
		}
	}
	slices.SortFunc(samples, func(a, b Sample) int { return a.At.Compare(b.At) })
	return samples
}

// slotOfDay identifies a bar of an instrument's day.
type slotOfDay struct {
	resolution Resolution
	t          value.Instant
}

// recordDay makes the bars of a day from samples by time, which may belong to
// other days too. It also returns the Recording at the day's end.
func (r Recorder) recordDay(day value.Date, samples []Sample) (map[slotOfDay]*Bar, Recording) {
	from := func(t value.Instant) int {
		i, _ := slices.BinarySearchFunc(samples, t, func(s Sample, t value.Instant) int { return s.At.Compare(t) })
		return i
	}
	var end Recording
	bars := map[slotOfDay]*Bar{}
	for _, b := range r.Record(&end, samples[from(r.days.start(day)):from(r.days.end(day))]) {
		bars[slotOfDay{b.Resolution, b.T}] = b
	}
	return bars, end
}

// Span returns the time, from first up to but not including last, whose observations Correct
// needs if some have changed.
func (r Recorder) Span(changed []*Observation) (first, last value.Instant) {
	for i, o := range changed {
		if i == 0 || o.AsOf.Before(first) {
			first = o.AsOf
		}
		if i == 0 || o.AsOf.After(last) {
			last = o.AsOf
		}
	}
	return r.DayStart(first), r.days.end(r.days.day(last))
}

// SpanOf returns the time, from first up to but not including last, of the day whose
// observations make up a bar.
func (r Recorder) SpanOf(b *Bar) (first, last value.Instant) {
	day := r.days.day(b.T)
	if b.Resolution == Day {
		day = value.DayIn(b.T, r.days.market.zone())
	}
	return r.days.start(day), r.days.end(day)
}

// WholeDays says from when on the days of an instrument are known whole: the start of the first
// such day and the time of its daily bar. Both are null if no observation is known.
type WholeDays struct{ Start, Daily value.Instant }

// WholeDays returns the whole days if observations are known since a moment.
func (r Recorder) WholeDays(since value.Instant) WholeDays {
	if since.IsNull() {
		return WholeDays{}
	}
	day := r.days.day(since)
	start := r.days.start(day)
	if start.Before(since) {
		start = r.days.end(day)
		day = r.days.day(start)
	}
	return WholeDays{start, day.Start(r.days.market.zone())}
}
