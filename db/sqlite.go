package db

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
)

// The number of connections to an SQLite file. They take nothing from other processes.
const (
	sqliteReaders   = 8
	sqliteFollowers = 2
)

func (s *Store) connectSQLite(path string, with settings) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := newSQLiteFile(path)
	if err != nil {
		return err
	}
	s.file = file
	s.limits = newLimits(with.timeout, sqliteReaders) // readers wait for no lock
	open := func(name string, connections int, busy time.Duration, more string) *sql.DB {
		// busy_timeout comes first: switching to WAL may have to wait for others.
		options := fmt.Sprintf("&_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)%s", busy.Milliseconds(), more)
		pool := sql.OpenDB(connector{file, options, s.ran.watch(name, "sqlite")})
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		file.pools[pool] = connections
		return pool
	}
	dialect := sqliteDialect{sqlitedialect.New()}
	for _, pool := range []struct {
		of          **bun.DB
		name        string
		connections int
		busy        time.Duration
		more        string
		dialect     schema.Dialect
	}{
		// A transaction that reads before it writes must hold the write lock from its start, or
		// its first write fails as locked.
		{&s.write, "write", 1, s.writeTimeout, "&_txlock=immediate", dialect},
		{&s.read, "read", sqliteReaders, s.timeout, "&_pragma=query_only(1)", reader{dialect}},
		{&s.follow, "follow", sqliteFollowers, s.timeout, "&_pragma=query_only(1)", reader{dialect}},
	} {
		*pool.of = bun.NewDB(open(pool.name, pool.connections, pool.busy, pool.more), pool.dialect, bun.WithDiscardUnknownColumns())
	}
	s.hot, s.looks = newPrepared(s.read, false, ""), newPrepared(s.follow, false, "")
	return nil
}
