package access_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
)

// A second, simple bucket in whole numbers, to compare the gate with, with whole numbers: tokens in thousandths, time in
// milliseconds.
func TestAnyTraffic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := access.Plan{Bucket: rapid.IntRange(1, 50).Draw(t, "bucket")}
		refill := rapid.IntRange(1, 20).Draw(t, "refill")
		plan.RefillPerSec = float64(refill)
		gate := access.NewGate(access.Plans{"p": plan})
		k := key("k", "x", "p")
		now := at(0)
		full := plan.Bucket * 1000
		tokens := full
		take := func(pause int) (got, want access.Allowance) {
			now = now.Add(time.Duration(pause) * time.Millisecond)
			tokens = min(full, tokens+pause*refill)
			want = access.Allowance{Allowed: tokens >= 1000, Limit: plan.Bucket}
			if want.Allowed {
				tokens -= 1000
				want.Remaining = tokens / 1000
			} else {
				want.RetryAfter = 1 // at least one token comes back each second
			}
			perSecond := 1000 * refill
			want.Reset = (full - tokens + perSecond - 1) / perSecond
			return gate.Take(context.Background(), k, now), want
		}
		var last access.Allowance
		for i, pause := range rapid.SliceOfN(rapid.OneOf(rapid.Just(0), rapid.SampledFrom([]int{100, 200, 300, 700}),
			rapid.IntRange(0, 3000)), 1, 120).Draw(t, "pauses") {
			got, want := take(pause)
			if got != want {
				t.Fatalf("request %d: %+v, want %+v", i+1, got, want)
			}
			last = got
		}
		// RL-03: after that time one call passes; and after Reset the bucket is full.
		if !last.Allowed {
			if got, _ := take(last.RetryAfter * 1000); !got.Allowed {
				t.Fatalf("after Retry-After of %+v: %+v", last, got)
			}
			return
		}
		if got, _ := take(last.Reset * 1000); got.Remaining != plan.Bucket-1 {
			t.Fatalf("after Reset of %+v: %+v", last, got)
		}
	})
}
