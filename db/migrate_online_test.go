package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// grownTo returns a Postgres database as an older version left it, with rows.
func grownTo(t *testing.T, last string) string {
	t.Helper()
	url := dbtest.PostgresURL(t)
	grow(t, url, last)
	return url
}

// busy holds a transaction open after a statement; the function ends it.
func busy(t *testing.T, raw *sql.DB, statement string) (end func()) {
	t.Helper()
	tx, err := raw.Begin()
	need.NoError(t, err)
	if _, err := tx.Exec(statement); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
	}
}

// migrating starts a migration that ends when ctx does.
func migrating(ctx context.Context, url string) (ended chan error) {
	ended = make(chan error, 1)
	go func() {
		_, err := db.Migrate(ctx, url)
		ended <- err
	}()
	return ended
}

// countAttempts counts, until the test ends, how often somebody begins to wait for a lock
// of a whole table.
func countAttempts(t *testing.T, raw *sql.DB) (attempts *atomic.Int64) {
	t.Helper()
	attempts = new(atomic.Int64)
	ctx, stop := context.WithCancel(context.Background())
	var counting sync.WaitGroup
	counting.Go(func() {
		for waited := false; ; {
			var waits bool
			if err := raw.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"+
				" AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits); err != nil {
				if ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			if waits && !waited {
				attempts.Add(1)
			}
			waited = waits
			time.Sleep(5 * time.Millisecond)
		}
	})
	t.Cleanup(func() {
		stop()
		counting.Wait()
	})
	return attempts
}

// While a transaction has read or written a table for long, migrations wait, and those who
// come after them do not wait for long: others read and write the table all the time.
func TestMigrationsLetOthersPass(t *testing.T) {
	t.Parallel()
	for what, held := range map[string]string{
		"a reader": "SELECT count(*) FROM disclosures",
		"a writer": "UPDATE disclosures SET filer_title = 'held' WHERE disclosure_index = 1600708",
	} {
		t.Run(what, func(t *testing.T) {
			url := grownTo(t, "0012") // the next migration changes disclosures
			raw := dbtest.Raw(t, url)
			release := busy(t, raw, held)
			ended := migrating(t.Context(), url)
			attempts := countAttempts(t, raw)
			var longest time.Duration
			for begin := time.Now(); attempts.Load() < 2; {
				if time.Since(begin) > patience {
					t.Fatalf("%d attempts only", attempts.Load())
				}
				asked := time.Now()
				for _, statement := range []string{
					"SELECT count(*) FROM disclosures", "UPDATE disclosures SET filer_title = 'other' WHERE disclosure_index = 1600707",
					"UPDATE heads SET seq = seq WHERE feed = 'disclosures'",
				} {
					if _, err := raw.Exec(statement); err != nil {
						t.Fatal(err)
					}
				}
				longest = max(longest, time.Since(asked))
				select {
				case err := <-ended:
					t.Fatalf("did not wait: %v", err)
				default:
				}
			}
			if longest > 2*time.Second {
				t.Errorf("others waited for %s", longest)
			}
			release()
			need.NoError(t, <-ended)
			if left := heads(t, open(t, url)); left[db.FeedDisclosures] == 0 {
				t.Errorf("heads %v", left)
			}
		})
	}
}

// An index of a table with rows is built while others write. One that was interrupted is
// built again.
func TestIndexesAreBuiltBesideWriters(t *testing.T) {
	url := grownTo(t, "0018") // the next migration builds an index of disclosures
	raw := dbtest.Raw(t, url)
	release := busy(t, raw, "UPDATE disclosures SET filer_title = 'held' WHERE disclosure_index = 1600708")
	ctx, interrupt := context.WithCancel(t.Context())
	ended := migrating(ctx, url)
	invalid := func() (n int) {
		need.NoError(t, raw.QueryRow("SELECT count(*) FROM pg_index WHERE NOT indisvalid").Scan(&n))
		return n
	}
	for begin := time.Now(); invalid() == 0; {
		if time.Since(begin) > patience {
			t.Fatal("no index is being built")
		}
	}
	asked := time.Now()
	if _, err := raw.Exec("UPDATE disclosures SET filer_title = 'other' WHERE disclosure_index = 1600707"); err != nil ||
		time.Since(asked) > 10*time.Second {
		t.Errorf("a write took %s: %v", time.Since(asked), err)
	}
	interrupt()
	if err := <-ended; err == nil {
		t.Error("was not interrupted")
	}
	if invalid() == 0 {
		t.Error("the index is complete: nothing was interrupted")
	}
	ended = migrating(t.Context(), url)
	other := migrating(t.Context(), url) // waits for it, and must not be waited for
	release()
	for _, each := range []chan error{ended, other} {
		if err := <-each; err != nil {
			t.Error(err)
		}
	}
	var built bool
	if err := raw.QueryRow("SELECT indisvalid FROM pg_index WHERE indexrelid = " +
		"'disclosures_published'::regclass").Scan(&built); err != nil || !built || invalid() > 0 {
		t.Errorf("built %v, %d indexes are not valid, %v", built, invalid(), err)
	}
}

// A migration that builds an index of a table with rows builds it beside writers, and does
// nothing else, for this is done outside of its transaction.
func TestMigrationsBuildIndexesBesideWriters(t *testing.T) {
	var (
		makes = regexp.MustCompile(`(?:CREATE TABLE|RENAME TO) (\w+)`)
		index = regexp.MustCompile(`(?s)CREATE (?:UNIQUE )?INDEX (\{\{\.Beside\}\} )?\w+\s+ON (\w+)`)
	)
	for _, migration := range migrationNames(t) {
		text, err := os.ReadFile("migrations/" + migration + ".up.sql")
		need.NoError(t, err)
		var made []string
		for _, m := range makes.FindAllStringSubmatch(string(text), -1) {
			made = append(made, m[1])
		}
		indexes := index.FindAllStringSubmatch(string(text), -1)
		beside := 0
		for _, m := range indexes {
			if m[1] != "" {
				beside++
			} else if !strings.Contains(fmt.Sprint(made), m[2]) {
				t.Errorf("%s: CREATE INDEX {{.Beside}} … ON %s, in a migration of its own", migration, m[2])
			}
		}
		if statements := strings.Count(string(text), "--bun:split") + 1; beside > 0 && beside != statements {
			t.Errorf("%s builds %d indexes beside writers, and has %d statements", migration, beside, statements)
		}
	}
}
