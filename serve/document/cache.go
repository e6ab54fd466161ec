package document

import (
	"context"
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"piyasa/internal/cache"
)

// Cache keeps what was used last, as long as all of it together has room. It
// implements gqlgen's graphql.Cache.
type Cache[T any] struct {
	maxBytes int
	size     func(key string, value T) int
	meter    cache.Meter

	mu    sync.Mutex
	bytes int
	lru   *simplelru.LRU[string, sized[T]]
}

type sized[T any] struct {
	value T
	bytes int
}

// NewCache makes a cache of at most maxBytes; size says how many a value and its
// key take. Nothing larger than an eighth of it is kept.
func NewCache[T any](maxBytes int, size func(key string, value T) int) *Cache[T] {
	c := &Cache[T]{maxBytes: maxBytes, size: size}
	forget := func(_ string, v sized[T]) { c.bytes -= v.bytes }
	c.lru, _ = simplelru.NewLRU(math.MaxInt, forget) // bounded in bytes
	return c
}

// Get implements graphql.Cache.
func (c *Cache[T]) Get(_ context.Context, key string) (T, bool) { return c.get(key) }

// Add implements graphql.Cache.
func (c *Cache[T]) Add(_ context.Context, key string, value T) { c.put(key, value) }

// Counts returns what the cache has done and holds.
func (c *Cache[T]) Counts() cache.Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meter.Counts(c.lru.Len(), uint64(c.bytes))
}

// Bytes returns how much is kept.
func (c *Cache[T]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *Cache[T]) get(key string) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.lru.Get(key)
	if ok {
		c.meter.Asked(1, 0)
	} else {
		c.meter.Asked(0, 1)
	}
	return v.value, ok
}

func (c *Cache[T]) put(key string, value T) {
	bytes := entryBytes + c.size(key, value)
	if bytes > c.maxBytes/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
	c.bytes += bytes
	c.lru.Add(key, sized[T]{value, bytes})
	for c.bytes > c.maxBytes {
		c.lru.RemoveOldest()
		c.meter.Evicted()
	}
}

// entryBytes is about what an entry takes besides its key and value.
const entryBytes = 200
