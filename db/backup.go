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

// ErrNotSQLite reports an operation for SQLite only, for which Postgres has its own tools.
var ErrNotSQLite = errors.New("this is for SQLite databases")

// Backup writes the content of a database at one moment to the new file to, while other
// processes read and write: for SQLite a database, for Postgres an archive made by pg_dump. The
// file appears once it is complete and durable.
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
	if err := refuseExisting(to); err != nil { // it may have been made in the meantime
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

// openToRead opens an SQLite file on one connection, for statements that only read. The
// connection can write, or it would leave files behind.
func openToRead(path string) *bun.DB {
	pool := sql.OpenDB(toRead{path, "&_pragma=busy_timeout(20000)"})
	pool.SetMaxOpenConns(1)
	return bun.NewDB(pool, reader{sqliteDialect{sqlitedialect.New()}}, bun.WithDiscardUnknownColumns())
}

// copyOf copies an SQLite database, as of one moment, to a file beside the path beside, and
// makes the copy durable. It returns the path of the copy.
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

// written creates a file beside the path beside with write, and makes it durable.
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
