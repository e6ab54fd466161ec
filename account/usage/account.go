package usage

import (
	"sync"
	"sync/atomic"
	"time"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Account is the usage of one key: units of the month by day and operation, units held by
// running requests, and the units that the store has from all servers. Requests hold units
// before they run (Hold) and settle when they are answered (Pay, Free).
type Account struct {
	meter *Meter
	key   atomic.Pointer[access.Key]

	mu     sync.Mutex
	day    value.Date  // at the last look at the clock
	month  value.Month // of the units:
	stored int64       // that the store has, from all servers
	sent   int64       // that the store may have
	fresh  int64       // that were counted since the last batch
	unread int64       // counted here since the last reading of all servers' units
	held   int64       // held by running requests
	counts map[entry]int64
	asked  asked
}

// entry is the key by which units are counted.
type entry struct {
	day       value.Date
	operation string
}

// Free gives back units that were held.
func (a *Account) Free(units int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= units
}

// Pay counts what was used, and gives back the held units.
func (a *Account) Pay(held int64, used ...access.Used) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= held
	a.today()
	for _, u := range used {
		if u.Units > 0 {
			a.counts[entry{a.day, u.Operation}] += u.Units
			a.fresh, a.unread = a.fresh+u.Units, a.unread+u.Units
		}
	}
}

// today looks at the clock, and begins a new month if one has started; a.mu is locked.
func (a *Account) today() value.Instant {
	now := a.meter.now()
	if day := value.DayIn(now, time.UTC); day != a.day {
		a.day = day
		if month := day.Month(); month != a.month {
			a.month, a.stored, a.sent, a.fresh, a.unread = month, 0, 0, 0, 0
		}
	}
	return now
}

// take moves what was counted into batch, until the batch has most rows.
func (a *Account) take(batch []Row, most int) []Row {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := a.key.Load().ID
	for e, units := range a.counts {
		if len(batch) == most {
			break
		}
		batch = append(batch, Row{id, e.day, e.operation, units})
		delete(a.counts, e)
		if e.day == a.day || e.day.Month() == a.month {
			a.sent, a.fresh = a.sent+units, a.fresh-units
		}
	}
	return batch
}

// copy appends what was counted since the last batch.
func (a *Account) copy(rows []Row) []Row {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := a.key.Load().ID
	for e, units := range a.counts {
		rows = append(rows, Row{id, e.day, e.operation, units})
	}
	return rows
}

// confirm records that the store has the batch.
func (a *Account) confirm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored, a.sent = a.stored+a.sent, 0
}

// learn records how many units the store has for a month.
func (a *Account) learn(month value.Month, units int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.today(); a.month == month {
		a.stored, a.unread = units, a.sent+a.fresh
	}
}
