package db

import (
	"maps"
	"slices"

	"piyasa/value"
)

// What the entries of a batch span, so that only the rows that they may
// replace are read.

// daySpan is the first and the last day of entries.
func daySpan[T any](entries []entry[T], day func(*T) value.Date) (first, last value.Date) {
	first, last = day(entries[0].record), day(entries[0].record)
	for _, e := range entries {
		if d := day(e.record); d.Before(first) {
			first = d
		} else if last.Before(d) {
			last = d
		}
	}
	return first, last
}

// timeSpan is the first and the last moment of entries.
func timeSpan[T any](entries []entry[T], moment func(*T) value.Instant) (first, last value.Instant) {
	first, last = moment(entries[0].record), moment(entries[0].record)
	for _, e := range entries {
		if t := moment(e.record); t.Before(first) {
			first = t
		} else if t.After(last) {
			last = t
		}
	}
	return first, last
}

// distinct are the values of entries, each once.
func distinct[T any, V comparable](entries []entry[T], value func(*T) V) []V {
	seen := map[V]bool{}
	for _, e := range entries {
		seen[value(e.record)] = true
	}
	return slices.Collect(maps.Keys(seen))
}
