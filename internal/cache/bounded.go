package cache

import (
	"math"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// Counts are the operations of a cache since it was made, and the size of its contents.
type Counts struct {
	Hits      uint64 // requests for values that were kept
	Misses    uint64 // requests for values that were not kept, or not current any more
	Evictions uint64 // values dropped for lack of room
	Entries   int
	Bytes     uint64 // approximate; see the weights of the cache
}

// Bounded keeps values by key within a bound of bytes for all of them; above it, otter drops the
// values used least. It is safe for concurrent use.
type Bounded[K comparable, V any] struct {
	*otter.Cache[K, V]
	hits, misses atomic.Uint64
	evictions    evictions
}

// NewBounded returns an empty Bounded of at most maxBytes. bytes returns about how many bytes of
// memory a value and its key take.
func NewBounded[K comparable, V any](maxBytes int, bytes func(K, V) int) *Bounded[K, V] {
	b := new(Bounded[K, V])
	b.Cache = otter.Must(&otter.Options[K, V]{
		MaximumWeight: uint64(max(1, maxBytes)),
		Weigher:       func(k K, v V) uint32 { return uint32(min(bytes(k, v), math.MaxUint32)) },
		StatsRecorder: &b.evictions,
	})
	return b
}

// Asked counts hits and misses. The user of the cache must call it, since only the user knows
// whether a kept value is still current.
func (b *Bounded[K, V]) Asked(hits, misses int) {
	if hits > 0 {
		b.hits.Add(uint64(hits))
	}
	if misses > 0 {
		b.misses.Add(uint64(misses))
	}
}

// Counts returns the operations so far, and the contents.
func (b *Bounded[K, V]) Counts() Counts {
	b.CleanUp()
	return Counts{b.hits.Load(), b.misses.Load(), b.evictions.n.Load(), b.EstimatedSize(), b.WeightedSize()}
}

// evictions counts the evictions that otter reports.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements stats.Recorder.
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }
