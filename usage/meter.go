package usage

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
)

// Meter counts what keys use on one server. It is safe for concurrent use.
type Meter struct {
	now    value.Clock
	plan   func(*access.Key) access.Plan
	store  Store
	writer string

	storing sync.Mutex // held also by who reads what is stored
	batch   int64      // the number of the last one
	sent    []Row      // it, if the store may not have it

	mu       sync.RWMutex
	accounts map[string]*Account // by id of the key
	month    value.Month         // of totals
	totals   map[string]int64    // what the store said last
}

// NewMeter returns a meter that stores under a name that no other meter has. Plan
// returns the plan of a key as it is now.
func NewMeter(writer string, store Store, plan func(*access.Key) access.Plan, now value.Clock) *Meter {
	return &Meter{now: now, plan: plan, store: store, writer: writer, accounts: map[string]*Account{}}
}

// Of returns the account of a key; nil if the meter is.
func (m *Meter) Of(key *access.Key) *Account {
	if m == nil {
		return nil
	}
	m.mu.RLock()
	a := m.accounts[key.ID]
	m.mu.RUnlock()
	if a != nil {
		return a
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a = m.accounts[key.ID]; a == nil {
		a = &Account{meter: m, key: key, month: m.month, stored: m.totals[key.ID], counts: map[entry]int64{}}
		m.accounts[key.ID] = a
	}
	return a
}

// Times of a meter.
const (
	flushEvery = time.Second
	lastFlush  = 5 * time.Second // that a server which stops waits for its last batch
)

// Run stores what is counted every second until ctx ends, and then the rest.
func (m *Meter) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			if err := m.Flush(closing); err != nil {
				slog.Error("what keys have used could not be stored before the end", "units", m.unstored(), "error", err)
			}
			return
		case <-tick.C:
		}
		switch err := m.Flush(ctx); {
		case err == nil && failing:
			failing = false
			slog.Info("what keys use is stored again")
		case err != nil && !failing && ctx.Err() == nil:
			failing = true
			slog.Warn("what keys use cannot be stored now; it is counted in memory, and quotas hold for this server alone", "error", err)
		}
	}
}

// Flush stores what was counted, and reads what all servers have stored. After an error
// everything is kept for the next call.
func (m *Meter) Flush(ctx context.Context) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	for m.sent != nil || m.collect() {
		if err := m.send(ctx); err != nil {
			return err
		}
	}
	month := value.DayIn(m.now(), time.UTC).Month()
	totals, err := m.store.UsageTotals(ctx, month)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.month, m.totals = month, totals
	m.mu.Unlock()
	m.each(func(a *Account) { a.learn(month, totals[a.key.ID]) })
	return nil
}

// send stores the batch.
func (m *Meter) send(ctx context.Context) error {
	if err := m.store.AddUsage(ctx, m.writer, m.batch, m.sent); err != nil {
		return err
	}
	m.sent = nil
	m.each(func(a *Account) { a.confirm() })
	return nil
}

// collect makes a batch of what was counted; false: nothing was.
func (m *Meter) collect() bool {
	var rows []Row
	m.each(func(a *Account) { rows = a.take(rows) })
	if len(rows) == 0 {
		return false
	}
	slices.SortFunc(rows, compare) // writers that add to the same rows do it in one order
	m.batch++
	m.sent = rows
	return true
}

func compare(a, b Row) int {
	return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), a.Day.Compare(b.Day), cmp.Compare(a.Operation, b.Operation))
}

func (m *Meter) each(do func(*Account)) {
	m.mu.RLock()
	all := slices.Collect(maps.Values(m.accounts))
	m.mu.RUnlock()
	for _, a := range all {
		do(a)
	}
}

// unstored returns how many units were counted that the store does not have.
func (m *Meter) unstored() (units int64) {
	m.each(func(a *Account) { units += a.unstored() })
	return units
}

// of returns what a key has used in a month, whether it is stored or not.
func (m *Meter) of(ctx context.Context, key *access.Key, month value.Month) ([]Row, error) {
	m.storing.Lock()
	defer m.storing.Unlock()
	if m.sent != nil { // the store may have it or not
		if err := m.send(ctx); err != nil {
			return nil, problem.StoreFailed(err)
		}
	}
	first := month.First()
	rows, err := m.store.Usage(ctx, key.ID, first, first.AddMonths(1).AddDays(-1))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(m.Of(key).copy(rows), func(r Row) bool { return r.Day.Month() != month })
	return sum(rows), nil
}

// sum adds the rows of the same key, day and operation, and sorts them.
func sum(rows []Row) []Row { return SumBy(rows, func(r Row) Row { return r }) }

// SumBy adds the rows of which by makes the same, but for their units, and sorts them.
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
