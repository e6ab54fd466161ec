package db_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

// A fault that passes by itself is recognised, however deep it is wrapped.
func TestTransientErrors(t *testing.T) {
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	cases := map[error]bool{
		context.DeadlineExceeded: true, io.EOF: true, io.ErrUnexpectedEOF: true, net.ErrClosed: true, driver.ErrBadConn: true,
		pgconn.ErrConnClosed: true, pgconn.ErrReadOnlyConnection: true,
		reset: true, &net.DNSError{Err: "no such host"}: true,
		context.Canceled: false, sql.ErrNoRows: false, syscall.ECONNRESET: false,
		&os.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}: false,
		errors.New("sql: database is closed"):                     false,
	}
	for code, passes := range map[string]bool{
		"08000": true, "08001": true, "08003": true, "08004": true, "08006": true, "08P01": true,
		"25006": true, "25P03": true, "25P04": true, "40001": true, "40003": true, "40P01": true,
		"53000": true, "53100": true, "53200": true, "53300": true, "53400": true,
		"55P03": true, "57014": true, "57P01": true, "57P02": true, "57P03": true, "57P05": true, "58030": true,
		"": false, "0": false, "22P02": false, "23505": false, "25P02": false, "28P01": false, "28000": false, "3D000": false,
		"42501": false, "42601": false,
		"42703": false, "42P01": false, "54000": false, "57P04": false, "58P01": false, "XX000": false, "XX001": false,
	} {
		cases[&pgconn.PgError{Code: code, Message: "says " + code}] = passes
	}
	if db.Transient(nil) {
		t.Error("no error passes")
	}
	for err, passes := range cases {
		for _, wrapped := range []error{
			err, fmt.Errorf("store records: %w", err), problem.StoreFailed(err),
			errors.Join(errors.New("one host"), fmt.Errorf("another: %w", err)),
		} {
			if db.Transient(wrapped) != passes {
				t.Errorf("%v: transient is %v", wrapped, !passes)
			}
		}
	}
}

// What SQLite says is sorted, too: a lock of another, a full disk and a file that may
// only be read pass; what is no database, or has no such table, does not.
func TestTransientErrorsOfSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piyasa.db")
	need.NoError(t, open(t, "sqlite:"+path).Close())
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text,
		[]byte("This is no database, and longer than the head of one that is: it has more than a hundred bytes of text."),
		0o600); err != nil {
		t.Fatal(err)
	}
	raw := func(path, pragmas string) *sql.DB {
		pool, err := sql.Open("sqlite", "file:"+path+pragmas)
		need.NoError(t, err)
		pool.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = pool.Close() })
		return pool
	}
	writer := raw(path, "?_txlock=immediate")
	tx, err := writer.Begin()
	need.NoError(t, err)
	const change = "UPDATE heads SET seq = seq"
	for _, c := range []struct {
		name, path, pragmas, statement string
		passes                         bool
	}{
		{"locked by another", path, "?_pragma=busy_timeout(1)", change, true},
		{"read-only", path, "?_pragma=query_only(1)", change, true},
		{"no such table", path, "", "UPDATE nothing SET a = 1", false},
		{"no such folder", filepath.Join(path, "piyasa.db"), "", change, true},
		{"no database", text, "", change, false},
	} {
		if _, err := raw(c.path, c.pragmas).Exec(c.statement); err == nil || db.Transient(err) != c.passes {
			t.Errorf("%s: %v; transient is %v", c.name, err, db.Transient(err))
		}
	}
	need.NoError(t, tx.Rollback())
	full := raw(path, "?_pragma=max_page_count(1)")
	if _, err := full.Exec("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
		"10000) SELECT i FROM n"); err == nil || !db.Transient(err) {
		t.Errorf("a full disk: %v", err)
	}
}

// A write that the database does not answer in time passes, whatever it ended with.
func TestLateWriteIsTransient(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := hasty(t, url)
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		tx, err := dbtest.Raw(t, url).Begin()
		need.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.Exec("UPDATE heads SET seq = seq"); err != nil {
			t.Fatal(err)
		}
		b := new(db.Batch)
		db.Put(b, price("bist:THYAO", t1, "9"), new(db.Outcome))
		if err := s.Store(ctx, b); !db.Transient(err) {
			t.Errorf("%v", err)
		}
	})
}
