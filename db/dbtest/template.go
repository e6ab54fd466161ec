package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piyasa/db"
	"piyasa/test/fixture/need"
)

// A template is a database with the schema of this version that has not been opened. Most tests
// begin with a copy of one, which is much faster than migrations.

// sqliteTemplate returns the content of an SQLite template.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "piyasa-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "piyasa.db")
	if err := makeTemplate("sqlite:"+path, "sqlite", "file:"+path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// postgresTemplate returns the name of a template in the cluster of this process's tests. It
// remains until the cluster ends.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	address, _, err := NewDatabase(shared.url)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(u.Path, "/"), makeTemplate(address, "pgx", address)
})

// makeTemplate turns an empty database into a template. It lacks what each database creates when it
// is first opened.
func makeTemplate(address, driver, name string) error {
	_, err := db.Migrate(context.Background(), address)
	// A disk may be busy for longer than the timeout of a command, and every test needs the
	// template.
	for try := 0; err != nil && try < 5; try++ {
		_, err = db.Migrate(context.Background(), address)
	}
	if err != nil {
		return fmt.Errorf("making a template of databases: %w", err)
	}
	raw, err := sql.Open(driver, name)
	if err != nil {
		return err
	}
	defer raw.Close()
	for _, table := range []string{"epochs", "secrets"} {
		if _, err := raw.Exec("DELETE FROM " + table); err != nil {
			return fmt.Errorf("making a template of databases: %w", err)
		}
	}
	return nil
}

func sqliteCopy(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "piyasa.db")
	file, err := sqliteTemplate()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	need.NoError(tb, err)
	return "sqlite:" + path
}

func postgresCopy(tb testing.TB) string {
	tb.Helper()
	shareCluster(tb)
	template, err := postgresTemplate()
	need.NoError(tb, err)
	return ownDatabase(tb, template)
}
