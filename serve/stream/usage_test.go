package stream_test

import (
	"context"
	"testing"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// metered gives the sockets of a fixture a meter with a quota; 0: none.
func (s *socketFixture) metered(quota int64) *usage.Meter {
	m := usage.NewMeter("one", s.store, func(*access.Key) access.Plan {
		return access.Plan{UnitsPerMonth: quota}
	}, func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") })
	s.sockets.Meter = m
	return m
}

// usedBy stores what was counted and returns the units of each operation.
func (s *socketFixture) usedBy(m *usage.Meter) map[string]int64 {
	s.t.Helper()
	need.NoError(s.t, m.Flush(context.Background()))
	day := value.MustDate("2026-03-18")
	rows, err := s.store.Usage(context.Background(), "", day, day)
	need.NoError(s.t, err)
	units := map[string]int64{}
	for _, r := range rows {
		units[r.Operation] += r.Units
	}
	return units
}

// MT-03, MT-06: a unit for the connection, and one for each disclosure that is delivered,
// live or replayed; nothing for what else is said, or for a client without a key.
func TestUsageOfAStream(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA), filing(2, kap.ODA), filing(3, kap.FR))
	m := s.metered(0)
	nobody := s.dial()
	nobody.say(`{"action":"auth","api_key":"piyasa_live_nobody"}`)
	nobody.hears("close 4401 invalid_key")
	c := s.join()
	c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
	c.hears("subscribed [type:ODA] []", "R1", "R2", "replay_done 2 false")
	s.put(false, filing(4, kap.ODA), filing(5, kap.FR), filing(6, kap.ODA))
	c.hears("L4", "L6")
	c.say(`{"action":"ping"}`)
	c.hears("pong")
	c.say(`{"action":"unsubscribe","ids":["type:ODA"]}`) // unlike a pong, it is answered by what counts
	c.hears("unsubscribed [type:ODA]")
	got := s.usedBy(m)
	over := s.sockets.Traffic(stream.TransportSocket)
	// the fixture serves the channel at /
	if got["/"] != 1 || got["/:events"] != 4 || len(got) != 2 || over.Delivered() != 4 || over.Replays() != 1 || over.Open() < 1 {
		t.Error(got, over.Delivered(), over.Replays(), over.Open())
	}
}

// G-18: a stream ends with an error when the quota is used up, and nothing is delivered
// that was not paid for.
func TestStreamEndsWithItsQuota(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA), filing(2, kap.ODA), filing(3, kap.ODA))
	m := s.metered(4)
	c := s.join()
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":1}`)
	c.hears("subscribed [all] []", "R2", "R3", "replay_done 3 false")
	s.put(false, filing(4, kap.ODA), filing(5, kap.ODA))
	c.hears("L4", "error quota_exceeded", "close 1013 quota_exceeded")
	if got := s.usedBy(m); got["/"] != 1 || got["/:events"] != 3 {
		t.Error(got)
	}
	late := s.dial()
	late.say(`{"action":"auth","api_key":"` + listener + `"}`)
	late.hears("error quota_exceeded", "close 1013 quota_exceeded")
}
