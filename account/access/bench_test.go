package access_test

import (
	"testing"
	"time"

	"piyasa/account/access"
)

// The cost that every request of a server has that is alone, and of one that shares.
func BenchmarkTake(b *testing.B) {
	gate := access.NewGate(access.ShippedPlans())
	k := key("k", "x", "enterprise")
	b.ReportAllocs()
	for now := at(0); b.Loop(); now = now.Add(time.Second) {
		if !gate.Take(b.Context(), k, now).Allowed {
			b.Fatal("refused")
		}
	}
}
