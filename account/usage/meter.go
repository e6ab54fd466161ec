package usage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Meter counts on one server what keys use, and decides whether a key may use more. It stores
// counts once a second, in batches that count once even if they are sent again, and compares
// the stored counts of all servers with quotas. It is safe for concurrent use.
type Meter struct {
	Servers func() int // how many servers share the store; nil: only this one

	now    value.Clock
	plan   func(*access.Key) access.Plan
	store  Store
	writer string

	cutOff  atomic.Bool   // whether the store failed last, so that each server keeps to its share of quotas
	storing chan struct{} // has a token while a goroutine uses the store
	batch   int64         // the number of the last batch
	sent    []Row         // the last batch, until the store surely has it

	mu       sync.RWMutex
	accounts map[string]*Account // by key id
	month    value.Month         // of totals
	totals   map[string]int64    // units by key id, as the store last returned them
	read     time.Time           // when totals were read
}

// NewMeter returns a meter that stores under the name writer, which no other meter may have.
// plan returns the current plan of a key.
func NewMeter(writer string, store Store, plan func(*access.Key) access.Plan, now value.Clock) *Meter {
	return &Meter{now: now, plan: plan, store: store, writer: writer, storing: make(chan struct{}, 1), accounts: map[string]*Account{}}
}

// Of returns the account of a key; nil if the meter is nil.
func (m *Meter) Of(key *access.Key) *Account {
	if m == nil {
		return nil
	}
	m.mu.RLock()
	a := m.accounts[key.ID]
	m.mu.RUnlock()
	if a != nil {
		if a.key.Load() != key { // the key may have another plan
			a.key.Store(key)
		}
		return a
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a = m.accounts[key.ID]; a == nil {
		a = &Account{meter: m, month: m.month, stored: m.totals[key.ID], counts: map[entry]int64{}}
		a.key.Store(key)
		m.accounts[key.ID] = a
	}
	return a
}

// Intervals and timeouts of a meter.
const (
	flushEvery = time.Second
	retryEvery = 10 * time.Second
	patience   = 5 * time.Second // for the store, and for other users of it

	// The sums of very many keys are read less often, so that servers do not read every key
	// every second. A server that has counted much meanwhile reads them at once
	// (Account.distant).
	readEach = time.Millisecond // of the interval, for each key
	readMost = time.Minute
)

// Run stores the counts every second until ctx ends, and then the rest. While the store
// fails, it tries less often.
func (m *Meter) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var last time.Time
	for failing := false; ; {
		select {
		case <-ctx.Done():
			err := m.Flush(context.WithoutCancel(ctx))
			for err == nil && m.unstored() > 0 { // more than one batch
				err = m.Flush(context.WithoutCancel(ctx))
			}
			if err != nil {
				slog.Error("what keys have used could not be stored before the end", "units", m.unstored(), "error", err)
			}
			return
		case <-tick.C:
		}
		if failing && time.Since(last) < retryEvery {
			continue
		}
		last = time.Now()
		switch err := m.flush(ctx, m.outdated()); {
		case err == nil && failing:
			failing = false
			slog.Info("what keys use is stored again")
		case err != nil && !failing && ctx.Err() == nil:
			failing = true
			slog.Warn("what keys use cannot be stored now; it is counted in memory, and this server keeps to its share of "+
				"what was left of quotas", "error", err)
		}
	}
}

// turn waits until the store is free for this caller, who calls done at the end. The context
// bounded ends after patience.
func (m *Meter) turn(ctx context.Context) (bounded context.Context, done func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	select {
	case m.storing <- struct{}{}:
		return bounded, func() { <-m.storing; cancel() }, nil
	case <-bounded.Done():
		cancel()
		return nil, nil, bounded.Err()
	}
}

// outdated reports whether the counts of all servers must be read again.
func (m *Meter) outdated() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.cutOff.Load() || m.month != value.DayIn(m.now(), time.UTC).Month() ||
		time.Since(m.read) >= min(readMost, time.Duration(len(m.totals))*readEach)
}

// Flush stores the counts of this server, and reads those of all servers. After an error it
// keeps everything for the next call.
func (m *Meter) Flush(ctx context.Context) error { return m.flush(ctx, true) }

