package analytics

import (
	"context"
	"log/slog"
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

// DailyBarsChanged says whose daily bars changed: ids of instruments and codes
// of indices.
func (s *Service) DailyBarsChanged(ids []string) {
	var subjects []subject
	seen := map[subject]bool{}
	add := func(one subject) {
		if !seen[one] {
			seen[one] = true
			subjects = append(subjects, one)
		}
	}
	snapshot := s.Market.Live.Snapshot()
	for _, id := range ids {
		m := market.MarketOf(id)
		if m == "" {
			add(subject{index: id})
			continue
		}
		if !windowed(m) {
			continue
		}
		add(subject{instrument: market.ID(id)})
		for _, code := range snapshot.SectorsOf(market.ID(id)) {
			add(subject{sector: code, market: market.EquityMarket(m)})
		}
	}
	s.Computed.changed(subjects)
}

// CatalogChanged says which instruments are new or changed, and that the
// members of sectors may be others.
func (s *Service) CatalogChanged(instruments []*market.Instrument) {
	var subjects []subject
	for _, in := range instruments {
		if windowed(in.Market) {
			subjects = append(subjects, subject{instrument: in.InstrumentID})
		}
	}
	for _, code := range s.Market.Live.Snapshot().SectorCodes() {
		for _, m := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
			subjects = append(subjects, subject{sector: code, market: m})
		}
	}
	s.Computed.changed(subjects)
}

// computedTogether is how many subjects Run computes at a time.
const computedTogether = 32

// Run computes what waits until ctx ends.
func (s *Service) Run(ctx context.Context) {
	for {
		s.computeWaiting(ctx)
		select {
		case <-ctx.Done():
			return
		case <-s.Computed.wake:
		}
	}
}

// computeWaiting computes what waits, until nothing does or ctx ends.
func (s *Service) computeWaiting(ctx context.Context) {
	for some := s.Computed.next(computedTogether); len(some) > 0 && ctx.Err() == nil; some = s.Computed.next(computedTogether) {
		if _, err := s.figures(ctx, some); err != nil && ctx.Err() == nil {
			// Whoever asks computes it; the next change tries again.
			slog.Error("computing figures from daily bars failed", "error", err)
		}
	}
}

// asOf is when the newest bar behind figures was complete. It is not kept with
// them: while the day goes on the moment moves, and the hours of a day may be
// corrected.
func (s *Service) asOf(f *figures) value.Instant {
	switch in := s.Market.ByID(f.lastOf); {
	case f.last.IsNull():
		return value.Instant{}
	case in == nil:
		return s.Market.BistClosedAt(f.last)
	default:
		return s.Market.ClosedAt(in, f.last)
	}
}
