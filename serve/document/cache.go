package document

import (
	"context"

	"piyasa/internal/cache"
)

// Cache keeps the most used values within a bound of bytes. It implements gqlgen's
// graphql.Cache.
type Cache[T any] struct {
	*cache.Bounded[string, T]
	largest int
	size    func(key string, value T) int
}

// NewCache makes a cache of at most maxBytes; size returns the bytes of a value with its key.
// It keeps no value larger than an eighth of maxBytes.
func NewCache[T any](maxBytes int, size func(key string, value T) int) *Cache[T] {
	withEntry := func(key string, value T) int { return entryBytes + size(key, value) }
	return &Cache[T]{cache.NewBounded(maxBytes, withEntry), maxBytes / 8, withEntry}
}

// Get implements graphql.Cache.
func (c *Cache[T]) Get(_ context.Context, key string) (T, bool) { return c.get(key) }

// Add implements graphql.Cache.
func (c *Cache[T]) Add(_ context.Context, key string, value T) { c.put(key, value) }

func (c *Cache[T]) get(key string) (T, bool) {
	v, ok := c.GetIfPresent(key)
	if ok {
		c.Asked(1, 0)
	} else {
		c.Asked(0, 1)
	}
	return v, ok
}

func (c *Cache[T]) put(key string, value T) {
	if c.size(key, value) > c.largest {
		return
	}
	c.Set(key, value)
	c.CleanUp() // at once: many large documents may come together
}

// entryBytes is about what an entry takes besides its key and value.
const entryBytes = 200
