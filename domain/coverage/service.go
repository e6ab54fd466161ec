package coverage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Limit is the range of a page.
var Limit = value.Limit{Min: 1, Max: 500, Default: 100}

// Service reports what is stored. It counts on request, one count at a time, and keeps each
// count for a while, longer the longer it took: so counting takes only a small part of the
// time, however many requests come and however much is stored.
type Service struct {
	Store  Store
	Live   *market.Live
	Now    value.Clock
	Signer access.Signer
	Epochs *epoch.View // of the store; nil: not known

	Keep     time.Duration // shortest time to keep a count; 0: DefaultKeep
	Patience time.Duration // how long callers wait for the first count; 0: DefaultPatience

	mu    sync.Mutex
	kept  *inventory
	until time.Time // when the kept count expires
	count *count    // in progress; nil: none
}

// The defaults of Keep and Patience.
const (
	DefaultKeep     = 30 * time.Second
	DefaultPatience = 15 * time.Second
)

const (
	keptFor   = 20          // a count is kept for this many times the time that it took
	mostCount = time.Hour   // timeout of a count
	waitNext  = time.Second // how long to wait for a new count if there is an older one
)

// count is a count in progress.
type count struct {
	epoch  string // in which it began
	cancel context.CancelFunc
	done   chan struct{}

	found *inventory // once it is done
	err   error
}

// Args select what to report.
type Args struct {
	Market     *market.Market
	Instrument *string // an id in any form
	Gaps       *bool   // only rows with gaps; nil: all
	Cursor     *string
	Limit      *int
}

// Of reports what is stored: without arguments of each kind and market; with a market, of that
// market and the bars of each of its instruments; with the id of an instrument, all its kinds.
// Any key. Problems: conflicting-parameters, not-found and others of an id, invalid-cursor,
// store-unavailable while a large store is counted for the first time.
func (s *Service) Of(ctx context.Context, a Args) (*Report, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	limit, err := Limit.Of(a.Limit)
	if err != nil {
		return nil, err
	}
	m, id, onlyGaps := a.Market, a.Instrument, a.Gaps != nil && *a.Gaps
	if m != nil && id != nil {
		e := problem.New(problem.ConflictingParameters,
			"market and instrument cannot both be asked for: an instrument belongs to one market.")
		return nil, e.About("instrument", *id)
	}
	query := ""
	if m != nil {
		query = "market " + string(*m)
	}
	if id != nil {
		query = "instrument " + *id
	}
	if onlyGaps {
		query = "gaps " + query
	}
	walk, err := access.Pages{Signer: s.Signer, List: "coverage", Query: query}.Start(a.Cursor)
	if err != nil {
		return nil, err
	}
	kept, err := s.inventory(ctx)
	if err != nil {
		return nil, err
	}
	rows := kept.overview
	switch {
	case m != nil:
		rows = kept.markets[*m]
	case id != nil:
		if rows, err = s.instrument(kept, *id); err != nil {
			return nil, err
		}
	}
	if onlyGaps {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool {
			return !r.ownGaps && (id == nil || r.Missing == nil || *r.Missing == 0)
		})
	}
	r := &Report{AsOf: kept.asOf, Total: len(rows)}
	if walk.Key != "" {
		at, there := slices.BinarySearchFunc(rows, walk.Key, func(r *Row, place string) int { return strings.Compare(r.place(), place) })
		if there {
			at++
		}
		rows = rows[at:]
	}
	rows, r.NextCursor = access.Cut(walk, rows[:min(limit+1, len(rows))], limit, func(r *Row) (string, int64) { return r.place(), 0 })
	r.Rows, r.Count = shown(rows, id != nil), len(rows)
	access.Charge(ctx, access.Unit)
	return r, nil
}

// instrument returns the rows of an instrument by its id, in any form, or by the id of records
// whose instrument the catalog lacks.
func (s *Service) instrument(kept *inventory, text string) ([]*Row, error) {
	in, err := s.Live.Snapshot().Catalog.Resolve(text, market.AnyForm)
	if err == nil {
		return kept.of[in.InstrumentID], nil
	}
	if rows, known := kept.of[market.ID(text)]; known {
		return rows, nil
	}
	return nil, err
}

// fewGaps is the most gaps of a row in a list.
const fewGaps = 10

// shown returns rows with at most fewGaps gaps, unless all is true.
func shown(rows []*Row, all bool) []*Row {
	out := make([]*Row, len(rows))
	for i, r := range rows {
		out[i] = r
		if len(r.Gaps) > fewGaps && !all {
			short := *r
			short.Gaps = r.Gaps[:fewGaps]
			out[i] = &short
		}
	}
	return out
}

// inventory returns the kept count or a new one. A count from before the store went back is not
// used.
func (s *Service) inventory(ctx context.Context) (*inventory, error) {
	epoch := s.Epochs.Lineage().Current()
	s.mu.Lock()
	if s.kept != nil && s.kept.epoch != epoch {
		s.kept = nil
	}
	kept := s.kept
	if kept != nil && time.Now().Before(s.until) {
		s.mu.Unlock()
		return kept, nil
	}
	if s.count != nil && s.count.epoch != epoch {
		s.count.cancel()
		s.count = nil
	}
	if s.count == nil {
		counting, cancel := context.WithTimeout(context.WithoutCancel(ctx), mostCount)
		s.count = &count{epoch: epoch, cancel: cancel, done: make(chan struct{})}
		go s.run(counting, s.count)
	}
	now := s.count
	s.mu.Unlock()
	wait := waitNext
	if kept == nil {
		wait = cmp.Or(s.Patience, DefaultPatience)
	}
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-now.done:
	case <-patience.C:
		if kept != nil {
			return kept, nil
		}
		e := problem.New(problem.StoreUnavailable,
			"What is stored is being counted for the first time, which takes a while where there is much. Ask again in a minute.")
		e.RetryAfter = 60
		return nil, e
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if now.epoch != s.Epochs.Lineage().Current() { // the store went back in the meantime
		return s.inventory(ctx)
	}
	return now.found, now.err
}

// run counts.
func (s *Service) run(ctx context.Context, c *count) {
	defer close(c.done)
	defer c.cancel()
	began := time.Now()
	c.found, c.err = s.take(ctx)
	took := time.Since(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count != c { // the store went back in the meantime
		return
	}
	s.count = nil
	if c.err == nil {
		c.found.epoch = c.epoch
		s.kept, s.until = c.found, time.Now().Add(max(cmp.Or(s.Keep, DefaultKeep), keptFor*took))
	}
}

// take counts. It turns a panic, which would end the process here, into an error.
func (s *Service) take(ctx context.Context) (_ *inventory, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(problem.New(problem.Internal, "The count of what is stored failed."),
				fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return take(ctx, s.Store, s.Live.Snapshot(), s.Now())
}
