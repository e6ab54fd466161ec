package market

import (
	"maps"
	"sync"
	"sync/atomic"

	"piyasa/domain/segment"
)

// Snapshot is all data about quotes and the catalog as of one moment. It is immutable, so an
// answer from one Snapshot is consistent.
type Snapshot struct {
	Catalog    *Catalog
	quotes     map[ID]*Observation // the newest of each instrument, even if the catalog lacks it
	ofFunds    map[ID]*Observation // prices that records of funds state
	exceptions Exceptions
	limits     limitsByDate
	logos      map[ID]*LogoTag // of the instruments that show one
	sectors    *sectorLookup
	indices    *indexLookup
	actions    *actionLookup
	changes    map[ID][]segment.Boundary // that records of instruments state
	boundaries map[ID]segment.Boundaries
}

// Live keeps the data about quotes and the catalog in memory: instruments, quotes, sectors,
// indices, logos, corporate actions, and former meanings and ids. Each Put makes a new Snapshot
// from records and replaces the current one. Readers load it without a lock; only the tailer
// calls Put and Set methods.
type Live struct {
	BaseURL string // start of absolute addresses, without a slash at its end; set before the first Put

	mu          sync.Mutex // one writer at a time
	instruments map[ID]*Instrument
	adjustments map[ID]string
	funds       map[ID]*Instrument // as their own records describe them
	logos       map[LogoOwner]*LogoTag
	sectors     []*Sector
	indices     []*BistIndex
	meanings    map[ID][]*FormerMeaning // ascending
	renames     map[ID]*Rename
	actions     map[actionKey]*StoredAction
	snapshot    atomic.Pointer[Snapshot]
}

// NewLive returns a Live with nothing in it.
func NewLive() *Live {
	l := &Live{instruments: map[ID]*Instrument{}, funds: map[ID]*Instrument{}, logos: map[LogoOwner]*LogoTag{},
		actions: map[actionKey]*StoredAction{}}
	empty := NewCatalog(nil)
	l.snapshot.Store(&Snapshot{Catalog: empty, sectors: arrangeSectors(nil, nil, empty), indices: arrangeIndices(nil, empty),
		actions: arrangeActions(nil)})
	return l
}

// Snapshot returns the current Snapshot.
func (l *Live) Snapshot() *Snapshot { return l.snapshot.Load() }

// SetCatalog replaces all instruments and exceptions of trading days. It returns the days that
// changed.
func (l *Live) SetCatalog(instruments []*Instrument, days []*TradingDay) (changed []*TradingDay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.snapshot.Load().exceptions
	next := *l.snapshot.Load()
	next.exceptions = nil
	clear(l.instruments)
	l.putCatalog(&next, instruments, days)
	l.arrange(&next)
	l.snapshot.Store(&next)
	return before.changed(next.exceptions)
}

// PutCatalog adds or replaces instruments and exceptions of trading days. It returns the days
// that changed.
func (l *Live) PutCatalog(instruments []*Instrument, days []*TradingDay) (changed []*TradingDay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.snapshot.Load().exceptions
	next := *l.snapshot.Load()
	l.putCatalog(&next, instruments, days)
	l.snapshot.Store(&next)
	return before.changed(next.exceptions)
}

// putCatalog adds instruments and days to next. The caller must hold l.mu.
func (l *Live) putCatalog(next *Snapshot, instruments []*Instrument, days []*TradingDay) {
	if len(instruments) > 0 {
		for _, in := range instruments {
			l.instruments[in.InstrumentID] = in
		}
		l.arrange(next)
	}
	if len(days) > 0 {
		next.exceptions = next.exceptions.With(days)
	}
}

// arrange rebuilds the catalog of next: instruments as answers show them, with the addresses of
// their logos, and all funds. It copies the records, because other goroutines read them. The
// caller must hold l.mu.
func (l *Live) arrange(next *Snapshot) {
	next.logos = map[ID]*LogoTag{}
	records := maps.Clone(l.funds)
	maps.Copy(records, l.instruments)
	renamed := l.byFormerID()
	sectors := sectorsNow(l.sectors, renamed)
	shown, of := make(map[ID]*Instrument, len(records)), sectorsShown(sectors, l.instruments)
	for id, record := range records {
		in := record.shown(l.funds[id], of[id])
		if logo := l.logoOf(in); logo != nil {
			next.logos[id] = logo
			in.LogoURL = new(l.logoURL(id))
		}
		if a, ok := l.adjustments[id]; ok {
			in.Adjustment = &a
		}
		shown[id] = in
	}
	l.arrangeIdentities(next, shown)
	next.Catalog = NewCatalog(shown)
	next.Catalog.renamed = renamed
	next.sectors = arrangeSectors(sectors, of, next.Catalog)
	next.indices = arrangeIndices(l.indices, next.Catalog)
	next.arrangeBoundaries()
}

