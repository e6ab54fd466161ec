// Package db keeps everything piyasa knows, in SQLite or in Postgres, through
// the same queries.
//
// The database is the log: whoever stores rows that others must notice takes
// their numbers from the feed's head inside the storing transaction (see
// heads.go), and readers follow the numbers. Decimals are TEXT on SQLite and
// NUMERIC on Postgres and come back digit for digit; instants are microseconds
// since 1970 on SQLite and timestamptz on Postgres.
package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"piyasa/domain/market"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	read  *bun.DB // many connections
	write *bun.DB // on SQLite a single connection; on Postgres the same pool as read
	pg    *pgx.ConnConfig
	wake  chan struct{}

	pruned map[market.Market]market.Instant // up to where Prune is through

	layouts *layoutCache
}

// Open opens the database at url, "sqlite:PATH" or "postgres://…", and brings
// its schema up to date. An SQLite file and its folder are made when missing.
func Open(ctx context.Context, url string) (*Store, error) {
	s, err := connect(url)
	if err != nil {
		return nil, err
	}
	if _, err := s.migrate(ctx); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("bring the schema up to date: %w", err)
	}
	return s, nil
}

// Migrate brings the schema of the database at url up to date and returns the
// names of the migrations it applied.
func Migrate(ctx context.Context, url string) ([]string, error) {
	s, err := connect(url)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.migrate(ctx)
}

func connect(url string) (*Store, error) {
	path, isFile := strings.CutPrefix(url, "sqlite:")
	switch {
	case isFile && path != "" && !strings.HasPrefix(path, ":memory:"): // which would be another database on every connection
		return connectSQLite(path)
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return connectPostgres(url)
	}
	return nil, fmt.Errorf("the database must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")
}

func connectSQLite(path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	open := func(connections int, more string) (*bun.DB, error) {
		// busy_timeout comes first: switching to WAL may have to wait for others.
		dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" + more
		pool, err := sql.Open("sqlite", dsn)
		if err != nil {
			return nil, err
		}
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		return bun.NewDB(pool, sqliteDialect{sqlitedialect.New()}, bun.WithDiscardUnknownColumns()), nil
	}
	// A transaction that reads before it writes must hold the write lock from
	// its start, or it fails as locked when it comes to writing.
	write, err := open(1, "&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	read, err := open(8, "&_pragma=query_only(1)")
	if err != nil {
		_ = write.Close()
		return nil, err
	}
	return &Store{layouts: newLayoutCache(), read: read, write: write, wake: make(chan struct{}, 1), pruned: map[market.Market]market.Instant{}}, nil
}

func connectPostgres(url string) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database address cannot be read: %w", err)
	}
	// bun writes arguments into the text, so preparing statements gains nothing;
	// text results keep decimals exact.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(16)
	pool.SetMaxIdleConns(8)
	b := bun.NewDB(pool, postgresDialect{pgdialect.New()}, bun.WithDiscardUnknownColumns())
	return &Store{layouts: newLayoutCache(), read: b, write: b, pg: config, wake: make(chan struct{}, 1), pruned: map[market.Market]market.Instant{}}, nil
}

// sqliteDialect spells instants as microseconds since 1970: as text one moment
// has two spellings, and then two rows.
type sqliteDialect struct{ *sqlitedialect.Dialect }

func (sqliteDialect) AppendTime(b []byte, t time.Time) []byte {
	return fmt.Appendf(b, "%d", t.UnixMicro())
}

// AppendJSON writes JSON as it is: bun's own rewrites what looks like a NUL.
func (d sqliteDialect) AppendJSON(b, json []byte) []byte { return d.AppendString(b, string(json)) }

// postgresDialect leaves JSON alone, too.
type postgresDialect struct{ *pgdialect.Dialect }

// AppendJSON writes JSON as it is.
func (d postgresDialect) AppendJSON(b, json []byte) []byte { return d.AppendString(b, string(json)) }

var _ schema.Dialect = sqliteDialect{}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.read.PingContext(ctx) }

// Close closes every connection.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.write != s.read {
		if e := s.write.Close(); err == nil {
			err = e
		}
	}
	return err
}

func (s *Store) isPostgres() bool { return s.pg != nil }
