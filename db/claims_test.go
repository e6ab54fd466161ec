package db_test

import (
	"encoding/json"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A source is claimed by one at a time, until the claim ends. One that ends too late is of a
// clock that was fast, and holds nothing.
func TestClaims(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		claim := func(holder string) bool {
			t.Helper()
			_, claimed, err := s.ClaimSource(background, "fx", holder, time.Minute)
			need.NoError(t, err)
			return claimed
		}
		for range 2 {
			if !claim("one") {
				t.Error("a claim is not had again by its holder")
			}
		}
		if claim("two") {
			t.Error("a claim does not hold")
		}
		raw := dbtest.Raw(t, url)
		if _, err := raw.ExecContext(background, "UPDATE collectors SET until = until + 86400000000"); err != nil {
			t.Fatal(err)
		}
		if !claim("two") || claim("one") {
			t.Error("a claim of tomorrow holds")
		}
		if err := s.ReleaseSource(background, "fx", "two"); err != nil || !claim("one") {
			t.Error("a claim is not released", err)
		}
	})
}

// What a clock said of tomorrow, before it was put right, does not outlive what is said
// since. Clocks that lie a little apart do not matter.
func TestStatesOfAFastClock(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		now := value.MustInstant("2026-03-18T10:00:00Z")
		say := func(clock, at value.Instant, done string) db.Result {
			t.Helper()
			b, out := &db.Batch{Horizon: clock.Add(value.Horizon)}, make([]db.Outcome, 2)
			db.Put(b, &market.SourceState{Source: "fx", State: json.RawMessage(done), AsOf: at}, &out[0])
			db.Put(b, &market.SourceStatus{Source: "fx", Up: done == "2", AsOf: at, Error: &done}, &out[1])
			need.NoError(t, s.Store(background, b))
			if out[0].Result != out[1].Result {
				t.Errorf("the state is %d, the status %d", out[0].Result, out[1].Result)
			}
			return out[0].Result
		}
		fast := now.Add(12 * time.Hour)
		if say(fast, fast, "1") != db.Stored || say(now, now, "2") != db.Stored || say(now, now.Add(-time.Second), "3") != db.Stale {
			t.Error("a state of tomorrow stays")
		}
		if say(now, now.Add(5*time.Second), "4") != db.Stored || say(now, now, "5") != db.Stale {
			t.Error("clocks a little apart matter")
		}
	})
}
