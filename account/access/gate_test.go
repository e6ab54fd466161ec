package access_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// at is the moment so many seconds after the tests began.
func at(seconds float64) time.Time {
	return time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// key is a live key with this secret.
func key(id, secret, plan string) *access.Key {
	return &access.Key{ID: id, Hash: access.Secret(secret).Hash(), Plan: plan, Scopes: []access.Scope{access.FX}}
}

// V-132: 60 tokens, 2 a second.
func TestTokenBucket(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	k := key("key_a", "secret", "basic")
	var burst []access.Allowance
	for range 61 {
		burst = append(burst, gate.Take(context.Background(), k, at(0)))
	}
	for _, c := range []struct {
		name      string
		got, want access.Allowance
	}{
		{"first", burst[0], access.Allowance{Allowed: true, Limit: 60, Remaining: 59, Reset: 1}},
		{"second", burst[1], access.Allowance{Allowed: true, Limit: 60, Remaining: 58, Reset: 1}},
		{"third", burst[2], access.Allowance{Allowed: true, Limit: 60, Remaining: 57, Reset: 2}},
		{"sixtieth", burst[59], access.Allowance{Allowed: true, Limit: 60, Remaining: 0, Reset: 30}},
		{"sixty-first", burst[60], access.Allowance{Limit: 60, Remaining: 0, Reset: 30, RetryAfter: 1}},
		{"after 1 s", gate.Take(context.Background(), k, at(1)), access.Allowance{Allowed: true, Limit: 60, Remaining: 1, Reset: 30}},
		{"the other one", gate.Take(context.Background(), k, at(1)), access.Allowance{Allowed: true, Limit: 60, Remaining: 0, Reset: 30}},
		{"too early", gate.Take(context.Background(), k, at(1.4)), access.Allowance{Limit: 60, Remaining: 0, Reset: 30, RetryAfter: 1}},
		{"early refusals cost nothing", gate.Take(context.Background(), k, at(1.5)),
			access.Allowance{Allowed: true, Limit: 60, Remaining: 0, Reset: 30}},
		{"full again, never fuller", gate.Take(context.Background(), k, at(3600)),
			access.Allowance{Allowed: true, Limit: 60, Remaining: 59, Reset: 1}},
		{"a clock that goes back", gate.Take(context.Background(), k, at(3599)),
			access.Allowance{Allowed: true, Limit: 60, Remaining: 58, Reset: 1}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

// RL-01: each key has its own bucket; the same key has one, however often
// it is read from the store.
func TestBucketPerKey(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	for range 30 {
		gate.Take(context.Background(), key("key_a", "x", "test"), at(0))
	}
	if a := gate.Take(context.Background(), key("key_a", "rotated", "test"), at(0)); a.Allowed {
		t.Errorf("a new copy of the key has a new bucket: %+v", a)
	}
	if b := gate.Take(context.Background(), key("key_b", "x", "test"), at(0)); !b.Allowed || b.Remaining != 29 {
		t.Errorf("another key: %+v", b)
	}
}

// G-18: the shipped plans.
func TestPlansOfKeys(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	for plan, size := range map[string]int{"test": 30, "basic": 60, "pro": 240, "enterprise": 1200, "gone": 30, "": 30} {
		k := key("key_"+plan, "x", plan)
		for i := range size {
			if a := gate.Take(context.Background(), k, at(0)); !a.Allowed || a.Limit != size || a.Remaining != size-1-i {
				t.Fatalf("%q, request %d: %+v", plan, i+1, a)
			}
		}
		if a := gate.Take(context.Background(), k, at(0)); a.Allowed || a.RetryAfter != 1 {
			t.Errorf("%q: one more passes: %+v", plan, a)
		}
	}
	if a := access.NewGate(nil).Take(context.Background(), key("k", "x", "basic"), at(0)); !a.Allowed || a.Limit != 30 {
		t.Errorf("a gate without plans: %+v", a)
	}
}

func TestPlanOfAKeyChanges(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	gate.Take(context.Background(), key("key_a", "x", "test"), at(0))
	gate.Take(context.Background(), key("key_a", "x", "pro"), at(1))
	for i := range 200 {
		if a := gate.Take(context.Background(), key("key_a", "x", "pro"), at(3600)); !a.Allowed || a.Limit != 240 {
			t.Fatalf("request %d: %+v", i+1, a)
		}
	}
}

func TestRemainingOfRequestsAtOnce(t *testing.T) { // G-17: left after this request
	gate := access.NewGate(access.ShippedPlans())
	k := key("key_a", "x", "enterprise")
	var mu sync.Mutex
	seen := map[int]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 150 {
				a := gate.Take(context.Background(), k, at(0))
				mu.Lock()
				if seen[a.Remaining] {
					t.Errorf("two requests leave %d", a.Remaining)
				}
				seen[a.Remaining] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// AU-02: missing, unknown and revoked look the same.
func TestAuthenticate(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	live, revoked := key("key_live", "live", "basic"), key("key_revoked", "revoked", "basic")
	empty := key("key_empty", "", "basic") // a hash that no key should have
	revoked.RevokedAt = new(int64(1773834300))
	gate.Replace([]*access.Key{live, revoked, empty})
	if k, err := gate.Authenticate("live"); k != live || err != nil {
		t.Errorf("got %v, %v", k, err)
	}
	var first *problem.Error
	for _, secret := range []string{"", "revoked", "unknown", "liv", "live ", "LIVE", live.Hash, "key_live", "\x00", "\xff"} {
		k, err := gate.Authenticate(secret)
		e, ok := errors.AsType[*problem.Error](err)
		if k != nil || !ok || e.Kind != problem.Unauthenticated || e.Kind.Status() != 401 {
			t.Fatalf("%q: %v, %v", secret, k, err)
		}
		if first == nil {
			first = e
		}
		if fmt.Sprintf("%+v", *e) != fmt.Sprintf("%+v", *first) {
			t.Errorf("%q: %+v, elsewhere %+v", secret, *e, *first)
		}
	}
	if k, err := access.NewGate(nil).Authenticate("live"); k != nil || err == nil {
		t.Error("a new gate knows a key")
	}
}

// A key is revoked, rotated, or given new scopes, and the gate obeys at once.
func TestReplace(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	passes := func(secret string) bool {
		_, err := gate.Authenticate(secret)
		return err == nil
	}
	gate.Replace([]*access.Key{key("key_a", "a", "basic"), key("key_b", "b", "basic")})
	if !passes("a") || !passes("b") {
		t.Error("new keys do not pass")
	}
	revoked := key("key_a", "a", "basic")
	revoked.RevokedAt = new(int64(0))
	gate.Replace([]*access.Key{revoked, key("key_b", "b2", "basic")})
	if passes("a") || passes("b") || !passes("b2") {
		t.Error("a revoked key or an old secret passes, or the new one does not")
	}
	more := key("key_b", "b2", "basic")
	more.Scopes = append(more.Scopes, access.KAP)
	gate.Replace([]*access.Key{more})
	if k, err := gate.Authenticate("b2"); err != nil || !k.Has(access.KAP) {
		t.Errorf("%v, %v", k, err)
	}
	gate.Replace(nil)
	if passes("b2") {
		t.Error("a key that is gone passes")
	}
}

func TestGateIsConcurrent(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	keys := []*access.Key{key("key_a", "a", "pro"), key("key_b", "b", "pro")}
	gate.Replace(keys)
	allowed := make([]int, 4)
	var wg sync.WaitGroup
	for w := range allowed {
		wg.Go(func() {
			for range 200 {
				k, err := gate.Authenticate("a")
				if err != nil {
					t.Error("a key that stays was refused")
					return
				}
				if gate.Take(context.Background(), k, at(0)).Allowed {
					allowed[w]++
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 200 {
			gate.Replace(keys[:1+i%2])
		}
	})
	wg.Wait()
	total := 0
	for _, n := range allowed {
		total += n
	}
	if total != 240 {
		t.Errorf("%d of 800 requests pass a bucket of 240", total)
	}
}

// A live key is found by its id, too.
func TestByID(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	revoked := int64(1)
	kept := &access.Key{ID: "kept", Hash: access.Secret("a").Hash()}
	gate.Replace([]*access.Key{kept, {ID: "gone", Hash: access.Secret("b").Hash(), RevokedAt: &revoked}})
	if key, err := gate.ByID("kept"); key != kept || err != nil {
		t.Errorf("got %v, %v", key, err)
	}
	for _, id := range []string{"gone", "", kept.Hash} {
		if key, err := gate.ByID(id); key != nil || err == nil {
			t.Errorf("%q: got %v, %v", id, key, err)
		}
	}
}
