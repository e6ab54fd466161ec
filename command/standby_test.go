package command_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/db/dbtest"
)

// keysDieWithin is the documented time after which a revoked key works nowhere.
const keysDieWithin = 10 * time.Second

// A gateway serves from a standby: it waits until another process has prepared the
// primary, writes nothing, and shows its lag. A key revoked on the primary dies in the
// documented time, whether the standby replays that or not.
func TestServeFromStandby(t *testing.T) {
	t.Parallel()
	pair := dbtest.StartPair(t, false)
	prepared := make(chan result)
	migrating := time.AfterFunc(1500*time.Millisecond, func() { prepared <- run(t, pair.Primary.URL, "", nil, "migrate") })
	defer migrating.Stop()
	alone := start(t, pair.Standby.URL, "PIYASA_MAX_LAG=3s")
	if res := <-prepared; res.status != 0 {
		t.Fatalf("%+v", res)
	}
	if said := alone.stderr.String(); strings.Count(said, "waiting for the database") != 1 || !strings.Contains(said, "piyasa migrate") {
		t.Errorf("said: %s", said)
	}
	probing := start(t, pair.Standby.URL, "PIYASA_MAX_LAG=3s", "PIYASA_DATABASE_WRITE="+pair.Primary.URL)
	key, _ := newKey(t, pair.Primary.URL, "--scopes", "quotes:bist,kap")
	going, goingID := newKey(t, pair.Primary.URL, "--scopes", "quotes:bist")
	paused, pausedID := newKey(t, pair.Primary.URL, "--scopes", "quotes:bist")
	if res := run(t, pair.Primary.URL, first+instrument, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	if res := run(t, pair.Standby.URL, "", nil, "keys", "list"); res.status != 0 || !strings.Contains(res.stdout, goingID) {
		t.Errorf("keys list: %+v", res)
	}
	if res := run(t, pair.Standby.URL, "", nil, "keys", "revoke", goingID); res.status != 1 || !strings.Contains(res.err, "read only") {
		t.Errorf("keys revoke on a standby: %+v", res)
	}
	revoke := func(id string) time.Time {
		t.Helper()
		if res := run(t, pair.Primary.URL, "", nil, "keys", "revoke", id); res.status != 0 {
			t.Fatalf("%+v", res)
		}
		return time.Now()
	}
	answers := func(s *service, key string, want int) func() bool {
		return func() bool {
			status, _ := s.get("/v1/quotes/bist:DMOST", key)
			return status == want
		}
	}
	both := []*service{alone, probing}
	for _, s := range both {
		s.eventually(deadline, "the quote is served", answers(s, key, 200))
		s.eventually(deadline, "the key is there", answers(s, paused, 200))
		s.eventually(deadline, "it is ready", func() bool {
			status, body := s.get("/readyz", "")
			lag, ok := body["lag_seconds"].(float64)
			return status == 200 && ok && lag < 3
		})
		if n := strings.Count(s.stderr.String(), "cannot write"); n > 1 {
			t.Errorf("said %d times that it cannot write", n)
		}
	}

	at := revoke(goingID)
	for _, s := range both {
		s.eventually(time.Until(at.Add(keysDieWithin)), "the revoked key is refused", answers(s, going, 401))
	}

	pair.Standby.Do("SELECT pg_wal_replay_pause()")
	at = revoke(pausedID)
	for _, s := range both {
		s.eventually(time.Until(at.Add(keysDieWithin)), "it is not ready", func() bool {
			status, body := s.get("/readyz", "")
			return status == 503 && strings.Contains(fmt.Sprint(body["reason"]), "3s behind")
		})
		if _, heard := s.listens(key); heard["close"] != 1013 {
			t.Errorf("a new stream hears %v", heard)
		}
	}
	for _, s := range both {
		s.eventually(time.Until(at.Add(keysDieWithin+time.Second)), "keys are not known", answers(s, paused, http.StatusServiceUnavailable))
	}
	pair.Standby.Do("SELECT pg_wal_replay_resume()")
	for _, s := range both {
		s.eventually(deadline, "the revoked key is refused", answers(s, paused, 401))
		s.eventually(deadline, "the other one is not", answers(s, key, 200))
		if status := s.stop(os.Interrupt); status != 0 {
			t.Errorf("exit status %d\n%s", status, s.stderr)
		}
	}
}

// When the primary dies and its standby is promoted, a running server follows it, and what
// is stored there reaches an open stream.
func TestServeThroughFailover(t *testing.T) {
	t.Parallel()
	pair := dbtest.StartPair(t, true)
	address := dbtest.Hosts(t, pair.Primary.URL, pair.Standby.URL)
	key, _ := newKey(t, address, "--scopes", "kap,quotes:bist")
	if res := run(t, address, first+instrument, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	s := start(t, address)
	prefers := start(t, dbtest.With(address, "target_session_attrs=prefer-standby"))
	pair.Primary.Kill()
	pair.Standby.Promote()
	began := time.Now()
	if res := run(t, address, strings.NewReplacer("11:45", "11:50", "305.20", "306.40").Replace(first), nil, "ingest",
		"-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	more, _ := newKey(t, address, "--scopes", "quotes:bist")
	for _, s := range []*service{s, prefers} {
		s.eventually(deadline, "what is stored on the new primary is served", func() bool {
			status, quote := s.get("/v1/quotes/bist:DMOST", more)
			return status == 200 && strings.Contains(fmt.Sprint(quote), "306.40")
		})
		s.eventually(deadline, "it is ready", func() bool {
			status, _ := s.get("/readyz", "")
			return status == 200
		})
		s.eventually(deadline, "a list is answered", func() bool { // its first connection may still be one to the old primary
			status, _ := s.get("/v1/kap-feed/disclosures", key)
			return status == 200
		})
	}
	if took := time.Since(began); took > 45*time.Second {
		t.Errorf("it took %s", took)
	}
	if status := s.stop(syscall.SIGTERM); status != 0 {
		t.Errorf("exit status %d\n%s", status, s.stderr)
	}
}

// Wrong addresses and settings of hosts are usage errors.
func TestHostSettingsAreChecked(t *testing.T) {
	res := run(t, "sqlite:"+t.TempDir()+"/piyasa.db", "", []string{
		"PIYASA_DATABASE_WRITE=postgres://127.0.0.1/piyasa", "PIYASA_DATABASE_POOLING=statement", "PIYASA_DATABASE_WRITE_POOLING=x",
		"PIYASA_MAX_LAG=1s",
	}, "serve")
	for _, name := range []string{"PIYASA_DATABASE_WRITE:", "PIYASA_DATABASE_POOLING", "PIYASA_DATABASE_WRITE_POOLING", "PIYASA_MAX_LAG"} {
		if res.status != 2 || strings.Count(res.err, name) != 1 {
			t.Errorf("%s: %d %s", name, res.status, res.err)
		}
	}
}
