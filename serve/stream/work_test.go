package stream_test

import (
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/test/fixture"
)

// A client that has the same disclosures replayed again and again pays for it, and waits
// when it owes; each replay comes, whole and in order.
func TestReplaysAreCharged(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA), filing(2, kap.ODA), filing(3, kap.FR))
	s.gate.SetPlans(access.Plans{"pro": {Bucket: 10, RefillPerSec: 10, Work: 1000, WorkPerSec: 1000}})
	c := s.join()
	began := time.Now()
	for range 5 {
		c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":0}`)
		c.hears("subscribed [all] []", "R1", "R2", "R3", "replay_done 3 false")
	}
	if took, least := time.Since(began), 500*time.Millisecond; took < least { // 5 × (300 + 3 × 5), of which 1,000 were there
		t.Errorf("five replays took %s, want %s at least", took, least)
	}
}

// Live frames are charged, too, but never wait.
func TestLiveFramesAreCharged(t *testing.T) {
	s := newSocketFixture(t)
	s.gate.SetPlans(access.Plans{"pro": {Bucket: 10, RefillPerSec: 10, Work: 1000, WorkPerSec: 0.001}})
	c := s.join()
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [all] []")
	s.put(false, filing(1, kap.ODA), filing(2, kap.ODA))
	c.hears("L1", "L2")
	fixture.Eventually(t, "both to be charged", func() bool {
		return s.gate.Spend(t.Context(), &access.Key{ID: listener, Plan: "pro"}, 0, time.Now()).Left == 1000-access.BaseCost-2
	})
}
