package db

import (
	"maps"
	"slices"
)

// The bounds of a batch, so that only rows that it may replace are read.

// rangeOf returns the first and the last time of entries. There must be at least one entry.
func rangeOf[T any, V interface{ Before(V) bool }](entries []entry[T], at func(*T) V) (first, last V) {
	first, last = at(entries[0].record), at(entries[0].record)
	for _, e := range entries {
		if t := at(e.record); t.Before(first) {
			first = t
		} else if last.Before(t) {
			last = t
		}
	}
	return first, last
}

// distinct returns the values of entries, each once.
func distinct[T any, V comparable](entries []entry[T], of func(*T) V) []V {
	seen := map[V]bool{}
	for _, e := range entries {
		seen[of(e.record)] = true
	}
	return slices.Collect(maps.Keys(seen))
}
