package access

import (
	"context"
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// Allowance is the state of a key's bucket after a request.
type Allowance struct {
	Allowed    bool
	Limit      int  // bucket size
	Remaining  int  // whole tokens left
	Reset      int  // seconds until the bucket is full again, rounded up
	RetryAfter int  // seconds until one token exists, at least 1; 0 when allowed
	TooCostly  bool // it is the work of earlier answers that has to be waited for
}

// Take takes one token from the key's bucket, and BaseCost from its bucket of work, at the
// moment now, which should be monotonic.
func (g *Gate) Take(key *Key, now time.Time) Allowance {
	plan := g.Plan(key)
	g.mu.Lock()
	defer g.mu.Unlock()
	bucket := bucketIn(g.buckets, key, plan.Bucket, plan.RefillPerSec, now)
	a := Allowance{Limit: plan.Bucket}
	a.RetryAfter, a.TooCostly = g.takeBase(key, plan, bucket, now)
	a.Allowed = !a.TooCostly && bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	a.Remaining = max(0, int(tokens+tokenNoise))
	a.Reset = seconds((float64(plan.Bucket) - tokens) / plan.RefillPerSec)
	if !a.Allowed {
		a.Remaining = 0
		a.RetryAfter = max(1, a.RetryAfter, seconds((1-tokens)/plan.RefillPerSec))
	}
	return a
}

// takeBase takes BaseCost, if a token is there, too; otherwise, if it is the work that is
// not, wait says for how many seconds. The caller must hold g.mu.
func (g *Gate) takeBase(key *Key, plan Plan, requests *rate.Limiter, now time.Time) (wait int, tooCostly bool) {
	if plan.Work == 0 || requests.TokensAt(now) < 1 {
		return 0, false
	}
	bucket := bucketIn(g.work, key, plan.Work, plan.WorkPerSec, now)
	if bucket.AllowN(now, BaseCost) {
		return 0, false
	}
	return seconds((BaseCost - bucket.TokensAt(now)) / plan.WorkPerSec), true
}

// Work is the state of a key's bucket of work after something was to be taken.
type Work struct {
	Allowed    bool
	Left       Left          // of what it holds
	RetryAfter int           // seconds until the bucket holds the cost, at least 1; 0 when allowed
	Debt       time.Duration // until what was taken too much has come back
}

// Left is what a bucket of work holds, not below 0, or NoLimit.
type Left int

// NoLimit is what is left where a plan has no bucket of work.
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

// Costs that every price is made of, in fields of an answer.
const (
	BaseCost   = 300   // the least that a request costs: Take takes it
	AskingCost = 1_600 // to ask the store, once for each place of a document
)

// Spend takes cost, in fields of an answer, from the key's bucket of work, or nothing if
// the bucket does not hold it.
func (g *Gate) Spend(key *Key, cost int, now time.Time) Work {
	return g.spend(key, cost, now, false)
}

// Debit takes cost from the key's bucket of work for what cannot be refused, even if that
// leaves a debt.
func (g *Gate) Debit(key *Key, cost int, now time.Time) Work {
	return g.spend(key, cost, now, true)
}

// Charge debits the key for what has been sent, and waits until it is out of debt. The error
// is that of ctx.
func (g *Gate) Charge(ctx context.Context, key *Key, cost int) error {
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

func (g *Gate) spend(key *Key, cost int, now time.Time, mayOwe bool) Work {
	plan := g.Plan(key)
	if plan.Work == 0 {
		return Work{Allowed: true, Left: NoLimit}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	bucket := bucketIn(g.work, key, plan.Work, plan.WorkPerSec, now)
	w := Work{Allowed: bucket.AllowN(now, cost)}
	if !w.Allowed && mayOwe {
		w.Allowed = true
		bucket.ReserveN(now, min(cost, bucket.Burst()))
	}
	tokens := bucket.TokensAt(now)
	w.Left = max(0, Left(tokens+tokenNoise))
	w.Debt = max(0, time.Duration(-tokens/plan.WorkPerSec*float64(time.Second)))
	if !w.Allowed {
		w.RetryAfter = max(1, seconds((float64(cost)-tokens)/plan.WorkPerSec))
	}
	return w
}

// tokenNoise absorbs the floating-point error in the limiter's token count.
const tokenNoise = 1e-6

// seconds rounds up to whole seconds.
func seconds(s float64) int { return max(0, int(math.Ceil(s-tokenNoise))) }

// bucketIn returns the key's bucket among those of one sort, sized by its plan. The caller
// must hold g.mu.
func bucketIn(buckets map[string]*rate.Limiter, key *Key, size int, perSecond float64, now time.Time) *rate.Limiter {
	b, ok := buckets[key.ID]
	switch {
	case !ok:
		b = rate.NewLimiter(rate.Limit(perSecond), size)
		buckets[key.ID] = b
	case b.Burst() != size || b.Limit() != rate.Limit(perSecond): // the key has another plan now
		b.SetLimitAt(now, rate.Limit(perSecond))
		b.SetBurstAt(now, size)
	}
	return b
}
