package access

import (
	"context"
	"strconv"
	"time"
)

// Allowance is the state of a key's bucket after a request.
type Allowance struct {
	Allowed    bool
	Limit      int  // bucket size
	Remaining  int  // whole tokens left
	Reset      int  // seconds until the bucket is full again, rounded up
	RetryAfter int  // seconds until one token exists, at least 1; 0 when allowed
	TooCostly  bool // the reason is the work of earlier answers, not the rate
}

// Take takes one token from the key's bucket, and BaseCost from its bucket of work, at the
// moment now, which should be monotonic. If servers share the buckets, it may have to wait for
// the store, until ctx ends.
func (g *Gate) Take(ctx context.Context, key *Key, now time.Time) Allowance {
	plan := g.Plan(key)
	g.mu.Lock()
	defer g.mu.Unlock()
	requests := g.bucket(ofRequests, key, plan, now)
	var work *bucket
	if plan.Work > 0 {
		work = g.bucket(ofWork, key, plan, now)
	}
	g.obtain(ctx, need{requests, 1}, need{work, BaseCost})
	a := Allowance{Limit: plan.Bucket}
	switch {
	case !requests.has(1):
		a.RetryAfter = max(1, requests.wait(1))
	case work != nil && !work.has(BaseCost):
		a.TooCostly, a.RetryAfter = true, max(1, work.wait(BaseCost))
	default:
		a.Allowed = true
		requests.take(1, now)
		if work != nil {
			work.take(BaseCost, now)
		}
		a.Remaining = max(0, int(requests.tokens()+tokenNoise))
	}
	a.Reset = requests.wait(requests.size)
	return a
}

// Look returns the state of the key's bucket, as far as this server knows it, and takes nothing.
func (g *Gate) Look(key *Key, now time.Time) Allowance {
	plan := g.Plan(key)
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.bucket(ofRequests, key, plan, now)
	return Allowance{Allowed: true, Limit: plan.Bucket, Remaining: max(0, int(b.tokens()+tokenNoise)), Reset: b.wait(b.size)}
}

// Work is the state of a key's bucket of work after Spend or Debit.
type Work struct {
	Allowed    bool
	Left       Left          // work left in the bucket
	RetryAfter int           // seconds until the bucket holds the cost, at least 1; 0 when allowed
	Debt       time.Duration // time until a debt is refilled
}

// Left is the work left in a bucket, in fields of an answer, at least 0; or NoLimit.
type Left int

// NoLimit is the Left of a plan without a bucket of work.
const NoLimit Left = -1

// MarshalJSON writes null for NoLimit.
func (l Left) MarshalJSON() ([]byte, error) { return l.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON writes.
func (l Left) AppendJSON(b []byte) []byte {
	if l < 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(l), 10)
}

// Spend takes cost, in fields of an answer, from the key's bucket of work, or nothing if the
// bucket holds less. Like Take, it may have to wait for the store.
func (g *Gate) Spend(ctx context.Context, key *Key, cost int, now time.Time) Work {
	plan := g.Plan(key)
	if plan.Work == 0 {
		return Work{Allowed: true, Left: NoLimit}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.bucket(ofWork, key, plan, now)
	g.obtain(ctx, need{b, float64(cost)})
	if !b.has(float64(cost)) {
		w := workOf(b)
		w.Allowed, w.RetryAfter = false, max(1, b.wait(float64(cost)))
		return w
	}
	b.take(float64(cost), now)
	return workOf(b)
}

// Debit takes cost from the key's bucket of work for something that cannot be refused, even if
// that leaves a debt. A cost below 0 gives work back.
func (g *Gate) Debit(key *Key, cost int, now time.Time) Work {
	plan := g.Plan(key)
	if plan.Work == 0 {
		return Work{Allowed: true, Left: NoLimit}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.bucket(ofWork, key, plan, now)
	b.take(float64(min(cost, plan.Work)), now)
	return workOf(b)
}

func workOf(b *bucket) Work {
	tokens := b.tokens()
	return Work{Allowed: true, Left: max(0, Left(tokens+tokenNoise)), Debt: max(0, time.Duration(-tokens/b.perSec*float64(time.Second)))}
}

// DebitAndWait debits the key for what has been sent, and waits until the key is out of debt. The
// error is that of ctx.
func (g *Gate) DebitAndWait(ctx context.Context, key *Key, cost int) error {
	debt := g.Debit(key, cost, time.Now()).Debt
	if debt == 0 {
		return nil
	}
	over := time.NewTimer(debt)
	defer over.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-over.C:
		return nil
	}
}