// PutFunds replaces the funds that have their own records. If the catalog has a record of the
// fund, the fund's record only completes it; else it is shown itself.
func (l *Live) PutFunds(funds []*Instrument) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.funds = make(map[ID]*Instrument, len(funds))
	for _, in := range funds {
		l.funds[in.InstrumentID] = in
	}
	next := *l.snapshot.Load()
	l.arrange(&next)
	l.snapshot.Store(&next)
}

// PutAdjustments adds adjustments of histories.
func (l *Live) PutAdjustments(all []*HistoryAdjustment) {
	if len(all) > 0 {
		l.putAdjustments(maps.Clone(l.adjustments), all)
	}
}

// SetAdjustments replaces all adjustments of histories.
func (l *Live) SetAdjustments(all []*HistoryAdjustment) { l.putAdjustments(nil, all) }

func (l *Live) putAdjustments(next map[ID]string, all []*HistoryAdjustment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if next == nil {
		next = make(map[ID]string, len(all))
	}
	for _, a := range all {
		next[a.InstrumentID] = a.Adjustment
	}
	l.adjustments = next
	arranged := *l.snapshot.Load()
	l.arrange(&arranged)
	l.snapshot.Store(&arranged)
}

// PutSectors replaces the sectors. A member that is not in the catalog is shown
// once it is.
func (l *Live) PutSectors(sectors []*Sector) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sectors = sectors
	next := *l.snapshot.Load()
	l.arrange(&next)
	l.snapshot.Store(&next)
}

// PutQuotes adds or replaces the newest observations. It returns the
// instruments whose time or price changed.
func (l *Live) PutQuotes(observations []*Observation) (changed []ID) {
	if len(observations) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.snapshot.Load()
	next.quotes = maps.Clone(next.quotes)
	if next.quotes == nil {
		next.quotes = make(map[ID]*Observation, len(observations))
	}
	for _, o := range observations {
		if old := next.quotes[o.InstrumentID]; old == nil || old.AsOf != o.AsOf || old.Last != o.Last {
			changed = append(changed, o.InstrumentID)
		}
		if next.quotes[o.InstrumentID] = o; o.Same(NeverObserved(o.InstrumentID)) {
			delete(next.quotes, o.InstrumentID)
		}
	}
	l.snapshot.Store(&next)
	return changed
}

// PutFundPrices replaces the prices that records of funds state, each observed on its
// date. It returns the instruments whose time or price changed.
func (l *Live) PutFundPrices(prices []*Observation) (changed []ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, next := l.snapshot.Load(), *l.snapshot.Load()
	next.ofFunds = make(map[ID]*Observation, len(prices))
	for _, o := range prices {
		next.ofFunds[o.InstrumentID] = o
	}
	for id := range before.ofFunds {
		if next.ofFunds[id] == nil {
			changed = append(changed, id)
		}
	}
	for id, o := range next.ofFunds {
		if old := before.ofFunds[id]; old == nil || old.AsOf != o.AsOf || old.Last != o.Last {
			changed = append(changed, id)
		}
	}
	l.snapshot.Store(&next)
	return changed
}

// newest returns the newest observation of an instrument, or nil. The price that a record of a
// fund states counts unless a quote is newer.
func (s *Snapshot) newest(id ID) *Observation {
	o, of := s.quotes[id], s.ofFunds[id]
	if of == nil || o != nil && !o.AsOf.Before(of.AsOf) {
		return o
	}
	return of
}

// SetQuotes replaces all observations. It returns the instruments whose time or price changed,
// or that no longer have an observation.
func (l *Live) SetQuotes(observations []*Observation) (changed []ID) {
	known := make(map[ID]bool, len(observations))
	for _, o := range observations {
		known[o.InstrumentID] = true
	}
	for id := range l.Snapshot().quotes { // only the tailer puts quotes
		if !known[id] {
			observations = append(observations, NeverObserved(id))
		}
	}
	return l.PutQuotes(observations)
}