func (m *Meter) flush(ctx context.Context, read bool) (err error) {
	ctx, done, err := m.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer func() { m.cutOff.Store(err != nil) }()
	var failed error
	if m.sent != nil {
		failed = m.send(ctx)
	}
	if failed != nil {
		failed = m.doubt(ctx, failed)
	}
	if failed == nil && m.collect() { // one batch only: later counts are for the next call
		if failed = m.send(ctx); failed != nil {
			failed = m.doubt(ctx, failed)
		}
	}
	if !read {
		return failed
	}
	month := value.DayIn(m.now(), time.UTC).Month()
	totals, err := m.store.UsageTotals(ctx, month)
	if err != nil {
		return errors.Join(failed, err)
	}
	m.mu.Lock()
	m.month, m.totals, m.read = month, totals, time.Now()
	m.mu.Unlock()
	m.each(func(a *Account) { a.learn(month, totals[a.key.Load().ID]) })
	return failed
}

// servers returns how many servers share the store.
func (m *Meter) servers() int64 {
	if m.Servers == nil {
		return 1
	}
	return int64(max(1, m.Servers()))
}

// agree stores the counts and reads those of other servers, unless the store failed last.
func (m *Meter) agree() {
	if !m.cutOff.Load() {
		_ = m.Flush(context.Background()) // Run logs an error that lasts
	}
}

// doubt returns the error of storing a batch, or nil if the store has the batch and only its
// answer was lost.
func (m *Meter) doubt(ctx context.Context, failed error) error {
	last, err := m.store.LastBatch(ctx, m.writer)
	if err != nil || last < m.batch {
		return failed
	}
	m.stored()
	return nil
}

// stored records that the store has the batch.
func (m *Meter) stored() {
	m.sent = nil
	m.each(func(a *Account) { a.confirm() })
}

// send stores the batch.
func (m *Meter) send(ctx context.Context) error {
	if err := m.store.AddUsage(ctx, m.writer, m.batch, m.sent); err != nil {
		return err
	}
	m.stored()
	return nil
}

// maxBatch is the most rows of a batch, so that it can be stored in time.
const maxBatch = 5_000

// collect makes a batch of the counts; it returns false if there are none.
func (m *Meter) collect() bool {
	var rows []Row
	m.each(func(a *Account) { rows = a.take(rows, maxBatch) })
	if len(rows) == 0 {
		return false
	}
	slices.SortFunc(rows, compare) // so that writers to the same rows add in the same order
	m.batch++
	m.sent = rows
	return true
}

func compare(a, b Row) int {
	return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), a.Day.Compare(b.Day), cmp.Compare(a.Operation, b.Operation))
}

func (m *Meter) each(do func(*Account)) {
	for _, a := range m.all() {
		do(a)
	}
}

// all returns the accounts.
func (m *Meter) all() []*Account {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Collect(maps.Values(m.accounts))
}

// unstored returns how many counted units, of any month, the store may not have yet.
func (m *Meter) unstored() (units int64) {
	for _, r := range m.sent {
		units += r.Units
	}
	m.each(func(a *Account) {
		for _, r := range a.copy(nil) {
			units += r.Units
		}
	})
	return units
}

// of returns what a key has used in a month, stored or not.
func (m *Meter) of(ctx context.Context, key *access.Key, month value.Month) ([]Row, error) {
	bounded, done, err := m.turn(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	defer done()
	var unsent []Row
	if m.sent != nil { // the store may or may not have it
		switch last, err := m.store.LastBatch(bounded, m.writer); {
		case err != nil:
			return nil, unavailable(ctx, err)
		case last < m.batch:
			unsent = m.sent
		}
	}
	first := month.First()
	rows, err := m.store.Usage(bounded, key.ID, first, first.AddMonths(1).AddDays(-1))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	for _, r := range unsent {
		if r.KeyID == key.ID {
			rows = append(rows, r)
		}
	}
	rows = slices.DeleteFunc(m.Of(key).copy(rows), func(r Row) bool { return r.Day.Month() != month })
	return sum(rows), nil
}

// unavailable returns the problem of a store that failed or took too long, or the error of a
// request that has ended.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return problem.StoreFailed(err)
}

// sum adds the rows of the same key, day and operation, and sorts them.
func sum(rows []Row) []Row { return SumBy(rows, func(r Row) Row { return r }) }

// SumBy adds up the rows for which by returns the same row, not counting units, and sorts the
// sums.
func SumBy(rows []Row, by func(Row) Row) []Row {
	all := make([]Row, len(rows))
	for i, r := range rows {
		all[i] = by(r)
	}
	slices.SortFunc(all, compare)
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && compare(out[n-1], r) == 0 {
			out[n-1].Units += r.Units
			continue
		}
		out = append(out, r)
	}
	return out
}
