package market

import (
	"context"
	"errors"
	"sync"

	"piyasa/internal/cache"
	"piyasa/internal/problem"
)

// HistoryCache reads bars and keeps them in memory. It keeps a series in two parts: settled
// bars until one of them is corrected, newer bars until any price comes. So a new price only
// makes it read a few bars again.
//
// The follower of the log must call Changed. Kept bars are never older than the last call of
// Changed: a read that began before a change is not kept as if it had begun after it.
type HistoryCache struct {
	store    History
	followed func() bool // whether Changed is called in time; if not, memory does not answer
	kept     *cache.Bounded[seriesKey, *keptSeries]

	mu    sync.Mutex // taken to change kept
	loads map[seriesKey]*seriesLoad
}

// NewHistoryCache returns a cache over store that takes up to most bytes; with 0 it keeps
// nothing.
func NewHistoryCache(store History, most int, followed func() bool) *HistoryCache {
	if most == 0 {
		followed = func() bool { return false }
	}
	kept := cache.NewBounded(most, func(_ seriesKey, s *keptSeries) int {
		s.weighed.Store(int64(s.weight()))
		return int(s.weighed.Load())
	})
	return &HistoryCache{store: store, followed: followed, kept: kept, loads: map[seriesKey]*seriesLoad{}}
}

// Size returns how many bytes the kept bars take.
func (c *HistoryCache) Size() int { return int(c.Counts().Bytes) }

// Counts returns the counters of the cache, by series.
func (c *HistoryCache) Counts() cache.Counts { return c.kept.Counts() }

// Changed drops the kept parts of series that the changes make outdated.
func (c *HistoryCache) Changed(changes []BarChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range changes {
		key := seriesKey{ID(change.Subject), change.Resolution}
		if change.Corrected {
			delete(c.loads, key)
			c.kept.Invalidate(key)
			continue
		}
		if l := c.loads[key]; l != nil {
			l.overtaken = true
		}
		if of, ok := c.kept.GetEntryQuietly(key); ok {
			of.Value.behind.Store(true)
		}
	}
}

// weigh updates the weight of a series: adjusted bars may have been kept since it was read.
func (c *HistoryCache) weigh(key seriesKey) {
	of, ok := c.kept.GetEntryQuietly(key)
	if !ok || of.Value.weighed.Load() == int64(of.Value.weight()) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, ok := c.kept.GetEntryQuietly(key); ok && now.Value == of.Value {
		c.kept.Set(key, of.Value)
	}
}

// AllChanged drops everything.
func (c *HistoryCache) AllChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.loads)
	c.kept.InvalidateAll()
}

// maxRounds is how often a request waits for the reads of others before it reads by itself,
// since a change may overtake each of them.
const maxRounds = 3

// read returns the bars of each span, in the order of the spans. If keep is false, it adds no
// series to the cache: a caller that reads everything once must not evict what many ask for.
// live has the calendars that say which bars are shown.
func (c *HistoryCache) read(ctx context.Context, live *Live, r Resolution, spans []Span, keep bool) ([]shownBars, error) {
	b := &barsRead{c, live, r, spans, make([]shownBars, len(spans)), nil}
	usable := c.followed()
	for i := range spans {
		if !usable || !b.known(i) {
			b.missing = append(b.missing, i)
		}
	}
	c.kept.Asked(len(spans)-len(b.missing), len(b.missing))
	for round := 0; round < maxRounds && usable && len(b.missing) > 0; round++ {
		if err := b.round(ctx, keep); err != nil {
			return nil, err
		}
	}
	if len(b.missing) == 0 {
		return b.answers, nil
	}
	return b.answers, b.directly(ctx)
}

// barsRead is one call of read.
type barsRead struct {
	*HistoryCache
	live       *Live
	resolution Resolution
	spans      []Span
	answers    []shownBars
	missing    []int // places without an answer yet
}

// known answers a span from memory.
func (b *barsRead) known(i int) bool {
	of, ok := b.kept.GetIfPresent(seriesKey{b.spans[i].ID, b.resolution})
	if ok = ok && of.covers(b.spans[i]); ok {
		b.answers[i] = of.within(b.spans[i])
	}
	return ok
}

