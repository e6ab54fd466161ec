package db_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// migrationNames returns the migrations there are.
func migrationNames(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("migrations")
	need.NoError(t, err)
	var found []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".up.sql"); ok {
			found = append(found, name)
		}
	}
	return found
}

func TestMigrateOnce(t *testing.T) {
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		for i, expected := range [][]string{migrationNames(t), nil, nil} {
			applied, err := db.Migrate(t.Context(), url)
			need.NoError(t, err)
			if len(applied) != len(expected) {
				t.Errorf("run %d applied %q, want %q", i+1, applied, expected)
			}
			for k, name := range expected {
				if !strings.HasPrefix(applied[k], name[:4]) {
					t.Errorf("applied %q, want %q", applied, expected)
				}
			}
		}
		checkUsable(t, url)
	})
}

// checkUsable stores something and reads it.
func checkUsable(t *testing.T, url string) {
	t.Helper()
	s := open(t, url)
	want(t, put(t, s, stock("THYAO"), price("bist:THYAO", t1, "1")), db.Stored, db.Stored)
	headsAre(t, s, 1, 0, 1)
}

// A migrating process that dies gives its lock and its half-made tables back,
// and who waited for it goes on.
func TestOpenAfterADeadMigration(t *testing.T) {
	dbtest.EachEmpty(t, func(t *testing.T, url string) {
		dying, err := dbtest.Raw(t, url).Conn(t.Context())
		need.NoError(t, err)
		begin := "BEGIN IMMEDIATE"
		if dbtest.IsPostgres(url) {
			begin = "BEGIN"
		}
		for _, statement := range []string{begin, "CREATE TABLE heads (feed TEXT PRIMARY KEY)", "INSERT INTO heads VALUES ('half')"} {
			if _, err := dying.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		opened := make(chan error, 1)
		go func() {
			_, err := db.Migrate(t.Context(), url)
			opened <- err
		}()
		select {
		case err := <-opened:
			t.Fatalf("did not wait: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		if _, err := dying.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		need.NoError(t, <-opened)
		checkUsable(t, url)
	})
}
