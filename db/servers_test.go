package db_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// wanting asks for tokens of the bucket of a key, of 100 tokens and 10 a second.
func wanting(key string, need, want, owed float64) access.Ask {
	return access.Ask{Bucket: access.Bucket{KeyID: key, Sort: "requests"}, Size: 100, PerSec: 10, Need: need, Want: want, Owed: owed}
}

func leased(t *testing.T, s *db.Store, asks ...access.Ask) []access.Grant {
	t.Helper()
	grants, err := s.LeaseTokens(t.Context(), asks)
	if err != nil || len(grants) != len(asks) {
		t.Fatal(grants, err)
	}
	return grants
}

func TestTokensAreLeased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		began := time.Now()
		for i, c := range []struct {
			ask           access.Ask
			granted, left float64
		}{
			{wanting("a", 1, 5, 0), 5, 95},
			{wanting("a", 1, 5, 40), 5, 50},
			{wanting("a", 80, 90, 0), 0, 50},
			{wanting("a", 0, 0, -20), 0, 70},
			{wanting("a", 1, 900, 0), 70, 0},
			{wanting("a", 0, 2, 30), 0, -30},
			{wanting("b", 101, 101, 0), 0, 100},
			{wanting("b", 1, 1, -50), 1, 99},
			{wanting("c", 1, 1, 250), 0, -150},
			{wanting("d", 1.5, 1.5, 0), 1.5, 98.5},
		} {
			got := leased(t, s, c.ask)[0]
			come := 10 * time.Since(began).Seconds()
			if got.Tokens < c.granted || got.Tokens > c.granted+come || got.Left < c.left-1e-6 || got.Left > c.left+come {
				t.Errorf("%d: %+v, want %v, %v", i, got, c.granted, c.left)
			}
		}
		time.Sleep(300 * time.Millisecond) // for something to come back
		if got := leased(t, s, wanting("b", 0, 0, 0), wanting("c", 0, 0, 0)); got[0].Left != 100 || got[1].Left < -148 {
			t.Errorf("%+v", got)
		}
		if got := leased(t, s, access.Ask{Bucket: access.Bucket{KeyID: "huge"}, Size: 1e15, PerSec: 1e9, Want: 1}); got[0].Tokens != 1 {
			t.Errorf("%+v", got)
		}
		time.Sleep(time.Millisecond)
		if got := leased(t, s, access.Ask{Bucket: access.Bucket{KeyID: "huge"}, Size: 1e15, PerSec: 1e9, Want: 1}); got[0].Tokens != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// However many servers lease at once, all tokens are given once.
func TestTokensAreLeasedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		stores := []*db.Store{open(t, url), open(t, url), open(t, url)}
		var mu sync.Mutex
		var all sync.WaitGroup
		given := map[string]float64{}
		for _, s := range stores {
			for range 3 {
				all.Go(func() {
					for range 20 {
						asks := []access.Ask{wanting("a", 1, 2, 0), wanting("b", 1, 3, 0)}
						for i := range asks {
							asks[i].PerSec = 1e-9
						}
						grants, err := s.LeaseTokens(t.Context(), asks)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						given["a"] += grants[0].Tokens
						given["b"] += grants[1].Tokens
						mu.Unlock()
					}
				})
			}
		}
		all.Wait()
		if math.Abs(given["a"]-100) > 1 || math.Abs(given["b"]-100) > 1 {
			t.Errorf("%v", given)
		}
	})
}

func TestServersKnowEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, other := open(t, url), open(t, url)
		must := func(err error) {
			t.Helper()
			need.NoError(t, err)
		}
		others := func(s *db.Store, id string) string {
			t.Helper()
			found, err := s.OtherServers(t.Context(), id)
			must(err)
			return fmt.Sprint(found)
		}
		leased(t, s, wanting("a", 50, 50, 0))
		a := access.Server{ID: "a", Machine: "m", PID: 7}
		found, err := s.JoinServers(t.Context(), a)
		if err != nil || len(found) != 0 || others(other, "b") != "[{a m 7 false}]" || others(s, "a") != "[]" {
			t.Fatal(found, err, others(other, "b"))
		}
		if got := leased(t, s, wanting("a", 0, 0, 0)); got[0].Left != 100 {
			t.Errorf("%+v is left of earlier servers", got)
		}
		found, err = other.JoinServers(t.Context(), access.Server{ID: "b", Machine: "n", PID: 8})
		if err != nil || fmt.Sprint(found) != "[{a m 7 false}]" || others(s, "a") != "[{b n 8 true}]" {
			t.Fatal(found, err, others(s, "a"))
		}
		must(s.ShareBuckets(t.Context(), "a", []access.Ask{wanting("a", 0, 0, 60)}))
		if got := leased(t, other, wanting("a", 0, 0, 0))[0].Left; others(other, "b") != "[{a m 7 true}]" || got < 40 || got > 60 {
			t.Error(others(other, "b"), got)
		}
		if _, alone, err := s.PartFromBuckets(t.Context(), "a", nil); alone || err != nil {
			t.Error(alone, err)
		}
		must(other.LeaveServers(t.Context(), "b"))
		grants, alone, err := s.PartFromBuckets(t.Context(), "a", []access.Ask{wanting("a", 0, 0, 5)})
		if err != nil || !alone || len(grants) != 1 || grants[0].Left > 60 || others(other, "b") != "[{a m 7 false}]" {
			t.Error(grants, alone, err, others(other, "b"))
		}
		long := fmt.Sprint(time.Now().Add(-access.ServerGone - time.Second).UnixMicro())
		if _, err := dbtest.Raw(t, url).Exec("UPDATE servers SET seen = " + long); err != nil {
			t.Fatal(err)
		}
		if got := others(other, "b"); got != "[]" {
			t.Error(got)
		}
		a.Shares = true
		must(s.SeeServer(t.Context(), a)) // it had only been slow
		if got := others(other, "b"); got != "[{a m 7 true}]" {
			t.Error(got)
		}
	})
}

// Of two servers that start at once, one knows of the other.
func TestServersJoinAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, other := open(t, url), open(t, url)
		for i := range 10 {
			var both sync.WaitGroup
			var alone [2]bool
			for n, s := range []*db.Store{s, other} {
				both.Go(func() {
					others, err := s.JoinServers(t.Context(), access.Server{ID: fmt.Sprint(i, n)})
					if alone[n] = len(others) == 0; err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
			if alone[0] == alone[1] {
				t.Fatal("both or none are alone", alone)
			}
			for n := range 2 {
				need.NoError(t, s.LeaveServers(t.Context(), fmt.Sprint(i, n)))
			}
		}
	})
}

// The cost of a fiftieth of a bucket, beside another server.
func BenchmarkLease(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		for b.Loop() {
			if _, err := s.LeaseTokens(b.Context(), []access.Ask{wanting("a", 0, 2, 0)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
