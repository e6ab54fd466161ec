package ipo

import (
	"maps"
	"slices"
	"sync/atomic"

	"piyasa/domain/market"
	"piyasa/problem"
)

// Live holds the offerings, and whether their source is up.
type Live struct {
	records atomic.Pointer[map[string]*Record] // by id
	down    atomic.Bool
	trades  trades
}

// NewLive returns a Live that knows no offering; its source counts as up.
func NewLive() *Live {
	l := &Live{trades: newTrades()}
	l.records.Store(&map[string]*Record{})
	return l
}

// SetRecords is PutRecords of all there are: what else was known is forgotten.
func (l *Live) SetRecords(all []*Record) { l.put(map[string]*Record{}, all) }

// PutRecords adds or replaces offerings. One writer at a time.
func (l *Live) PutRecords(changed []*Record) { l.put(maps.Clone(*l.records.Load()), changed) }

func (l *Live) put(next map[string]*Record, offerings []*Record) {
	for _, r := range offerings {
		next[r.ID] = r
	}
	l.records.Store(&next)
	l.trades.clear()
}

// sourceName is the source whose status matters here.
const sourceName = "ipo"

// PutSources takes in whether sources are up.
func (l *Live) PutSources(changed []*market.SourceStatus) {
	for _, s := range changed {
		if s.Source == sourceName {
			l.down.Store(!s.Up)
		}
	}
}

// record is the offering with an id, or nil.
func (l *Live) record(id string) *Record { return (*l.records.Load())[id] }

// all are the offerings, in no order.
func (l *Live) all() []*Record { return slices.Collect(maps.Values(*l.records.Load())) }

// retryAfter is when to ask again for what a source that is down feeds, in
// seconds.
const retryAfter = 60

// available refuses to answer from nothing while the source is down.
func (s *Service) available(known []*Record) error {
	if len(known) == 0 && s.Live.down.Load() {
		e := problem.New(problem.SourceUnavailable, "The source of IPOs is down and no copy is stored; try again later.")
		e.RetryAfter = retryAfter
		return e
	}
	return nil
}
