package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Transient reports whether an operation that failed with err may succeed if it is repeated,
// without a change of piyasa or its schema: the database is away, starts, stops, is being
// replaced, does not answer in time, or has no space. The failed transaction may still have
// been committed.
func Transient(err error) bool {
	switch e := err.(type) { // every error in the tree is checked, however it is wrapped
	case nil:
		return false
	case syscall.Errno: // it would pass for a net.Error
		return slices.Contains(diskErrors, e)
	case *pgconn.PgError:
		return transientState(e.Code)
	case *sqlite.Error:
		return transientSQLite[e.Code()&0xff]
	case net.Error:
		return true
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			if Transient(each) {
				return true
			}
		}
		return false
	}
	switch err {
	case io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, pgconn.ErrConnClosed, context.DeadlineExceeded,
		pgconn.ErrReadOnlyConnection, errMoved, errOlderEpoch, errWentBack, errUnconfirmed: // until the right server answers
		return true
	}
	return Transient(errors.Unwrap(err))
}

// transientState reports whether a Postgres error state may pass.
func transientState(code string) bool {
	switch code {
	case "25006", // read-only: a standby that is about to be promoted, or a primary set so
		"25P03", "25P04", // the transaction was idle or ran for too long
		"40001", "40003", "40P01", // serialization failure, completion unknown, deadlock
		"55P03",                   // a lock was not available
		"57014",                   // canceled, by statement_timeout as a rule
		"57P01", "57P02", "57P03", // shutdown, crash, starting
		"57P05", // idle session
		"58030": // I/O error
		return true
	}
	class := code[:min(2, len(code))]
	return class == "08" || class == "53" // connections, also a pooler's; resources: disk full, out of memory, too many connections
}

// transientSQLite lists the SQLite codes that may pass: another process writes, or the disk is
// full, read-only, or fails.
var transientSQLite = map[int]bool{
	sqlite3.SQLITE_BUSY: true, sqlite3.SQLITE_LOCKED: true, sqlite3.SQLITE_PROTOCOL: true, sqlite3.SQLITE_FULL: true,
	sqlite3.SQLITE_READONLY: true, sqlite3.SQLITE_IOERR: true, sqlite3.SQLITE_CANTOPEN: true, sqlite3.SQLITE_NOMEM: true,
}