// joined is a span that waits for a load.
type joined struct {
	place int
	load  *seriesLoad
	late  bool // the load was already overtaken, so another one must follow
}

// round answers what it can. It starts loads of series that nobody is loading yet, and waits
// for the other loads.
func (b *barsRead) round(ctx context.Context, keep bool) error {
	var own []*seriesLoad
	var wait []joined
	var unkept []int
	b.mu.Lock()
	for _, i := range b.missing {
		span := b.spans[i]
		key, first := seriesKey{span.ID, b.resolution}, earliestShown(span.First)
		of, _ := b.kept.GetIfPresent(key)
		l := b.loads[key]
		need := roomBefore(first, b.resolution)
		switch reaches := of != nil && !first.Before(of.from); {
		case of != nil && of.covers(span):
			b.answers[i] = of.within(span)
			continue
		case l != nil && !first.Before(l.from):
			if need.Before(l.need) {
				l.need = need
			}
			wait = append(wait, joined{i, l, l.overtaken})
			continue
		case !keep && !reaches:
			unkept = append(unkept, i)
			continue
		case reaches && !of.settled.IsNull():
			l = &seriesLoad{seriesKey: key, mu: &b.mu, from: of.from, need: need, base: of, done: make(chan struct{})}
		default:
			l = &seriesLoad{seriesKey: key, mu: &b.mu, from: need, done: make(chan struct{})}
		}
		b.loads[key] = l
		own, wait = append(own, l), append(wait, joined{i, l, false})
	}
	b.mu.Unlock()
	b.load(ctx, own)
	b.missing = unkept
	if len(unkept) > 0 {
		if err := b.directly(ctx); err != nil {
			return err
		}
		b.missing = nil
	}
	for _, w := range wait {
		select {
		case <-w.load.done:
		case <-ctx.Done():
			return ended(ctx)
		}
		switch {
		case w.late:
			b.missing = append(b.missing, w.place)
		case w.load.err != nil:
			return w.load.err
		default:
			b.answers[w.place] = w.load.got.within(b.spans[w.place])
		}
	}
	return nil
}

// ended returns the error of a request that waited and has ended.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return problem.StoreFailed(ctx.Err())
}

// directly answers the missing spans from the store, past the cache.
func (b *barsRead) directly(ctx context.Context) error {
	spans := make([]Span, len(b.missing))
	for n, i := range b.missing {
		spans[n] = b.spans[i]
	}
	stored, err := b.store.Bars(ctx, b.resolution, spans)
	if err != nil {
		return err
	}
	for n, i := range b.missing {
		b.answers[i].unpacked = shown(b.live, b.spans[i].ID, stored[n].Bars)
	}
	return nil
}

// load reads series with one statement, and reads those again whose past turns out to have been
// corrected. Other requests may wait for them, so it continues when its own request is
// cancelled.
func (b *barsRead) load(ctx context.Context, loads []*seriesLoad) {
	if len(loads) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	failed := errors.New("reading bars ended early") // by a panic, unless it is replaced
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, l := range loads {
			if l.got == nil && l.err == nil {
				l.err = failed
			}
			if b.loads[l.seriesKey] == l { // no correction arrived while it was read
				delete(b.loads, l.seriesKey)
				if l.err == nil {
					l.got.behind.Store(l.overtaken)
					b.kept.Set(l.seriesKey, l.got)
				}
			}
			close(l.done)
		}
	}()
	for unread := loads; len(unread) > 0; {
		spans := make([]Span, len(unread))
		for i, l := range unread {
			spans[i] = l.span()
		}
		stored, err := b.store.Bars(ctx, b.resolution, spans)
		if err != nil {
			failed = err
			return
		}
		var again []*seriesLoad
		for i, l := range unread {
			if l.base != nil && l.base.corrected != stored[i].Corrected {
				l.base = nil
				again = append(again, l)
				continue
			}
			l.finish(b.live, stored[i])
		}
		unread = again
	}
}
