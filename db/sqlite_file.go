package db

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"piyasa/internal/filelock"
)

// sqliteFile is the file of an SQLite database. If another file takes its name, the connections
// to the old file are not used again.
type sqliteFile struct {
	path     string
	pools    map[*sql.DB]int        // the number of idle connections that each keeps
	opened   atomic.Pointer[string] // identity of the file that new connections open
	hardened atomic.Bool            // whether harden has been called since
	still    atomic.Bool            // whether connections read the file as it is, without a log (dial)
	tried    atomic.Int64           // when opening it with a log was last tried, in nanoseconds since 1970
	witness  *witness
	lock     *os.File // on the witness, while the database is open
}

func newSQLiteFile(path string) (*sqliteFile, error) {
	f := &sqliteFile{path: path, pools: map[*sql.DB]int{}, witness: &witness{path: path + "-witness", of: path}}
	if name := networkFileSystem(path); name != "" {
		slog.Warn("the database is on a network file system, which SQLite does not support: processes on several machines damage it",
			"path", path, "file_system", name)
	}
	var err error
	if f.lock, err = f.witness.hold(filelock.Shared); errors.Is(err, filelock.ErrHeld) {
		return nil, errBeingRestored
	} else if err != nil {
		return nil, err
	}
	if err := errors.Join(makeFile(path), f.follow()); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

// makeFile makes a missing file. Connections do not: an empty file must not replace a lost one.
// It does not open an existing file, because closing it would release SQLite's locks for all
// connections of this process. Only the owner and the group can read the file, and the log
// beside it, to which SQLite gives the same permissions.
func makeFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(made.Close(), adopt(path))
}

// follow checks which file has the name now, and whether its disk can be written again.
func (f *sqliteFile) follow() error {
	now, err := identityOf(f.path)
	if err != nil {
		return fmt.Errorf("the database file is gone: %w", err)
	}
	if errors.Is(writable(f.path), syscall.EROFS) {
		now += " to read" // the state that a new connection would keep
	}
	if last := f.opened.Load(); last == nil || *last != now || f.movesAgain() {
		f.reopen(now)
	}
	return nil
}

// reopen replaces all connections. Idle ones close at once: while a read-only connection has
// the index of the log, SQLite gives that to other connections of this process.
func (f *sqliteFile) reopen(now string) {
	f.still.Store(false)
	f.opened.Store(&now)
	f.hardened.Store(false)
	for pool, idle := range f.pools {
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(idle)
	}
}

// harden makes durable what a killed process has left in the log of an SQLite file. The process
// may have been killed before its last commit was synced, or after a failed sync, whose writes
// no later sync repeats: a power cut would then lose them and all later commits. Once
// everything is in the database file, a new log begins.
func (s *Store) harden(ctx context.Context) (err error) {
	if s.file == nil {
		return nil
	}
	if err := s.file.follow(); err != nil || s.file.hardened.Load() {
		return err
	}
	ctx, done := s.writing(ctx)
	defer done(&err)
	var busy, logged, written int // if others still read the log, they have hardened it
	if err := s.follow.NewRaw("PRAGMA wal_checkpoint(PASSIVE)").Scan(ctx, &busy, &logged, &written); err != nil {
		return fmt.Errorf("make the last commits durable: %w", err)
	}
	s.file.hardened.Store(true)
	return nil
}

// identityOf returns an identity of a file that no other file on the machine has.
func identityOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return numberOf(info), nil
}

// diskFails reports whether a write failed because the disk is full, read-only or broken.
func diskFails(err error) bool {
	if failure, ok := errors.AsType[*sqlite.Error](err); ok {
		switch failure.Code() & 0xff { // without the details
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
			return true
		}
	}
	errno, ok := errors.AsType[syscall.Errno](err) // of the witness
	return ok && slices.Contains(diskErrors, errno)
}

// diskErrors are the system errors of a disk that is full, read-only or broken.
var diskErrors = []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EIO, syscall.EDQUOT}

// connector opens connections to the file.
type connector struct {
	file    *sqliteFile
	options string
	watch   *statementWatch
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened := c.file.opened.Load()
	conn, still, err := dial(c.file.path, c.options)
	if err != nil {
		return nil, err
	}
	if still {
		c.file.still.Store(true)
	}
	return &sqliteConn{conn.(sqliteDriverConn), c.file, opened, c.watch}, nil
}

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver { return new(sqlite.Driver) }

// sqliteDriverConn is the methods of a driver connection.
type sqliteDriverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteConn is a connection that is not used again once its file has been replaced.
type sqliteConn struct {
	sqliteDriverConn
	file   *sqliteFile
	opened *string
	watch  *statementWatch
}

// ResetSession implements driver.SessionResetter.
func (c *sqliteConn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return c.sqliteDriverConn.ResetSession(ctx)
}

// IsValid implements driver.Validator.
func (c *sqliteConn) IsValid() bool {
	return c.opened == c.file.opened.Load() && c.sqliteDriverConn.IsValid()
}

// witness is a small file beside an SQLite database that records how far the database had come:
// if an older copy takes the database's place, the two contradict each other. It is written in
// the transaction, before the commit, and not synced: it may record too much or too little, but
// then only an unnecessary new epoch begins, which costs nothing.
type witness struct {
	path, of      string
	before, wrote []byte // of the newest transaction
}

// witnessSize is the size of a witness, which is written in place.
const witnessSize = 128

// contradicts returns why an epoch whose last numbers have this sum cannot be the one that the
// witness recorded, or "".
func (w *witness) contradicts(id string, total int64) string {
	text, err := os.ReadFile(w.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return "the file has no witness: it may be a copy"
	}
	var seen, identity string
	var least int64
	if _, scanned := fmt.Sscanf(string(text), "%s %s %d", &seen, &identity, &least); err != nil || scanned != nil {
		return "the witness cannot be read"
	}
	now, err := identityOf(w.of)
	switch {
	case err != nil || identity != now:
		return "it is another file"
	case seen != id:
		return "the witness saw another epoch"
	case total < least:
		return "the witness saw higher numbers"
	}
	return ""
}

// state writes the epoch and the sum of its last numbers.
func (w *witness) state(id string, total int64) error {
	identity, err := identityOf(w.of)
	if err != nil {
		return err
	}
	w.before, _ = os.ReadFile(w.path) // empty the first time
	text := fmt.Sprintf("%s %s %d", id, identity, total)
	w.wrote = []byte(text + strings.Repeat(" ", witnessSize-1-len(text)) + "\n")
	return w.write(w.wrote)
}

// retract undoes state after a failed transaction, unless another one has written since.
func (w *witness) retract() {
	if now, err := os.ReadFile(w.path); err == nil && len(w.before) == witnessSize && bytes.Equal(now, w.wrote) {
		_ = w.write(w.before) // on failure, a new epoch begins
	}
}

// open opens the witness, creating it if it is missing.
func (w *witness) open(flags int) (*os.File, error) {
	file, err := os.OpenFile(w.path, flags|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(w.path, flags|os.O_CREATE, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if err := adopt(w.path, w.of); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func (w *witness) write(text []byte) error {
	file, err := w.open(os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(text, 0)
	return errors.Join(err, file.Close())
}
