package access

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"piyasa/problem"
)

// Gate knows the live keys and their token buckets. It is safe for concurrent
// use; keys are replaced as a whole while requests go on.
type Gate struct {
	// Current reports whether the keys match the stored ones, or did a moment ago;
	// nil means that they do. While it returns false a key may have been revoked
	// unnoticed, so no key passes.
	Current func() bool

	plans Plans
	keys  atomic.Pointer[map[string]*Key] // by hash of the secret

	mu      sync.Mutex
	buckets map[string]*rate.Limiter // by key id
}

// NewGate returns a gate without keys.
func NewGate(plans Plans) *Gate {
	g := &Gate{plans: plans, buckets: map[string]*rate.Limiter{}}
	g.keys.Store(&map[string]*Key{})
	return g
}

// Replace replaces the keys of the gate. It leaves out revoked ones.
func (g *Gate) Replace(keys []*Key) {
	live := make(map[string]*Key, len(keys))
	for _, k := range keys {
		if k.RevokedAt == nil {
			live[k.Hash] = k
		}
	}
	g.keys.Store(&live)
}

// Authenticate returns the live key with this secret. Hashing first makes the
// time of the look-up independent of how much of a secret is right. Problems:
// unauthenticated; store-unavailable when the keys are not current.
func (g *Gate) Authenticate(secret string) (*Key, error) {
	if secret == "" {
		return nil, ErrUnauthenticated()
	}
	return g.current((*g.keys.Load())[Secret(secret).Hash()])
}

// ByID returns the live key with this id, or a problem as Authenticate does.
// Callers must first verify a token that stands for the secret.
func (g *Gate) ByID(id string) (*Key, error) {
	var found *Key
	for _, key := range *g.keys.Load() { // few, and seldom asked
		if key.ID == id {
			found = key
		}
	}
	return g.current(found)
}

// current returns the key that a look-up found, unless the keys are not
// current: then the key may have been revoked meanwhile, and a missing key may
// exist.
func (g *Gate) current(found *Key) (*Key, error) {
	switch {
	case g.Current != nil && !g.Current():
		return nil, problem.StoreFailed(nil)
	case found == nil:
		return nil, ErrUnauthenticated()
	}
	return found, nil
}

// Alive reports whether key has not been revoked since it was authenticated.
func (g *Gate) Alive(key *Key) bool { return (*g.keys.Load())[key.Hash] != nil }

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
	plan, ok := g.plans[key.Plan]
	if !ok { // the plan has left the configuration: the smallest one shipped
		plan = ShippedPlans()["test"]
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	bucket := g.bucket(key, plan, now)
	a := Allowance{Limit: plan.Bucket, Allowed: bucket.AllowN(now, 1)}
	tokens := bucket.TokensAt(now)
	a.Remaining = max(0, int(tokens+tokenNoise))
	a.Reset = seconds((float64(plan.Bucket) - tokens) / float64(plan.RefillPerSec))
	if !a.Allowed {
		a.Remaining = 0
		a.RetryAfter = max(1, seconds((1-tokens)/float64(plan.RefillPerSec)))
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
