package cache

import (
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// Counts say what a cache has done since it was made, and what it holds.
type Counts struct {
	Hits      uint64 // what was asked for and kept
	Misses    uint64 // what was asked for and not kept, or not current any more
	Evictions uint64 // what was dropped for want of room
	Entries   int
	Bytes     uint64 // about; see the weights of the cache
}

// Meter counts the uses of a cache. The zero Meter has counted nothing. It is safe for
// concurrent use.
type Meter struct {
	hits, misses, evictions atomic.Uint64
}

// Asked counts what was asked for.
func (m *Meter) Asked(hits, misses int) {
	if hits > 0 {
		m.hits.Add(uint64(hits))
	}
	if misses > 0 {
		m.misses.Add(uint64(misses))
	}
}

// Evicted counts an eviction.
func (m *Meter) Evicted() { m.evictions.Add(1) }

// Counts returns what was counted, with what the cache holds.
func (m *Meter) Counts(entries int, bytes uint64) Counts {
	return Counts{m.hits.Load(), m.misses.Load(), m.evictions.Load(), entries, bytes}
}

// CountsOf returns the counts of a cache of otter, which has the meter as its Recorder.
func CountsOf[K comparable, V any](m *Meter, kept *otter.Cache[K, V]) Counts {
	kept.CleanUp()
	return m.Counts(kept.EstimatedSize(), kept.WeightedSize())
}

// Recorder returns what otter tells of evictions. Whether a value that is there may still be
// used, only its user knows: hits and misses are not otter's.
func (m *Meter) Recorder() stats.Recorder { return recorder{m} }

type recorder struct{ *Meter }

// RecordEviction implements stats.Recorder.
func (r recorder) RecordEviction(uint32) { r.Evicted() }

// RecordHits implements stats.Recorder.
func (recorder) RecordHits(int) {}

// RecordMisses implements stats.Recorder.
func (recorder) RecordMisses(int) {}

// RecordLoadSuccess implements stats.Recorder.
func (recorder) RecordLoadSuccess(time.Duration) {}

// RecordLoadFailure implements stats.Recorder.
func (recorder) RecordLoadFailure(time.Duration) {}
