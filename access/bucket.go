package access

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Allowance is the state of a key's bucket after a request.
type Allowance struct {
	Allowed    bool
	Limit      int // bucket size
	Remaining  int // whole tokens left
	Reset      int // seconds until the bucket is full again, rounded up
	RetryAfter int // seconds until one token exists, at least 1; 0 when allowed
}

// Take takes one token from the key's bucket at the moment now, which should be
// monotonic.
func (g *Gate) Take(key *Key, now time.Time) Allowance {
	plan := g.Plan(key)
	g.mu.Lock()
	defer g.mu.Unlock()
	bucket := g.bucket(key, plan, now)
	a := Allowance{Limit: plan.Bucket, Allowed: bucket.AllowN(now, 1)}
	tokens := bucket.TokensAt(now)
	a.Remaining = max(0, int(tokens+tokenNoise))
	a.Reset = seconds((float64(plan.Bucket) - tokens) / plan.RefillPerSec)
	if !a.Allowed {
		a.Remaining = 0
		a.RetryAfter = max(1, seconds((1-tokens)/plan.RefillPerSec))
	}
	return a
}

// tokenNoise absorbs the floating-point error in the limiter's token count.
const tokenNoise = 1e-6

// seconds rounds up to whole seconds.
func seconds(s float64) int { return max(0, int(math.Ceil(s-tokenNoise))) }

// bucket returns the key's bucket, sized by its plan. The caller must hold
// g.mu.
func (g *Gate) bucket(key *Key, plan Plan, now time.Time) *rate.Limiter {
	b, ok := g.buckets[key.ID]
	switch {
	case !ok:
		b = rate.NewLimiter(rate.Limit(plan.RefillPerSec), plan.Bucket)
		g.buckets[key.ID] = b
	case b.Burst() != plan.Bucket || b.Limit() != rate.Limit(plan.RefillPerSec): // the key has another plan now
		b.SetLimitAt(now, rate.Limit(plan.RefillPerSec))
		b.SetBurstAt(now, plan.Bucket)
	}
	return b
}
