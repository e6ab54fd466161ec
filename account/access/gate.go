package access

import (
	"crypto/sha256"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/internal/problem"
)

// Gate holds the live keys and their token buckets, authenticates keys and takes tokens. It
// is safe for concurrent use; Replace replaces all keys at once while requests run.
type Gate struct {
	// Current reports whether the keys match the stored ones, or did a moment ago; nil: they
	// always do. While it returns false, the gate may not know of a revocation, so no key
	// passes.
	Current func() bool

	plans atomic.Pointer[Plans]
	keys  atomic.Pointer[map[[sha256.Size]byte]*Key] // by hash of the secret

	mu      sync.Mutex
	buckets map[Bucket]*bucket
	shared  sharing
	forgot  time.Time // when full buckets were last removed
	held    map[holding]int
}

// NewGate returns a gate without keys.
func NewGate(plans Plans) *Gate {
	g := &Gate{buckets: map[Bucket]*bucket{}, held: map[holding]int{}}
	g.plans.Store(&plans)
	g.keys.Store(&map[[sha256.Size]byte]*Key{})
	return g
}

// Plans returns all plans.
func (g *Gate) Plans() Plans { return *g.plans.Load() }

// SetPlans replaces the plans.
func (g *Gate) SetPlans(plans Plans) { g.plans.Store(&plans) }

// Plan returns the plan of a key, or the smallest shipped plan if the key's plan no longer
// exists.
func (g *Gate) Plan(key *Key) Plan {
	if plan, ok := (*g.plans.Load())[key.Plan]; ok {
		return plan
	}
	return ShippedPlans()["test"]
}

// Replace replaces the keys of the gate. It leaves out revoked ones.
func (g *Gate) Replace(keys []*Key) {
	live := make(map[[sha256.Size]byte]*Key, len(keys))
	for _, k := range keys {
		if sum, ok := k.sum(); ok && k.RevokedAt == nil {
			live[sum] = k
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
	return g.current((*g.keys.Load())[Secret(secret).sum()])
}

// ByID returns the live key with this id, or a problem as Authenticate does.
// Callers must first verify a token that stands for the secret.
func (g *Gate) ByID(id string) (*Key, error) {
	var found *Key
	for _, key := range *g.keys.Load() { // there are few keys, and this is rarely called
		if key.ID == id {
			found = key
		}
	}
	return g.current(found)
}

// current returns the key that a look-up found, or a problem if there is none or the keys are
// not current: the key may have been revoked meanwhile, and a missing key may exist.
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
func (g *Gate) Alive(key *Key) bool {
	sum, ok := key.sum()
	return ok && (*g.keys.Load())[sum] != nil
}

// bucket returns the key's bucket of a sort, sized by its plan and filled. The caller must
// hold g.mu.
func (g *Gate) bucket(sort Sort, key *Key, plan Plan, now time.Time) *bucket {
	size, perSec := float64(plan.Bucket), plan.RefillPerSec
	if sort == ofWork {
		size, perSec = float64(plan.Work), plan.WorkPerSec
	}
	n := g.shared.parts()
	name := Bucket{key.ID, sort}
	b := g.buckets[name]
	if b == nil {
		b = &bucket{name: name, size: size / n, perSec: perSec / n, level: size / n, at: now}
		if g.shared.leases {
			b.lease = &lease{}
		}
		g.buckets[name] = b
		return b
	}
	b.fill(now)
	b.resize(size/n, perSec/n, now)
	return b
}

// forgetEvery is how often full buckets are removed, since their keys may be gone.
const forgetEvery = time.Minute

// forget removes buckets that are like new ones.
func (g *Gate) forget(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.forgot) < forgetEvery {
		return
	}
	g.forgot = now
	maps.DeleteFunc(g.buckets, func(_ Bucket, b *bucket) bool { b.fill(now); return b.full() })
}
