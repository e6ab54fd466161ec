package access_test

import (
	"sync"
	"testing"

	"piyasa/access"
)

func TestPlansFileHoldsOneObject(t *testing.T) {
	for _, file := range []string{`{} {"basic": {"bucket": 1, "refill_per_second": 1}}`, `{"a": {"bucket": 1, "refill_per_second": 1}} x`, `null`} {
		if _, err := access.ShippedPlans().With([]byte(file)); err == nil {
			t.Errorf("%s passes", file)
		}
	}
}

func TestPlanOfAKeyChanges(t *testing.T) {
	gate := access.NewGate(access.ShippedPlans())
	gate.Take(key("key_a", "x", "test"), at(0))
	gate.Take(key("key_a", "x", "pro"), at(1))
	for i := range 200 {
		if a := gate.Take(key("key_a", "x", "pro"), at(3600)); !a.Allowed || a.Limit != 240 {
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
				a := gate.Take(k, at(0))
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
