package dbtest

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"piyasa/test/fixture/need"
)

// runner is a test or a benchmark.
type runner[T any] interface {
	testing.TB
	Run(name string, f func(T)) bool
}

// Each runs f in a test or a benchmark for both stores: as the subtest "sqlite" with a file in a
// temporary folder, and as "postgres" with a database of its own (see [PostgresURL]). The url is
// one for piyasa's --database. The database has the schema of this version and has not been opened.
func Each[T runner[T]](t T, f func(t T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t T) { f(t, sqliteCopy(t)) })
	t.Run("postgres", func(t T) { f(t, postgresCopy(t)) })
}

// EachEmpty is [Each] with databases that have no schema; the file does not exist.
func EachEmpty[T runner[T]](t T, f func(t T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t T) { f(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db")) })
	t.Run("postgres", func(t T) { f(t, PostgresURL(t)) })
}

// Raw opens the database of either store at url directly, without package db, so that tests can
// read rows and damage them.
func Raw(tb testing.TB, databaseURL string) *sql.DB {
	tb.Helper()
	driver, name := "pgx", databaseURL
	if path, ok := strings.CutPrefix(databaseURL, "sqlite:"); ok {
		driver, name = "sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)"
	}
	db, err := sql.Open(driver, name)
	need.NoError(tb, err)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// IsPostgres reports whether url is that of a Postgres database.
func IsPostgres(url string) bool { return !strings.HasPrefix(url, "sqlite:") }

// Hostile are settings of a Postgres database that change what statements
// mean.
var Hostile = map[string]string{
	"standard_conforming_strings": "off", "transform_null_equals": "on", "array_nulls": "off", "bytea_output": "escape",
	"DateStyle": "German, DMY", "TimeZone": "Asia/Tokyo", "IntervalStyle": "sql_standard", "client_encoding": "LATIN1",
	"default_transaction_isolation": "serializable", "lock_timeout": "1ms", "statement_timeout": "0",
}

// HostileURL is [PostgresURL] for a database with the [Hostile] settings.
func HostileURL(tb testing.TB) string {
	tb.Helper()
	address := PostgresURL(tb)
	name := address[strings.LastIndex(address, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	raw := Raw(tb, address)
	for setting, value := range Hostile {
		if _, err := raw.Exec("ALTER DATABASE " + name + " SET " + setting + " = '" + value + "'"); err != nil {
			tb.Fatal(err)
		}
	}
	return address
}
