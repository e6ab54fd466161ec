package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// ErrNotSQLite reports that Postgres has tools of its own for what was asked.
var ErrNotSQLite = errors.New("this is for SQLite databases")

// Backup writes what a database holds at one moment to a new file, while other processes read
// and write: of SQLite a database, of Postgres an archive that pg_dump makes. The file appears
// once it is complete and durable.
func Backup(ctx context.Context, url, to string) error {
	path, err := sqlitePath(url)
	copied := copyOf
	if errors.Is(err, ErrNotSQLite) {
		path, copied, err = url, dump, nil
	}
	if err != nil {
		return err
	}
	if err := refuseExisting(to); err != nil {
		return err
	}
	partial, err := copied(ctx, path, to)
	if err != nil {
		return err
	}
	if err := refuseExisting(to); err != nil { // it was made meanwhile
		return errors.Join(err, os.Remove(partial))
	}
	if err := os.Rename(partial, to); err != nil {
		return errors.Join(err, os.Remove(partial))
	}
	return syncFolder(filepath.Dir(to))
}

// sqlitePath returns the path of an SQLite database that exists.
func sqlitePath(url string) (string, error) {
	path, ok := strings.CutPrefix(url, "sqlite:")
	if !ok {
		return "", ErrNotSQLite
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	return path, err
}

func refuseExisting(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists, and nothing is overwritten", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// openToRead opens an SQLite file on one connection, for statements that only read. A
// connection that could not write would leave files behind.
func openToRead(path string) *bun.DB {
	pool := sql.OpenDB(toRead{path, "&_pragma=busy_timeout(20000)"})
	pool.SetMaxOpenConns(1)
	return bun.NewDB(pool, reader{sqliteDialect{sqlitedialect.New()}}, bun.WithDiscardUnknownColumns())
}

// copyOf copies an SQLite database, as it is at one moment, to a file beside the path
// beside, and makes the copy durable.
func copyOf(ctx context.Context, path, beside string) (partial string, err error) {
	return written(beside, func(to string) error {
		from := openToRead(path)
		defer from.Close()
		if _, err := from.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
			return fmt.Errorf("copy %s: %w", path, err)
		}
		return nil
	})
}

// written makes a file beside the path beside, and makes it durable.
func written(beside string, write func(to string) error) (partial string, err error) {
	file, err := os.CreateTemp(filepath.Dir(beside), filepath.Base(beside)+".partial-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file.Name()); err != nil {
		return "", err
	}
	return file.Name(), file.Sync()
}
