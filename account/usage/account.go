package usage

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Account is what one key uses: units of the day and the month by operation, those that requests at work
// hold, and those that the store has of all servers. Requests hold units before they run and settle when
// they are answered.
type Account struct {
	meter *Meter
	key   atomic.Pointer[access.Key]

	mu     sync.Mutex
	day    value.Date  // of the last look at the clock
	month  value.Month // of the units:
	stored int64       // that the store has, of all servers
	sent   int64       // that the store may have
	fresh  int64       // that were counted since
	unread int64       // that were counted here since the store said what all servers have
	held   int64       // of requests at work
	counts map[entry]int64
	asked  asked
}

// entry is what units are counted by.
type entry struct {
	day       value.Date
	operation string
}

// Hold reserves units of the key's quota for what is about to be answered, until Free
// or Pay; more than are left if any is, so that nothing else begins meanwhile. Problem:
// quota-exceeded. No account holds anything, and has no quota, if it is nil.
func (a *Account) Hold(units int64) error { return a.hold(0, units) }

// HoldUpTo reserves as many of the units as nothing else holds, perhaps none, and returns how
// many: an event must not be lost because something else is at work. Problem: quota-exceeded,
// once the quota is used up.
func (a *Account) HoldUpTo(units int64) (held int64, err error) {
	if a == nil {
		return 0, nil
	}
	limit := a.limitFor(units)
	a.mu.Lock()
	defer a.mu.Unlock()
	left, now := a.left(limit)
	if left <= 0 {
		return 0, exceeded(limit, a.month, now)
	}
	held = max(0, min(units, left-a.held))
	a.held += held
	return held, nil
}

// limitFor returns the key's quota. If other servers may know too little of what was used
// here to hold the units, it agrees with them.
func (a *Account) limitFor(units int64) int64 {
	limit := a.meter.plan(a.key.Load()).UnitsPerMonth
	if limit == 0 {
		return math.MaxInt64 / 2
	}
	if a.distant(limit, units) {
		a.meter.agree()
	}
	return limit
}

// left returns how much is left of a quota at this moment, on all servers; a.mu is locked.
func (a *Account) left(limit int64) (left int64, now value.Instant) {
	now = a.turn()
	left = limit - a.stored
	if a.meter.cutOff.Load() {
		left /= a.meter.servers()
	}
	return left - a.sent - a.fresh, now
}

// hold is Hold for something that holds some units already.
func (a *Account) hold(already, units int64) error {
	if a == nil {
		return nil
	}
	limit := a.limitFor(units)
	a.mu.Lock()
	defer a.mu.Unlock()
	left, now := a.left(limit)
	switch others := a.held - already; {
	case left <= 0:
		return exceeded(limit, a.month, now)
	case left <= others:
		return held(left)
	}
	a.held += units - already
	return nil
}

// distant reports whether other servers may know too little of what was used here, so that
// together they could use more than a twentieth of what is left too much.
func (a *Account) distant(limit, units int64) bool {
	servers := a.meter.servers()
	if servers == 1 {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unread+units > max(1, (limit-a.stored)/(20*servers))
}

// Free gives units back that were held.
func (a *Account) Free(units int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= units
}

// Pay counts what was used in place of units that were held.
func (a *Account) Pay(held int64, used ...access.Used) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= held
	a.turn()
	for _, u := range used {
		if u.Units > 0 {
			a.counts[entry{a.day, u.Operation}] += u.Units
			a.fresh, a.unread = a.fresh+u.Units, a.unread+u.Units
		}
	}
}

// turn looks at the clock and begins a new month if it is time; a.mu is locked.
func (a *Account) turn() value.Instant {
	now := a.meter.now()
	if day := value.DayIn(now, time.UTC); day != a.day {
		a.day = day
		if month := day.Month(); month != a.month {
			a.month, a.stored, a.sent, a.fresh, a.unread = month, 0, 0, 0, 0
		}
	}
	return now
}

// take moves what was counted into a batch, until that has most rows.
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

// confirm notes that the store has the batch.
func (a *Account) confirm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored, a.sent = a.stored+a.sent, 0
}

// learn notes what the store has of a month.
func (a *Account) learn(month value.Month, units int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn(); a.month == month {
		a.stored, a.unread = units, a.sent+a.fresh
	}
}

// held returns the problem of a quota of which requests at work hold all that is left.
func held(left int64) error {
	const why = "Requests of this key that are at work hold the %d units that are left of its month; try again in 1 s."
	e := problem.New(problem.QuotaExceeded, why, left)
	e.RetryAfter = 1
	return e
}

// exceeded returns the problem of a quota that is used up, at the moment now.
func exceeded(limit int64, month value.Month, now value.Instant) error {
	next := month.Next().First().Start(time.UTC)
	wait := next.Sub(now)
	e := problem.New(problem.QuotaExceeded, "This key has used the %d units of its month; the next month begins at %s.", limit, next)
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return e
}
