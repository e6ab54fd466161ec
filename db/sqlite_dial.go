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

// dial opens a connection to an SQLite file. Even for reading, SQLite needs a log and its index
// beside the file, which it cannot make on a disk that is read-only or full. If the log is
// empty, the file alone is then read as it is: still is true, and the connection must be closed
// once the disk can be written, since it sees no changes.
func dial(path, options string) (conn driver.Conn, still bool, err error) {
	at := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=schema_version" // this makes SQLite open the file
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

// forbidden reports whether permissions keep this user from making the files that SQLite needs.
// Another user who may do so can change the file at any time.
func forbidden(path string) bool {
	return errors.Is(errors.Join(writable(path), writable(filepath.Dir(path))), syscall.EACCES)
}

// logHolds reports whether the write-ahead log of an SQLite file has content.
func logHolds(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err == nil && log.Size() > 0
}

// stillInterval is how often opening is tried for a file that is read as it is.
const stillInterval = time.Second

// movesAgain reports whether a file that was read as it is can be opened with its log.
func (f *sqliteFile) movesAgain() bool {
	now := time.Now().UnixNano()
	if !f.still.Load() || !logHolds(f.path) && now-f.tried.Load() < int64(stillInterval) {
		return false
	}
	f.tried.Store(now)
	conn, still, err := dial(f.path, "")
	return err == nil && conn.Close() == nil && !still
}

// tightRoom is less than the space that SQLite needs to open a file, in bytes.
const tightRoom = 64 << 10

// explained adds the reason to the error of a failed write, since SQLite reports many reasons
// alike. If the disk has no fault any more, only the connections are still read-only.
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

// toRead opens connections to an SQLite file without a Store.
type toRead struct{ path, options string }

// Connect implements driver.Connector.
func (t toRead) Connect(context.Context) (driver.Conn, error) {
	conn, _, err := dial(t.path, t.options)
	return conn, err
}

// Driver implements driver.Connector.
func (toRead) Driver() driver.Driver { return new(sqlite.Driver) }
