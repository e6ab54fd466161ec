package db_test

import (
	"database/sql"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

const grants = "../docs/postgres-roles.sql"

func withRoles(t *testing.T) dbtest.Roles {
	t.Helper()
	return dbtest.WithRoles(t, grants, func(owner string) {
		if _, err := db.Migrate(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	})
}

// Each role may do what the file of grants says, and no more.
func TestRolesOfLeastPrivilege(t *testing.T) {
	roles := withRoles(t)
	key := &access.Key{ID: "key_a", Name: "a", Prefix: "p", Hash: "h", Plan: "basic", Scopes: []access.Scope{"fx"}}
	need.NoError(t, open(t, roles.Keys).CreateKey(t.Context(), key))
	put(t, open(t, roles.Ingest), stock("THYAO"), price("bist:THYAO", t1, "1"))
	const changesSchema = "CREATE TABLE mine (x INTEGER); ALTER TABLE quotes ADD x INTEGER; ALTER TABLE keys ADD x INTEGER; DROP TABLE " +
		"quotes; TRUNCATE quotes; " +
		"CREATE INDEX mine ON quotes (last); ALTER TABLE heads OWNER TO CURRENT_USER; DELETE FROM bun_migrations; DELETE " +
		"FROM heads; UPDATE " +
		"epochs SET id = 'x'; " +
		"UPDATE secrets SET secret = 'x'; DELETE FROM keys; UPDATE keys SET scopes = '[\"all\"]'; UPDATE keys SET plan = 'enterprise'; " +
		"DELETE FROM usage; DELETE FROM disclosures"
	for name, c := range map[string]struct{ url, may, mayNot string }{
		"gateway": {
			roles.Gateway,
			"SELECT hash FROM keys; SELECT secret FROM secrets; SELECT last FROM quotes; SELECT seq FROM heads; INSERT INTO usage VALUES " +
				"('k', '2026-03-18', 'o', 1); UPDATE usage SET units = 2",
			"INSERT INTO keys SELECT * FROM keys; UPDATE keys SET revoked_at = NULL; UPDATE keys SET hash = 'x'; UPDATE " +
				"quotes SET last = 2; " +
				"DELETE FROM quotes; " +
				"INSERT INTO quotes (instrument_id, as_of, seq) VALUES ('bist:B', now(), 1); UPDATE heads SET seq = 0; DELETE FROM " +
				"usage_months; DELETE FROM observations",
		},
		"ingest": {
			roles.Ingest,
			"SELECT name FROM secrets; UPDATE quotes SET last = 2; DELETE FROM observations; UPDATE heads SET seq = seq",
			"SELECT secret FROM secrets; SELECT hash FROM keys; INSERT INTO keys SELECT * FROM keys; UPDATE keys SET revoked_at = NULL; " +
				"UPDATE keys SET hash = 'x'; " +
				"SELECT units FROM usage; UPDATE usage SET units = 0; UPDATE usage_months SET units = 0; DELETE FROM " +
				"usage_writers; DELETE " +
				"FROM disclosure_codes",
		},
		"keys": {
			roles.Keys,
			"SELECT hash FROM keys; UPDATE keys SET revoked_at = NULL; SELECT units FROM usage; SELECT name FROM secrets",
			"SELECT secret FROM secrets; SELECT last FROM quotes; UPDATE quotes SET last = 2; INSERT INTO usage VALUES " +
				"('k', '2026-03-18', " +
				"'o', 1); UPDATE usage_months SET units = 0",
		},
		"both gateway and ingest": {
			roles.Keeper,
			"SELECT hash FROM keys; DELETE FROM observations",
			"INSERT INTO keys SELECT * FROM keys; UPDATE keys SET revoked_at = NULL",
		},
	} {
		raw := dbtest.Raw(t, c.url)
		for statement := range strings.SplitSeq(c.may, "; ") {
			if err := undone(raw, statement); err != nil {
				t.Errorf("%s may not: %s: %v", name, statement, err)
			}
		}
		for statement := range strings.SplitSeq(c.mayNot+"; "+changesSchema, "; ") {
			if refusal, ok := errors.AsType[*pgconn.PgError](undone(raw, statement)); !ok || refusal.Code != "42501" {
				t.Errorf("%s may: %s (%v)", name, statement, refusal)
			}
		}
	}
}

// undone runs a statement and takes it back.
func undone(raw *sql.DB, statement string) error {
	tx, err := raw.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.Exec(statement)
	return err
}

// The change that adds a table decides who may write it.
func TestGrantsNameEveryTable(t *testing.T) {
	text, err := os.ReadFile(grants)
	need.NoError(t, err)
	url := dbtest.PostgresURL(t)
	open(t, url)
	rows, err := dbtest.Raw(t,
		url).Query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'bun_migration_locks'")
	need.NoError(t, err)
	defer rows.Close()
	count := 0
	for ; rows.Next(); count++ {
		var table string
		need.NoError(t, rows.Scan(&table))
		if !regexp.MustCompile(`(?m)^[^-].*\b` + table + `\b`).Match(text) {
			t.Errorf("%s does not name the table %s", grants, table)
		}
	}
	if rows.Err() != nil || count < 30 {
		t.Error(count, rows.Err())
	}
}

// Who stores wakes who serves, each as its role.
func TestRolesNotify(t *testing.T) {
	t.Parallel()
	roles := withRoles(t)
	reader, writer, keys := openToRead(t, roles.Gateway), open(t, roles.Ingest), open(t, roles.Keys)
	go reader.Listen(t.Context())
	woken(t, reader, patience) // it listens
	put(t, writer, price("bist:THYAO", t1, "1"))
	woken(t, reader, patience)
	need.NoError(t, keys.CreateKey(t.Context(), &access.Key{ID: "key_a", Name: "a", Prefix: "p", Hash: "h", Plan: "basic"}))
	woken(t, reader, patience)
}

// A role that owns nothing says what the owner must do.
func TestUpdateNeedsTheOwner(t *testing.T) {
	t.Parallel()
	roles := withRoles(t)
	if _, err := dbtest.Raw(t, roles.Admin).Exec("DELETE FROM bun_migrations WHERE name = '0022'"); err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"ingest": roles.Ingest, "keys": roles.Keys} {
		_, err := db.Open(t.Context(), url)
		if !db.CannotWrite(err) || !db.NotThereYet(err) || !strings.Contains(err.Error(), "0022") ||
			!strings.Contains(err.Error(), "piyasa migrate") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := db.OpenToRead(t.Context(), roles.Gateway)
	if !db.CannotWrite(err) || strings.Count(err.Error(), "piyasa migrate") != 1 {
		t.Errorf("gateway: %v", err)
	}
}
