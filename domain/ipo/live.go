package ipo

import (
	"maps"
	"slices"
	"sync/atomic"

	"piyasa/domain/market"
	"piyasa/internal/problem"
)

// Live holds the IPOs, and whether their source is up.
type Live struct {
	records atomic.Pointer[map[string]*Record] // by id
	down    atomic.Bool
	trades  trades
}

// NewLive returns a Live without IPOs; its source counts as up.
func NewLive() *Live {
	l := &Live{trades: newTrades()}
	l.records.Store(&map[string]*Record{})
	return l
}

// SetRecords replaces all IPOs.
func (l *Live) SetRecords(all []*Record) { l.put(map[string]*Record{}, all) }

// PutRecords adds or replaces IPOs. One writer at a time.
func (l *Live) PutRecords(changed []*Record) { l.put(maps.Clone(*l.records.Load()), changed) }

func (l *Live) put(next map[string]*Record, records []*Record) {
	for _, r := range records {
		next[r.ID] = r
	}
	l.records.Store(&next)
	l.trades.clear()
}

// sourceName is the source of IPOs.
const sourceName = "ipo"

// PutSources applies the status of all sources. A source without a status counts as up.
func (l *Live) PutSources(all []*market.SourceStatus) {
	l.down.Store(slices.ContainsFunc(all, func(s *market.SourceStatus) bool { return s.Source == sourceName && !s.Up }))
}

// record returns the IPO with an id, or nil.
func (l *Live) record(id string) *Record { return (*l.records.Load())[id] }

// all returns the IPOs, in no order.
func (l *Live) all() []*Record { return slices.Collect(maps.Values(*l.records.Load())) }

// retryAfter is after how many seconds to ask again while the source is down.
const retryAfter = 60

// available returns a problem if the source is down and there is no copy of its data.
func (s *Service) available(known []*Record) error {
	if len(known) == 0 && s.Live.down.Load() {
		e := problem.New(problem.SourceUnavailable, "The source of IPOs is down and no copy is stored; try again later.")
		e.RetryAfter = retryAfter
		return e
	}
	return nil
}
