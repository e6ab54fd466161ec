package db_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture"
)

// woken waits for a wake-up.
func woken(t *testing.T, s *db.Store, within time.Duration) {
	t.Helper()
	select {
	case <-s.Wake():
	case <-time.After(within):
		t.Fatalf("not woken within %s", within)
	}
}

// asleep checks that no wake-up waits.
func asleep(t *testing.T, s *db.Store) {
	t.Helper()
	select {
	case <-s.Wake():
		t.Fatal("woken although nothing changed")
	default:
	}
}

// The Store that stores wakes its own follower, and only for a change.
func TestStoreWakesItself(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		asleep(t, s)
		for _, last := range []string{"1", "2", "3"} {
			put(t, s, price("bist:THYAO", t1, last))
			put(t, s, price("bist:AKBNK", t1, last)) // a second one does not block
			woken(t, s, time.Second)
			asleep(t, s)
			put(t, s, price("bist:THYAO", t1, last))
			asleep(t, s)
		}
		put(t, s) // an empty batch
		asleep(t, s)
		put(t, s, price("bist:THYAO", "2020-01-01T00:00:00Z", "1")) // stale: no quote, but a bar
		woken(t, s, time.Second)
		if poll := s.PollInterval(); poll <= 0 || poll > time.Second {
			t.Errorf("a follower looks every %s", poll)
		}
	})
}

// On Postgres another process is woken at once, also after its connection was
// lost.
func TestOtherProcessesWake(t *testing.T) {
	url := dbtest.PostgresURL(t)
	writer, reader, raw := open(t, url), open(t, url), dbtest.Raw(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		reader.Listen(ctx)
	}()
	woken(t, reader, patience) // it listens now, and something may have moved before
	first := listener(t, raw, 0)

	put(t, writer, price("bist:THYAO", t1, "1"))
	woken(t, reader, time.Second)
	put(t, writer, price("bist:THYAO", t1, "1"))
	put(t, writer, stock("THYAO"))
	woken(t, reader, time.Second)
	asleep(t, reader)

	if _, err := raw.Exec("SELECT pg_terminate_backend($1)", first); err != nil {
		t.Fatal(err)
	}
	put(t, writer, price("bist:THYAO", t1, "2")) // while nobody listens
	woken(t, reader, patience)                   // at the latest when it listens again
	listener(t, raw, first)
	for _, last := range []string{"3", "4", "5"} { // the first may find a wake-up of the new connection
		put(t, writer, price("bist:THYAO", t1, last))
		woken(t, reader, time.Second)
	}

	cancel()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("Listen outlives its context")
	}
}

// listener waits for a process of the server, other than not, that listens.
func listener(t *testing.T, raw *sql.DB, not int) (pid int) {
	t.Helper()
	fixture.Eventually(t, "a process that listens", func() bool {
		return raw.QueryRow("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query LIKE "+
			"'%transaction_read_only''), feed, seq FROM heads') AND pid <> $1", not).Scan(&pid) == nil
	})
	return pid
}

// On SQLite what others store wakes, until the context ends.
func TestListenOnSQLite(t *testing.T) {
	url := "sqlite:" + t.TempDir() + "/piyasa.db"
	writer, reader := open(t, url), open(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		reader.Listen(ctx)
	}()
	for _, last := range []string{"1", "2", "3"} {
		put(t, writer, price("bist:THYAO", t1, last))
		woken(t, reader, patience)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("Listen outlives its context")
	}
}
