package analytics

import (
	"maps"
	"slices"
	"sync"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// subject is what figures are computed for: an instrument, an index of the
// Istanbul exchange, or a sector in one market. One of the first three members
// is set.
type subject struct {
	instrument market.ID
	index      string
	sector     string
	market     market.EquityMarket // of the sector
}

// figures are computed from daily bars.
type figures struct {
	last       value.Date // of the newest close; null: there is none
	lastOf     market.ID  // the instrument of that close; empty: an index of the Istanbul exchange
	windows    []*PeriodicWindow
	indicators []*IndicatorValue // the default ones; of bist only
	bridges    []*segment.Bridge // that the indicators crossed
}

// FigureCache caches figures until their bars change. Service.Run fills it in
// the background; a request computes missing figures itself, by the same code.
type FigureCache struct {
	mu      sync.Mutex
	known   map[subject]*figures
	version map[subject]int // counts the changes of a subject
	waiting map[subject]bool
	wake    chan struct{}
	members map[subject][]market.ID // of each sector, at the last change of the catalog
}

// NewFigureCache returns an empty cache.
func NewFigureCache() *FigureCache {
	return &FigureCache{known: map[subject]*figures{}, version: map[subject]int{}, waiting: map[subject]bool{},
		wake: make(chan struct{}, 1)}
}

// invalidate drops figures and queues them for Run.
func (c *FigureCache) invalidate(subjects []subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range subjects {
		delete(c.known, s)
		c.version[s]++
		c.waiting[s] = true
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// regrouped stores the members of all sectors. It returns the sectors whose members are not the
// same as before, or include a changed instrument.
func (c *FigureCache) regrouped(members map[subject][]market.ID, changed map[market.ID]bool) (sectors []subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s, ids := range members {
		before, known := c.members[s]
		if !known || !slices.Equal(before, ids) || slices.ContainsFunc(ids, func(id market.ID) bool { return changed[id] }) {
			sectors = append(sectors, s)
		}
	}
	c.members = members
	return sectors
}

// invalidateAll drops all figures and queues them for Run.
func (c *FigureCache) invalidateAll() {
	c.mu.Lock()
	all := slices.Concat(slices.Collect(maps.Keys(c.known)), slices.Collect(maps.Keys(c.version)))
	c.mu.Unlock()
	c.invalidate(all)
}

// get returns the cached figures, the subjects without any, and the versions of
// these subjects.
func (c *FigureCache) get(subjects []subject) (known map[subject]*figures, missing []subject, versions []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known = make(map[subject]*figures, len(subjects))
	for _, s := range subjects {
		if f := c.known[s]; f != nil {
			known[s] = f
			continue
		}
		missing, versions = append(missing, s), append(versions, c.version[s])
	}
	return known, missing, versions
}

// put caches figures, unless their bars have changed since version.
func (c *FigureCache) put(s subject, f *figures, version int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version[s] == version {
		c.known[s] = f
		delete(c.waiting, s)
	}
}

// next removes up to n subjects from the queue and returns them.
func (c *FigureCache) next(n int) []subject {
	c.mu.Lock()
	defer c.mu.Unlock()
	var some []subject
	for s := range c.waiting {
		if len(some) == n {
			break
		}
		some = append(some, s)
		delete(c.waiting, s)
	}
	return some
}
