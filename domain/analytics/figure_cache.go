package analytics

import (
	"sync"

	"piyasa/domain/market"
	"piyasa/value"
)

// subject is what figures are computed of: an instrument, an index of the
// Istanbul exchange, or a sector in one market. One of the first three is set.
type subject struct {
	instrument market.ID
	index      string
	sector     string
	market     market.EquityMarket // of the sector
}

// figures are computed from daily bars.
type figures struct {
	last       value.Date // of the newest close; null: there is none
	lastOf     market.ID  // whose close that is; empty: of an index of the Istanbul exchange
	windows    []*PeriodicWindow
	indicators []*IndicatorValue // the default ones; of bist only
}

// Computed keeps figures until the bars behind them change.
// Run computes them ahead of the first question; a question that comes earlier
// computes them itself, by the same code.
type Computed struct {
	mu      sync.Mutex
	known   map[subject]*figures
	version map[subject]int // counts the changes of a subject
	waiting map[subject]bool
	wake    chan struct{}
}

// NewComputed returns a Computed that knows nothing.
func NewComputed() *Computed {
	return &Computed{known: map[subject]*figures{}, version: map[subject]int{}, waiting: map[subject]bool{}, wake: make(chan struct{}, 1)}
}

// changed forgets figures and lets Run compute them again.
func (c *Computed) changed(subjects []subject) {
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

// get returns the figures that are known, the subjects without, and the
// versions of these.
func (c *Computed) get(subjects []subject) (known map[subject]*figures, missing []subject, versions []int) {
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

// put keeps figures, unless their bars have changed since version.
func (c *Computed) put(s subject, f *figures, version int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version[s] == version {
		c.known[s] = f
		delete(c.waiting, s)
	}
}

// next takes some subjects that wait to be computed.
func (c *Computed) next(n int) []subject {
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
