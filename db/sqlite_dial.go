package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"modernc.org/sqlite"
)

// dial opens a connection to an SQLite file. SQLite needs a log and its index beside the
// file, even to read it, and cannot make them on a disk that is read-only or full. Where the
// log has nothing, the file alone is read then as it stands: still is true, and the
// connection must go once the disk can be written, since it sees no change.
func dial(path, options string) (conn driver.Conn, still bool, err error) {
	at := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=schema_version" // which makes SQLite open the file
	conn, err = new(sqlite.Driver).Open(at + "&mode=rw" + options)
	if !diskFails(err) || forbidden(path) || logHolds(path) {
		return conn, false, err
	}
	alone, failed := new(sqlite.Driver).Open(at + "&mode=ro&immutable=1")
	if failed != nil {
		return nil, false, err
	}
	return alone, true, nil
}

// forbidden reports whether permissions keep this user from making what SQLite needs:
// another user, who may, can change the file at any time.
func forbidden(path string) bool {
	return errors.Is(errors.Join(writable(path), writable(filepath.Dir(path))), syscall.EACCES)
}

// logHolds reports whether there is something in the write-ahead log of an SQLite file.
func logHolds(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err == nil && log.Size() > 0
}

// stillInterval is how often a file that is read as it stands is tried.
const stillInterval = time.Second

// movesAgain reports whether a file that was read as it stands can be opened with its log.
func (f *sqliteFile) movesAgain() bool {
	now := time.Now().UnixNano()
	if !f.still.Load() || !logHolds(f.path) && now-f.tried.Load() < int64(stillInterval) {
		return false
	}
	f.tried.Store(now)
	conn, still, err := dial(f.path, "")
	return err == nil && conn.Close() == nil && !still
}

// tightRoom is less than what SQLite needs to open a file.
const tightRoom = 64 << 10

// explained adds to the error of a write on a disk that does not take it why it does not:
// SQLite itself says the same of many reasons. If there is none any more, only the
// connections are read-only still.
func (f *sqliteFile) explained(err error) error {
	if f == nil || !diskFails(err) {
		return err
	}
	why := writable(f.path)
	if free, _, ok := roomAt(f.path); why == nil && ok && free < tightRoom {
		why = syscall.ENOSPC
	}
	if why == nil && !f.still.Load() {
		f.reopen(*f.opened.Load())
	}
	if why == nil || errors.Is(err, why) {
		return err
	}
	return fmt.Errorf("%s cannot be written: %w: %w", f.path, why, err)
}

// toRead makes connections to an SQLite file that is not a Store.
type toRead struct{ path, options string }

// Connect implements driver.Connector.
func (t toRead) Connect(context.Context) (driver.Conn, error) {
	conn, _, err := dial(t.path, t.options)
	return conn, err
}

// Driver implements driver.Connector.
func (toRead) Driver() driver.Driver { return new(sqlite.Driver) }
