package market

import (
	"maps"
	"slices"
	"time"
)

// Correction is what observations change that are not the newest: late ones,
// and revisions of what was seen before.
type Correction struct {
	Bars      []*Bar    // new, or different from before
	Gone      []*Bar    // no observation is left that makes them
	Day       Date      // the newest day made anew
	Recording Recording // at the end of Day
}

// Correct makes the days of changed observations of the instrument id anew.
// stored are the ones there were before, all of CorrectionSpan.
func Correct(id ID, stored, changed []*Observation) Correction {
	byTime := make(map[Instant]*Observation, len(stored)+len(changed))
	for _, o := range stored {
		byTime[o.AsOf] = o
	}
	was := samplesOf(byTime)
	zone := id.Market().zone()
	touched := map[Date]bool{}
	for _, o := range changed {
		byTime[o.AsOf] = o
		touched[dayIn(o.AsOf, zone)] = true
	}
	is := samplesOf(byTime)
	var c Correction
	before, after := map[slotOfDay]*Bar{}, map[slotOfDay]*Bar{}
	for day := range touched { // neighbouring days may share a slot
		made, _ := recordDay(id, day, was)
		maps.Copy(before, made)
		made, end := recordDay(id, day, is)
		maps.Copy(after, made)
		if c.Day.IsNull() || c.Day.Before(day) {
			c.Day, c.Recording = day, end
		}
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
	return c
}

// samplesOf are the prices among observations by time.
func samplesOf(observations map[Instant]*Observation) []Sample {
	samples := make([]Sample, 0, len(observations))
	for _, o := range observations {
		if s, ok := o.Sample(); ok {
			samples = append(samples, s)
		}
	}
	slices.SortFunc(samples, func(a, b Sample) int { return a.At.t.Compare(b.At.t) })
	return samples
}

// slotOfDay tells the bars of an instrument's day apart.
type slotOfDay struct {
	resolution Resolution
	t          Instant
}

// overlap is how far a slot may reach into the neighbouring day: coins' slots
// begin at odd hours.
func (m Market) overlap() time.Duration {
	if m == Crypto {
		return time.Hour
	}
	return 0
}

// recordDay makes the bars of a day from samples by time, which may be of
// other days too, and returns the Recording at its end.
func recordDay(id ID, day Date, samples []Sample) (map[slotOfDay]*Bar, Recording) {
	zone, overlap := id.Market().zone(), id.Market().overlap()
	starts, ends := day.start(zone), day.AddDays(1).start(zone)
	from := func(t Instant) int {
		i, _ := slices.BinarySearchFunc(samples, t, func(s Sample, t Instant) int { return s.At.t.Compare(t.t) })
		return i
	}
	next := from(ends)
	bars := map[slotOfDay]*Bar{}
	collect := func(made []*Bar) {
		for _, b := range made {
			if b.Resolution != Day || b.T == starts { // of its neighbours only a part is seen
				bars[slotOfDay{b.Resolution, b.T}] = b
			}
		}
	}
	var at Recording
	collect(at.Record(id, samples[from(starts.Add(-overlap)):next]))
	end := at
	if end.Day != day {
		end = Recording{}
	}
	collect(at.Record(id, samples[next:from(ends.Add(overlap))]))
	return bars, end
}

// CorrectionSpan is the time from first up to but not including last whose
// observations Correct needs when changed ones, of one market, come in.
func CorrectionSpan(m Market, changed []*Observation) (first, last Instant) {
	for i, o := range changed {
		if i == 0 || o.AsOf.Before(first) {
			first = o.AsOf
		}
		if i == 0 || o.AsOf.After(last) {
			last = o.AsOf
		}
	}
	zone := m.zone()
	return dayIn(first, zone).start(zone).Add(-m.overlap()), dayIn(last, zone).AddDays(1).start(zone).Add(m.overlap())
}
