package db_test

import (
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// A standby is up to date while it replays what the primary stores, idle or not, and falls
// behind from the moment on as of which it lacks something, or can no longer know that it
// does not: whether the primary shows it, or only replication.
func TestLag(t *testing.T) {
	t.Parallel()
	pair := dbtest.StartPair(t, false)
	writer := open(t, pair.Primary.URL)
	pair.Standby.Wait("SELECT count(*) = 1 FROM secrets")
	stores := map[string]*db.Store{
		"replication": openToRead(t, pair.Standby.URL),
		"primary":     openToRead(t, pair.Standby.URL, db.WriteTo(pair.Primary.URL, db.PoolSessions)),
		"both hosts": openToRead(t, dbtest.With(dbtest.Hosts(t, pair.Primary.URL, pair.Standby.URL),
			"target_session_attrs=prefer-standby")),
	}
	for _, s := range stores {
		go s.Listen(t.Context())
	}
	lagging := func(what string, is func(behind time.Duration) bool) {
		t.Helper()
		for name, s := range stores {
			fixture.Eventually(t, what+", by "+name, func() bool {
				m, err := s.Look(t.Context())
				return err == nil && is(time.Since(m.AsOf))
			})
		}
	}
	fresh := func(behind time.Duration) bool { return behind < 1500*time.Millisecond }
	old := func(behind time.Duration) bool { return behind > 2500*time.Millisecond }
	stays := func() { // up to date though nothing is stored
		t.Helper()
		for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			for name, s := range stores {
				if m, err := s.Look(t.Context()); err != nil || old(time.Since(m.AsOf)) {
					t.Fatalf("idle, by %s: %s behind, %v", name, time.Since(m.AsOf), err)
				}
			}
		}
	}
	lagging("up to date", fresh)
	stays()

	pair.Standby.Do("SELECT pg_wal_replay_pause()")
	put(t, writer, price("bist:THYAO", t1, "1"))
	lagging("behind while replay is paused", old)
	pair.Standby.Do("SELECT pg_wal_replay_resume()")
	lagging("up to date again", fresh)

	pair.Primary.Kill()
	lagging("behind without a primary", old)
	pair.Primary.Start()
	lagging("up to date with the primary", fresh)

	pair.Primary.Kill()
	pair.Standby.Promote()
	delete(stores, "primary") // whose address to write to leads nowhere now
	lagging("up to date by itself", fresh)
}
