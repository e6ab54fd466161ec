package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// What somebody has changed in a schema is named, by verify, by doctor and by a restore, which
// refuses it; tables, views and plain indexes of others are let be.
func TestSchemaOfOthers(t *testing.T) {
	t.Parallel()
	const mine = "CREATE TABLE mine (a TEXT UNIQUE); CREATE VIEW seen AS SELECT * FROM quotes; CREATE INDEX mine_too ON quotes (as_of)"
	const checked = "BIGINT NOT NULL"
	for _, c := range []struct{ name, sqlite, postgres, says string }{
		{"nothing", "SELECT 1", "SELECT 1", ""},
		{"of others", mine + "; CREATE TRIGGER on_mine AFTER INSERT ON mine BEGIN SELECT 1; END", mine, ""},
		{"a trigger", "CREATE TRIGGER eats BEFORE INSERT ON quotes BEGIN SELECT RAISE(IGNORE); END",
			"CREATE FUNCTION eats() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';" +
				"CREATE TRIGGER eats BEFORE INSERT ON quotes FOR EACH ROW EXECUTE FUNCTION eats()", "trigger eats"},
		{"a view", "ALTER TABLE logos RENAME TO l; CREATE VIEW logos AS SELECT * FROM l", "", "table logos"},
		{"a lost table", "DROP TABLE logos", "", "table logos"},
		{"a lost index", "DROP INDEX instruments_seq", "", "index instruments_seq"},
		{"another index", "DROP INDEX instruments_seq; CREATE INDEX instruments_seq ON instruments (name)", "", "index instruments_seq"},
		{"a unique index", "CREATE UNIQUE INDEX one ON quotes (as_of)", "", "index one"},
		{"a column", "ALTER TABLE logos ADD COLUMN more TEXT NOT NULL DEFAULT ''", "", "logos"},
		{"a constraint", "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = replace(sql, '" + checked + "', '" + checked +
			" CHECK (seq < 1000)') WHERE name = 'quotes'; PRAGMA writable_schema=RESET",
			"ALTER TABLE quotes ADD CONSTRAINT few CHECK (seq < 1000)", "quotes"},
		{"a rule", "SELECT 1", "CREATE RULE eats AS ON INSERT TO quotes DO INSTEAD NOTHING", "rule eats"},
		{"row security", "SELECT 1", "ALTER TABLE quotes ENABLE ROW LEVEL SECURITY", "table quotes"},
		{"a type", "SELECT 1", "ALTER TABLE quotes ALTER COLUMN last TYPE DOUBLE PRECISION", "column quotes.last"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				do, restores := c.sqlite, !dbtest.IsPostgres(url)
				if !restores && c.postgres != "" {
					do = c.postgres
				}
				says := c.says
				if do == "SELECT 1" { // what this store does not have
					says = ""
				}
				shut(t, open(t, url)) // a first epoch begins
				raw := dbtest.Raw(t, url)
				if _, err := raw.Exec(do); err != nil {
					t.Fatal(err)
				}
				need.NoError(t, raw.Close())
				seen, err := db.Examine(t.Context(), url)
				if err != nil {
					t.Error(err)
				}
				var troubles string
				for _, trouble := range seen.Troubles {
					if strings.Contains(trouble.Means, "what piyasa stores") || strings.Contains(trouble.Seen, "missing") {
						troubles += trouble.Seen + "\n"
					}
				}
				for who, said := range map[string]string{"verify": strings.Join(verified(t, url), "\n"), "doctor": troubles} {
					if says == "" && said != "" || !strings.Contains(said, says) {
						t.Errorf("%s says %q", who, said)
					}
				}
				if !restores {
					return
				}
				target, named := "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), ""
				found := func(f db.Finding) { named += f.Subject + "\n" }
				_, err = db.Restore(t.Context(), target, strings.TrimPrefix(url, "sqlite:"), found, nil)
				if (err == nil) != (says == "") || !strings.Contains(named, says) || says != "" && !db.Missing(target) {
					t.Errorf("restore names %q: %v", named, err)
				}
			})
		})
	}
}

// What migrations make on Postgres is kept in a file: where nothing may be written, nobody can try them.
func TestSchemaOfPostgresIsKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		if !dbtest.IsPostgres(url) {
			return
		}
		now, err := db.SchemaIn(t.Context(), url)
		need.NoError(t, err)
		if *update {
			need.NoError(t, os.WriteFile("schema_postgres.tsv", []byte(now), 0o644))
		}
		kept, err := os.ReadFile("schema_postgres.tsv")
		need.NoError(t, err)
		if now != string(kept) {
			t.Error("go test ./db -run TestSchemaOfPostgresIsKept -update records a change of the schema")
		}
	})
}
