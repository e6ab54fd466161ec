// Package cache keeps values read from the store, for as long as the log says that they have not
// changed.
package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Followed keeps values by key. Of reads a value that is not kept; from then on Apply keeps it
// current. A call of Of after an Apply has returned gets a value that includes what was applied. It
// is safe for concurrent use.
type Followed[K comparable, V any] struct {
	options Options[K, V]
	kept    *Bounded[K, V]

	mu      sync.Mutex
	begun   bool
	applied int64             // number of the feed up to which all values are current
	reads   map[K]*read[K, V] // running reads, by keys that have not changed since they began
}

// Options configure a Followed.
type Options[K comparable, V any] struct {
	// Read returns the values of keys in their order, and the last number of the feed at the
	// moment of the read. It must have its own timeout: it is never cancelled.
	Read func(ctx context.Context, keys []K) (values []V, head int64, err error)
	// Clone copies a key, if keys may be parts of large texts that must not stay in memory with
	// them; nil: keys need no copy.
	Clone func(K) K
	// Bytes returns about how many bytes of memory a value and its key take.
	Bytes func(K, V) int
	// MaxBytes is the bound of all values together; 0: nothing is kept.
	MaxBytes int
	// Current reports whether the feed is followed; if not, every call reads.
	Current func() bool
}

// read is a read of several keys.
type read[K comparable, V any] struct {
	values map[K]V
	err    error
	done   chan struct{}
}

// New returns a Followed that keeps nothing before the first Apply.
func New[K comparable, V any](options Options[K, V]) *Followed[K, V] {
	return &Followed[K, V]{options: options, kept: NewBounded(options.MaxBytes, options.Bytes), reads: map[K]*read[K, V]{}}
}

// Counts returns the counts of the cache.
func (f *Followed[K, V]) Counts() Counts { return f.kept.Counts() }

// Apply records that the values of keys have changed, and that everything up to the number head
// is applied. update returns the new value of a kept key; if it is nil, the values are dropped.
// Only one goroutine may call it at a time.
func (f *Followed[K, V]) Apply(head int64, keys []K, update func(K, V) V) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range keys {
		delete(f.reads, k)
		if update == nil {
			f.kept.Invalidate(k)
			continue
		}
		if v, known := f.kept.GetIfPresent(k); known {
			f.kept.Set(k, update(k, v))
		}
	}
	f.begun, f.applied = true, head
}

// Drop drops the values of keys, after a change that is not in the feed.
func (f *Followed[K, V]) Drop(keys []K) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range keys {
		delete(f.reads, k)
		f.kept.Invalidate(k)
	}
}

// DropAll drops everything, after a change that is not in the feed.
func (f *Followed[K, V]) DropAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.reads)
	f.kept.InvalidateAll()
}

// Forget drops everything; values read from now on are current as of head.
func (f *Followed[K, V]) Forget(head int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.reads)
	f.kept.InvalidateAll()
	f.begun, f.applied = true, head
}

// Applied returns the number up to which everything is applied, and whether anything is.
func (f *Followed[K, V]) Applied() (head int64, begun bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.applied, f.begun
}

// Follows reports whether values are kept now. If not, every call of Of reads.
func (f *Followed[K, V]) Follows() bool {
	if _, begun := f.Applied(); !begun || f.options.MaxBytes == 0 {
		return false
	}
	return f.options.Current()
}

// Kept returns the value of a key if it is kept.
func (f *Followed[K, V]) Kept(k K) (v V, ok bool) { return f.kept.GetIfPresent(k) }

// Of returns the values of keys in their order. It reads all values together that are neither kept
// nor being read by another call.
func (f *Followed[K, V]) Of(ctx context.Context, keys []K) ([]V, error) {
	if !f.Follows() {
		f.kept.Asked(0, len(keys))
		values, _, err := f.options.Read(ctx, keys)
		return values, err
	}
	values := make([]V, len(keys))
	var missing []int
	for i, k := range keys {
		var known bool
		if values[i], known = f.kept.GetIfPresent(k); !known {
			missing = append(missing, i)
		}
	}
	f.kept.Asked(len(keys)-len(missing), len(missing))
	if missing == nil {
		return values, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	reads := f.join(ctx, keys, missing)
	for n, i := range missing {
		select {
		case <-reads[n].done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := reads[n].err; err != nil {
			return nil, err
		}
		values[i] = reads[n].values[keys[i]]
	}
	return values, nil
}

// join returns the reads of the missing keys; it starts one more read for the keys that are not
// being read yet.
func (f *Followed[K, V]) join(ctx context.Context, keys []K, missing []int) []*read[K, V] {
	reads, own := make([]*read[K, V], len(missing)), (*read[K, V])(nil)
	var some []K
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, i := range missing {
		k := keys[i]
		if reads[n] = f.reads[k]; reads[n] != nil {
			continue
		}
		if f.options.Clone != nil {
			k = f.options.Clone(k)
		}
		if own == nil {
			own = &read[K, V]{done: make(chan struct{})}
		}
		reads[n], f.reads[k] = own, own
		some = append(some, k)
	}
	if own != nil {
		go f.run(context.WithoutCancel(ctx), own, some, f.applied)
	}
	return reads
}

// run reads keys, and keeps the values unless they may be older than the number since: a database
// host that has just taken over may be behind.
func (f *Followed[K, V]) run(ctx context.Context, r *read[K, V], keys []K, since int64) {
	defer close(r.done)
	values, head, err := f.read(ctx, keys)
	f.mu.Lock()
	defer f.mu.Unlock()
	r.err = err
	r.values = make(map[K]V, len(keys))
	for i, k := range keys {
		current := f.reads[k] == r
		if current {
			delete(f.reads, k)
		}
		if err != nil {
			continue
		}
		if r.values[k] = values[i]; current && head >= since {
			f.kept.Set(k, values[i])
		}
	}
}

// read reads keys. It turns a panic, which would end the process here, into an error.
func (f *Followed[K, V]) read(ctx context.Context, keys []K) (values []V, head int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	values, head, err = f.options.Read(ctx, keys)
	if err == nil && len(values) != len(keys) {
		err = fmt.Errorf("%d values were read of %d keys", len(values), len(keys))
	}
	return values, head, err
}
