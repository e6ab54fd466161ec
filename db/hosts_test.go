package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// openToRead opens a database for reading until the test ends.
func openToRead(t *testing.T, url string, options ...db.Option) *db.Store {
	t.Helper()
	s, err := db.OpenToRead(t.Context(), url, options...)
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// shows waits until a look at the log shows a last number of quotes.
func shows(t *testing.T, s *db.Store, seq int64) {
	t.Helper()
	fixture.Eventually(t, "the number is seen", func() bool {
		m, err := s.Look(t.Context())
		return err == nil && m.Heads[db.FeedQuotes] == seq
	})
}

// A standby serves what the primary stored, and nothing is written there.
func TestReadFromStandby(t *testing.T) {
	pair := dbtest.StartPair(t, false)
	hint := func(err error, lacks string) {
		t.Helper()
		if err == nil || !db.NotThereYet(err) || !strings.Contains(err.Error(), lacks) || !strings.Contains(err.Error(), "piyasa migrate") {
			t.Errorf("unprepared: %v", err)
		}
	}
	_, err := db.OpenToRead(t.Context(), pair.Standby.URL)
	hint(err, "the schema of piyasa")

	writer := open(t, pair.Primary.URL)
	put(t, writer, price("bist:THYAO", t1, "1"))
	pair.Standby.Wait("SELECT count(*) = 1 FROM secrets")
	s := openToRead(t, pair.Standby.URL)
	shows(t, s, 1)
	if got := quotesAfter(t, s, 0); len(got) != 1 {
		t.Errorf("%d quotes", len(got))
	}
	if secret, err := s.SigningSecret(t.Context()); err != nil || len(secret) == 0 {
		t.Errorf("secret: %v", err)
	}
	b, _ := batch(t, price("bist:THYAO", t1, "2"))
	if err := s.Store(t.Context(), b); !db.CannotWrite(err) {
		t.Errorf("a write to a standby: %v", err)
	}
	if err := s.Prune(t.Context(), map[market.Market]value.Instant{market.BIST: value.MustInstant(t1)}); !db.CannotWrite(err) {
		t.Errorf("pruning a standby: %v", err)
	}
	if _, err := db.Open(t.Context(), pair.Standby.URL); !db.CannotWrite(err) || !db.NotThereYet(err) {
		t.Errorf("Open on a standby: %v", err)
	}

	pair.Primary.Do("DELETE FROM bun_migrations WHERE name = '0015'")
	pair.Standby.Wait("SELECT NOT EXISTS (SELECT 1 FROM bun_migrations WHERE name = '0015')")
	_, err = db.OpenToRead(t.Context(), pair.Standby.URL)
	hint(err, "0015")
	pair.Primary.Do("DROP TABLE record_anew")
	if _, err := db.OpenToRead(t.Context(), pair.Standby.URL, db.WriteTo(pair.Primary.URL, db.PoolSessions)); err != nil &&
		!db.NotThereYet(err) {
		t.Errorf("with an address to write to: %v", err)
	}
	pair.Primary.Wait("SELECT EXISTS (SELECT 1 FROM bun_migrations WHERE name = '0015')")
}

// A role that may only read serves a database that another one has prepared.
func TestRoleThatOnlyReads(t *testing.T) {
	url := dbtest.PostgresURL(t)
	raw := dbtest.Raw(t, url)
	role := "reader_" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_"))
	do := func(statement string) {
		t.Helper()
		if _, err := raw.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("CREATE ROLE " + role + " LOGIN")
	t.Cleanup(func() {
		_, _ = raw.Exec("DROP OWNED BY " + role)
		_, _ = raw.Exec("DROP ROLE " + role)
	})
	do("ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO " + role)
	reads := strings.Replace(url, "postgres@", role+"@", 1)
	if _, err := db.OpenToRead(t.Context(), reads); !db.NotThereYet(err) || !db.CannotWrite(err) {
		t.Errorf("unprepared: %v", err)
	}
	writer := open(t, url)
	s := openToRead(t, reads)
	put(t, writer, price("bist:THYAO", t1, "1"))
	shows(t, s, 1)
	if _, err := s.SigningSecret(t.Context()); err != nil {
		t.Error(err)
	}
	b, _ := batch(t, price("bist:THYAO", t1, "2"))
	if err := s.Store(t.Context(), b); !db.CannotWrite(err) {
		t.Errorf("a write: %v", err)
	}
}

// What a newer version has updated is not read by an older one.
func TestNewerSchemaIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		open(t, url)
		if _, err := dbtest.Raw(t, url).Exec("INSERT INTO bun_migrations (name, group_id) VALUES ('9999', 9)"); err != nil {
			t.Fatal(err)
		}
		for what, f := range map[string]func(context.Context, string, ...db.Option) (*db.Store, error){"Open": db.Open,
			"OpenToRead": db.OpenToRead} {
			if _, err := f(t.Context(), url); err == nil || !strings.Contains(err.Error(), "9999") || db.NotThereYet(err) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// When the primary dies and its standby takes over, readers and writers go on there by
// themselves, wherever the hosts stand in the address; so does a writer whose host has
// become read-only.
func TestFailover(t *testing.T) {
	pair := dbtest.StartPair(t, true)
	url := dbtest.Hosts(t, pair.Primary.URL, pair.Standby.URL)
	s := dbtest.Open(t, url, db.Timeout(2*time.Second))
	pair.Standby.Wait("SELECT count(*) = 1 FROM secrets")
	prefers := openToRead(t, dbtest.With(url, "target_session_attrs=prefer-standby"), db.Timeout(2*time.Second))
	put(t, s, price("bist:THYAO", t1, "1"))
	shows(t, s, 1)
	shows(t, prefers, 1)

	pair.Primary.Kill()
	pair.Standby.Promote()
	stored := func(last string) {
		t.Helper()
		fixture.Eventually(t, "a write", func() bool {
			b, _ := batch(t, price("bist:THYAO", t1, last))
			return s.Store(t.Context(), b) == nil
		})
	}
	stored("2")
	for _, s := range []*db.Store{s, prefers} {
		fixture.Eventually(t, "the write is read", func() bool {
			if _, err := s.Look(t.Context()); err != nil {
				return false
			}
			got, err := s.QuotesAfter(t.Context(), 1)
			return err == nil && len(got) == 1 && got[0].Last.String() == "2"
		})
	}

	pair.Standby.Do("ALTER SYSTEM SET default_transaction_read_only = on")
	pair.Standby.Do("SELECT pg_reload_conf()")
	fixture.Eventually(t, "the host is read-only", func() bool {
		b, _ := batch(t, price("bist:THYAO", t1, "3"))
		return db.CannotWrite(s.Store(t.Context(), b))
	})
	if _, err := dbtest.Raw(t, dbtest.With(pair.Standby.URL,
		"default_transaction_read_only=off")).Exec("ALTER SYSTEM RESET default_transaction_read_only"); err != nil {
		t.Fatal(err)
	}
	pair.Standby.Do("SELECT pg_reload_conf()")
	stored("3")
}

// A host that falls silent is left for another one within seconds, though connections to
// it stay open.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	first, second := dbtest.NewProxy(t, url, ""), dbtest.NewProxy(t, url, "")
	s := dbtest.Open(t, dbtest.Hosts(t, first.URL, second.URL), db.Timeout(2*time.Second), db.Connections(8))
	put(t, s, price("bist:THYAO", t1, "1"))
	shows(t, s, 1)
	store := func(last string) bool {
		b, _ := batch(t, price("bist:THYAO", t1, last))
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		return s.Store(ctx, b) == nil
	}
	first.Silence()
	began := time.Now()
	fixture.Eventually(t, "a write", func() bool { return store("2") })
	shows(t, s, 2)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	second.Silence()
	first.Speak()
	fixture.Eventually(t, "a write to the first again", func() bool { return store("3") })
	shows(t, s, 3)
}

// Reads that move to a host with less than what was seen fail until it has caught up:
// no reader may believe that rows are not there.
func TestReadsNeverGoBack(t *testing.T) {
	pair := dbtest.StartPair(t, false)
	writer := open(t, pair.Primary.URL)
	put(t, writer, price("bist:THYAO", t1, "1"))
	pair.Standby.Wait("SELECT seq = 1 FROM heads WHERE feed = 'quotes'")
	proxy := dbtest.NewProxy(t, pair.Primary.URL, "")
	s := openToRead(t, dbtest.Hosts(t, proxy.URL, pair.Standby.URL))
	shows(t, s, 1)
	pair.Standby.Do("SELECT pg_wal_replay_pause()")
	put(t, writer, price("bist:THYAO", t1, "2"))
	shows(t, s, 2)

	proxy.Go()
	for range 20 {
		if got, err := s.QuotesAfter(t.Context(), 1); err == nil {
			t.Fatalf("%d quotes, which should be one, from a host that has none yet", len(got))
		}
		if m, err := s.Look(t.Context()); err == nil {
			t.Fatalf("numbers went back: %v", m.Heads[db.FeedQuotes])
		}
	}
	pair.Standby.Do("SELECT pg_wal_replay_resume()")
	shows(t, s, 2)
	if got := quotesAfter(t, s, 1); len(got) != 1 {
		t.Errorf("%d quotes", len(got))
	}
}

// Connections that read ask for several pages at once, unless another number was chosen.
func TestReadersReadAhead(t *testing.T) {
	t.Parallel()
	for chosen, want := range map[string]string{"1": "32", "4": "4", "0": "0"} {
		url := dbtest.PostgresURL(t)
		if _, err := dbtest.Raw(t,
			url).Exec("DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET effective_io_concurrency = " + chosen +
			"'; END $$"); err != nil {
			t.Fatal(err)
		}
		if is, err := db.ReadSetting(t.Context(), open(t, url), "effective_io_concurrency"); is != want {
			t.Errorf("%s became %q, %v, not %s", chosen, is, err, want)
		}
	}
}

// Nothing that was acknowledged is lost in a crash, whatever the database prefers.
func TestWritersAreDurable(t *testing.T) {
	url := dbtest.PostgresURL(t)
	raw := dbtest.Raw(t, url)
	if _, err := raw.Exec("DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET " +
		"synchronous_commit = off'; END $$"); err != nil {
		t.Fatal(err)
	}
	s := open(t, url)
	if is, err := db.WriteSetting(t.Context(), s, "synchronous_commit"); is != "on" {
		t.Errorf("synchronous_commit is %q, %v", is, err)
	}
}
