package access_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
)

// costly is a gate on whose plan a key may ask for work of 1,000, and of 100 each second.
func costly() (*access.Gate, *access.Key) {
	return access.NewGate(access.Plans{"p": {Bucket: 100, RefillPerSec: 100, Work: 1000, WorkPerSec: 100}}), key("k", "x", "p")
}

func TestBucketOfWork(t *testing.T) {
	gate, k := costly()
	for _, c := range []struct {
		name string
		got  access.Work
		want access.Work
	}{
		{"a part", gate.Spend(context.Background(), k, 400, at(0)), access.Work{Allowed: true, Left: 600}},
		{"too much takes nothing", gate.Spend(context.Background(), k, 601, at(0)), access.Work{Left: 600, RetryAfter: 1}},
		{"far too much", gate.Spend(context.Background(), k, 1000, at(0)), access.Work{Left: 600, RetryAfter: 4}},
		{"the rest", gate.Spend(context.Background(), k, 600, at(0)), access.Work{Allowed: true, Left: 0}},
		{"what has come back", gate.Spend(context.Background(), k, 100, at(1)), access.Work{Allowed: true, Left: 0}},
		{"a debt", gate.Debit(k, 250, at(1)), access.Work{Allowed: true, Left: 0, Debt: 2500 * time.Millisecond}},
		{"while it is owed", gate.Spend(context.Background(), k, 1, at(2)),
			access.Work{Left: 0, RetryAfter: 2, Debt: 1500 * time.Millisecond}},
		{"paid back", gate.Spend(context.Background(), k, 100, at(4.5)), access.Work{Allowed: true, Left: 0}},
		{"given back", gate.Debit(k, -70, at(4.5)), access.Work{Allowed: true, Left: 70}},
		{"never more than the bucket", gate.Spend(context.Background(), k, 0, at(1000)), access.Work{Allowed: true, Left: 1000}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
	unlimited := key("u", "x", "internal")
	gate.SetPlans(access.ShippedPlans())
	for range 3 {
		if w := gate.Spend(context.Background(), unlimited, 1<<40, at(0)); !w.Allowed || w.Left != access.NoLimit {
			t.Errorf("a plan without limits: %+v", w)
		}
	}
	if text, _ := json.Marshal([]access.Left{access.NoLimit, 0, 12}); string(text) != `[null,0,12]` {
		t.Errorf("written as %s", text)
	}
}

// A request takes what the least one costs; a refused one takes no token.
func TestRequestsTakeWork(t *testing.T) {
	gate, k := costly()
	for i := range 3 {
		if a := gate.Take(context.Background(), k, at(0)); !a.Allowed || a.Remaining != 99-i {
			t.Fatalf("request %d: %+v", i+1, a)
		}
	}
	if a := gate.Take(context.Background(), k, at(0)); a.Allowed || !a.TooCostly || a.RetryAfter != 2 || a.Limit != 100 {
		t.Errorf("without work left: %+v", a)
	}
	if a := gate.Take(context.Background(), k, at(2)); !a.Allowed || a.Remaining != 99 {
		t.Errorf("after that: %+v", a)
	}
}

func TestChargeWaitsForTheDebt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, k := costly()
		began := time.Now()
		if err := gate.DebitAndWait(t.Context(), k, 900); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if err := gate.DebitAndWait(t.Context(), k, 400); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := gate.DebitAndWait(ctx, k, 400); err == nil || time.Since(began) != 4*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestKeysHoldSoMany(t *testing.T) {
	gate := access.NewGate(access.Plans{"p": {Connections: 2, Streams: 1}})
	a, b := key("a", "x", "p"), key("b", "y", "p")
	first, _, ok := gate.Hold(a, access.Connections)
	_, _, second := gate.Hold(a, access.Connections)
	_, limit, third := gate.Hold(a, access.Connections)
	_, _, others := gate.Hold(b, access.Connections)
	_, _, stream := gate.Hold(a, access.Subscriptions)
	if !ok || !second || third || limit != 2 || !others || !stream {
		t.Error(ok, second, third, limit, others, stream)
	}
	first()
	first() // counts once
	if _, _, ok := gate.Hold(a, access.Connections); !ok {
		t.Error("one that was given back is not there")
	}
	if _, _, ok := gate.Hold(a, access.Connections); ok {
		t.Error("given back twice")
	}
}

func TestTakingWorkAllocatesNothing(t *testing.T) {
	gate, k := costly()
	gate.Take(context.Background(), k, at(0))
	i := 0.0
	if n := testing.AllocsPerRun(100, func() {
		i += 10
		gate.Take(context.Background(), k, at(i))
		gate.Spend(context.Background(), k, 5, at(i))
		gate.Debit(k, 5, at(i))
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
