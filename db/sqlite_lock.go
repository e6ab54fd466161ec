package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"piyasa/internal/epoch"
	"piyasa/internal/filelock"
)

// errBeingRestored reports that another process is replacing the database file.
var errBeingRestored = errors.New("the database is being restored")

// hold locks the witness of an SQLite database until the returned file is closed: shared by all
// that have the database open, or exclusively by the process that replaces it, so that nobody
// opens the old file.
func (w *witness) hold(how filelock.Kind) (*os.File, error) {
	file, err := w.open(os.O_RDWR)
	if how == filelock.Shared && diskFails(err) {
		file, err = os.Open(w.path)
		if errors.Is(err, fs.ErrNotExist) { // there is nothing to lock, and no file can be replaced here
			return os.Open(filepath.Dir(w.path))
		}
	}
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(file, how); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// seized is an SQLite database that no other process can open. seize makes one.
type seized struct {
	path       string
	lock       *os.File // the witness
	exists     bool
	unreadable error
	conn       *bun.DB  // holds SQLite's own lock; nil: there is no database that it can open
	missing    []string // the witness and folders that did not exist before, the innermost first
}

// seize locks out all other processes. The whole database is then in its one file.
func seize(ctx context.Context, path string) (_ *seized, err error) {
	t := &seized{path: path}
	for name := path + "-witness"; !exists(name) && name != filepath.Dir(name); name = filepath.Dir(name) {
		t.missing = append(t.missing, name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	t.lock, err = (&witness{path: path + "-witness", of: path}).hold(filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, ErrInUse
	} else if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.abandon())
		}
	}()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return t, nil
	} else if err != nil {
		return nil, err
	}
	t.exists = true
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+
		"?mode=rw&_pragma=busy_timeout(0)&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	t.conn = bun.NewDB(pool, sqliteDialect{sqlitedialect.New()})
	// Only the last connection can switch off the write-ahead log.
	for _, statement := range []string{"PRAGMA journal_mode=DELETE", "BEGIN EXCLUSIVE"} {
		_, err := t.conn.ExecContext(ctx, statement)
		code, _ := errors.AsType[*sqlite.Error](err)
		switch {
		case err == nil:
		case code != nil && (code.Code()&0xff == sqlite3.SQLITE_BUSY || code.Code()&0xff == sqlite3.SQLITE_LOCKED):
			return nil, ErrInUse
		case damageIn(err) != "":
			t.unreadable = err
			return t, nil
		default:
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
	return t, nil
}

// moment reads the epochs and last numbers of the database.
func (t *seized) moment(ctx context.Context) (epoch.Moment, error) { return momentOf(ctx, t.conn) }

// release lets others open the database.
func (t *seized) release() error {
	var err error
	if t.conn != nil {
		err = t.conn.Close()
	}
	return errors.Join(err, t.lock.Close())
}

// abandon is release if nothing was replaced: it removes the files that seize created.
func (t *seized) abandon() error {
	var err error
	if t.conn != nil {
		err = t.conn.Close()
	}
	for _, name := range t.missing { // the witness before others can lock it; a folder with content stays
		_ = os.Remove(name)
	}
	return errors.Join(err, t.lock.Close())
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// momentOf reads the epochs and last numbers of a database.
func momentOf(ctx context.Context, db bun.IDB) (m epoch.Moment, err error) {
	var rows []struct {
		Feed string
		Seq  int64
	}
	if err := db.NewRaw("SELECT feed, seq FROM heads").Scan(ctx, &rows); err != nil {
		return m, err
	}
	m.Heads = make(map[string]int64, len(rows))
	for _, r := range rows {
		m.Heads[r.Feed] = r.Seq
	}
	m.Epochs, err = readLineage(ctx, db)
	return m, err
}
