package usage

import (
	"math"
	"time"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Hold reserves units of the key's quota for an answer, until Free or Pay. If any unit is left,
// it may reserve more than are left; nothing else begins then. Problem: quota-exceeded. A nil
// account holds nothing and has no quota.
func (a *Account) Hold(units int64) error { return a.hold(0, units) }

// HoldUpTo reserves as many of the units as nothing else holds, perhaps none, and returns how
// many: an event must not be lost because another request is running. Problem:
// quota-exceeded, once the quota is used up.
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

// hold is Hold for a caller that already holds some units.
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

// limitFor returns the key's quota. If other servers may know too little of this server's
// counts to hold the units, it first exchanges counts through the store.
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

// left returns how many units of a quota are left now, on all servers; a.mu is locked.
func (a *Account) left(limit int64) (left int64, now value.Instant) {
	now = a.today()
	left = limit - a.stored
	if a.meter.cutOff.Load() {
		left /= a.meter.servers()
	}
	return left - a.sent - a.fresh, now
}

// distant reports whether this server has used so much that other servers do not know of that
// together they could exceed the quota by more than a twentieth of what is left.
func (a *Account) distant(limit, units int64) bool {
	servers := a.meter.servers()
	if servers == 1 {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unread+units > max(1, (limit-a.stored)/(20*servers))
}

// held returns the problem of a quota whose remaining units are all held by running requests.
func held(left int64) error {
	const why = "Requests of this key that are at work hold the %d units that are left of its month; try again in 1 s."
	e := problem.New(problem.QuotaExceeded, why, left)
	e.RetryAfter = 1
	return e
}

// exceeded returns the problem of a quota that is used up; now sets its time to retry.
func exceeded(limit int64, month value.Month, now value.Instant) error {
	next := month.Next().First().Start(time.UTC)
	wait := next.Sub(now)
	e := problem.New(problem.QuotaExceeded, "This key has used the %d units of its month; the next month begins at %s.", limit, next)
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return e
}
