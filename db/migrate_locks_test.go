package db_test

import (
	"database/sql"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// quick are statements that take no longer where a table has many rows.
var quick = regexp.MustCompile(`^(BEGIN|COMMIT|SELECT( pg_| EXISTS|$)|SET LOCAL|ALTER TABLE \w+ (ADD COLUMN|RENAME TO) |DROP (TABLE|INDEX) |CREATE (FUNCTION|TRIGGER) |CREATE TABLE (IF NOT EXISTS )?"?\w+"? \(|INSERT INTO ("?bun_migrations"?|heads) )`)

// besideLock are the others that run while a table is locked, and why they may.
var besideLock = map[string]string{
	"INSERT INTO bar_changes (subject":    "there is a row for each instrument and index",
	"CREATE INDEX bar_changes_by_seq":     "there is a row for each instrument and index",
	"INSERT INTO dividends (instrument_i": "there is a row for each dividend",
	"CREATE INDEX dividends_by_ex_date":   "there is a row for each dividend",
	"CREATE INDEX dividends_by_payment":   "there is a row for each dividend",
	"CREATE UNIQUE INDEX dividends_by_s":  "there is a row for each dividend",
	"INSERT INTO statements (instrument_": "there is a row for each filing of a company",
	"CREATE INDEX statements_by_seq":      "there is a row for each filing of a company",
	"INSERT INTO typed_codes SELECT c.c":  "the second one, of what was stored during the first",
}

// No statement of an upgrade that takes long where there are many rows runs while its
// transaction keeps others from reading or writing a table which has rows, and no table is
// written again as a whole: of no migration, after what the one before has left with rows.
func TestUpgradesLockNoTableForLong(t *testing.T) {
	t.Parallel()
	all := migrationNames(t)
	url := grownTo(t, all[0])
	raw := dbtest.Raw(t, url)
	before, locked, used, seen := tables(t, raw), map[string]bool{}, map[string]bool{}, []string{all[0]}
	migration := ""
	err := db.MigrateWatched(t.Context(), url, func(statement string, pid int) {
		statement = strings.Join(strings.Fields(comment.ReplaceAllString(statement, "")), " ")
		during := maps.Clone(locked)
		locked = locks(t, raw, pid, before)
		maps.Copy(during, locked)
		if known := beginning(statement); len(during) > 0 && known != "" {
			used[known] = true
		} else if len(during) > 0 && !quick.MatchString(statement) {
			t.Errorf("after %s: locked are %v while it runs: %s", seen[len(seen)-1], slices.Collect(maps.Keys(during)), statement)
		}
		if m := markApplied.FindStringSubmatch(statement); m != nil {
			migration = all[index(all, m[1])]
		}
		if statement != "COMMIT" || migration == "" {
			return
		}
		for table, file := range tables(t, raw) {
			if was, there := before[table]; there && file != was && !replaced[table] {
				t.Errorf("%s writes %s again as a whole", migration, table)
			}
		}
		for _, rows := range releasedRows(t, url, migration) {
			if _, err := raw.Exec(rows); err != nil {
				t.Errorf("%s: %v", migration, err)
			}
		}
		seen = append(seen, migration)
		before, locked, migration = tables(t, raw), map[string]bool{}, ""
	})
	need.NoError(t, err)
	if !slices.Equal(seen, all) {
		t.Errorf("saw the migrations %q", seen)
	}
	for known := range besideLock {
		if !used[known] {
			t.Errorf("no migration has %q: take it off the list", known)
		}
	}
}

var markApplied = regexp.MustCompile(`^INSERT INTO "?bun_migrations"? .*VALUES \(DEFAULT, '(\d+)'`)

// replaced are tables that a migration makes in another form, without a lock while it copies.
var replaced = map[string]bool{"disclosure_codes": true, "bar_changes": true, "dividends": true, "statements": true}

var comment = regexp.MustCompile(`(?m)--.*$`)

// beginning returns that of besideLock which a statement has.
func beginning(statement string) string {
	for known := range besideLock {
		if strings.HasPrefix(statement, known) {
			return known
		}
	}
	return ""
}

// tables returns the files of the tables that have rows.
func tables(t *testing.T, raw *sql.DB) map[string]int {
	t.Helper()
	files := map[string]int{}
	rows, err := raw.Query("SELECT relname, pg_relation_filenode(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = " +
		"current_schema()::regnamespace AND relname NOT LIKE 'bun_%' AND pg_relation_size(oid) > 0")
	need.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var file int
		need.NoError(t, rows.Scan(&name, &file))
		files[name] = file
	}
	need.NoError(t, rows.Err())
	return files
}

// locks returns which of the tables a process has locked against readers or writers.
func locks(t *testing.T, raw *sql.DB, pid int, among map[string]int) map[string]bool {
	t.Helper()
	rows, err := raw.Query("SELECT pg_relation_filenode(relation) FROM pg_locks WHERE pid = $1 AND granted AND locktype = 'relation' AND "+
		"mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')", pid)
	need.NoError(t, err)
	defer rows.Close()
	held := map[string]bool{}
	for rows.Next() {
		var file sql.NullInt64 // none of what the transaction has made or dropped
		need.NoError(t, rows.Scan(&file))
		for name, its := range among {
			if file.Valid && int(file.Int64) == its {
				held[name] = true
			}
		}
	}
	need.NoError(t, rows.Err())
	return held
}
