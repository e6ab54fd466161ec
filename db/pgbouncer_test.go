package db_test

import (
	"strings"
	"sync"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
)

// Through a pooler of transactions everything works but notifications. It keeps no
// settings, so those of the role must be right.
func TestPoolerOfTransactions(t *testing.T) {
	direct := dbtest.HostileURL(t)
	address := dbtest.PgBouncerURL(t, direct, 3)
	raw := dbtest.Raw(t, direct)
	_, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
	if err == nil || !strings.Contains(err.Error(), "ALTER ROLE") {
		t.Errorf("wrong settings: %v", err)
	}
	for setting, is := range map[string]string{
		"array_nulls": "on", "bytea_output": "hex", "transform_null_equals": "off", "default_transaction_isolation": "read committed",
		"lock_timeout": "0", "synchronous_commit": "on",
	} {
		if _, err := raw.Exec("DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET " + setting + " = ''" + is + "'''; END $$"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := raw.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pooler has dropped its connections", func() bool {
		s, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
		if err == nil {
			_ = s.Close()
		}
		return err == nil
	})

	var stores [3]*db.Store
	var all sync.WaitGroup
	for i := range stores {
		all.Go(func() {
			s, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = s.Close() })
			stores[i] = s
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	go stores[0].Listen(t.Context())
	for i, last := range []string{"1.10", "2.0000000000000000000000001", "3"} {
		put(t, stores[i], price("bist:THYAO", t1, last))
		for _, s := range stores {
			shows(t, s, int64(i+1))
			got := quotesAfter(t, s, int64(i))
			if len(got) != 1 || got[0].Last.String() != last {
				t.Errorf("%d quotes", len(got))
			}
		}
	}
	for range 30 { // more than there are connections
		all.Go(func() {
			if _, err := stores[0].Look(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	listens := openToRead(t, address, db.PooledBy(db.PoolTransactions), db.WriteTo(direct, db.PoolSessions))
	go listens.Listen(t.Context())
	woken(t, listens, patience)
	put(t, stores[1], price("bist:THYAO", t1, "4"))
	woken(t, listens, patience)
}
