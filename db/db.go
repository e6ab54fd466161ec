// Package db stores everything in SQLite or Postgres, through the same queries.
//
// The database is the log: rows that servers must notice take numbers of a feed inside the
// storing transaction (see feeds.go), and readers follow the numbers. Decimals are TEXT on
// SQLite and NUMERIC on Postgres and come back digit for digit; instants are microseconds since
// 1970 on SQLite and timestamptz on Postgres.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Store is an open database, SQLite or Postgres, with all data that outlives a process. Records
// are stored in batches (Batch), each of which is one transaction and takes the next numbers of
// its feeds; servers follow those numbers. Requests read on their own connections, so they can
// exhaust neither those of followers nor those of writers. A Store is safe for concurrent use.
type Store struct {
	read     *bun.DB   // for reads of requests, many connections
	hot      *prepared // for the most frequent reads of requests, on the same connections
	follow   *bun.DB   // for reads of servers themselves: the log, the keys, health; requests cannot exhaust these few connections
	looks    *prepared // for reads of the log by servers after each commit, on the connections of follow
	write    *bun.DB   // on SQLite a single connection
	primary  *address  // on Postgres: what write connects to
	readFrom *address  // on Postgres: what read and follow connect to
	hosts    *hosts
	lag      *lag
	flushed  *flushed
	doubted  *atomic.Bool // whether a commit on Postgres may not have reached the synchronous standbys
	file     *sqliteFile  // nil on Postgres
	wake     chan struct{}
	epochs   *knownEpochs
	limits
	ran *statementMetrics

	pruned map[market.Market]value.Instant // up to where Prune is complete

	layouts *layoutCache

	endWords func() // ends storeWordsBeside; nil: it has not begun
}

// Pools returns the connection pools by use: read (requests), follow (the log, keys, health)
// and write.
func (s *Store) Pools() map[string]*sql.DB {
	return map[string]*sql.DB{"read": s.read.DB, "follow": s.follow.DB, "write": s.write.DB}
}

// Open opens the database at url, "sqlite:PATH" or "postgres://…", for reading and writing, and
// prepares it: it brings its schema up to date. It creates a missing SQLite file and its
// folder. NotThereYet reports whether an error may pass by itself.
func Open(ctx context.Context, url string, options ...Option) (*Store, error) {
	s, err := connect(url, options)
	if err != nil {
		return nil, err
	}
	if _, err := s.prepare(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	s.storeWordsBeside()
	return s, nil
}

// OpenToRead opens the database like Open, even if nothing can be written. If the database is
// not prepared and cannot be prepared from here, the error says what it lacks.
func OpenToRead(ctx context.Context, url string, options ...Option) (*Store, error) {
	s, err := connect(url, options)
	if err != nil {
		return nil, err
	}
	if err := s.beReady(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Migrate prepares the database at url, with the words for searches, and returns the names of
// the migrations that it applied.
func Migrate(ctx context.Context, url string, options ...Option) ([]string, error) {
	s, err := connect(url, options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	applied, err := s.prepare(ctx)
	if err == nil {
		err = s.storeMissingWords(ctx)
	}
	return applied, err
}

func connect(url string, options []Option) (*Store, error) {
	with := settings{timeout: DefaultTimeout, connections: DefaultConnections}
	for _, option := range options {
		option(&with)
	}
	s := &Store{
		ran: newStatementMetrics(), layouts: newLayoutCache(), epochs: &knownEpochs{left: map[string]bool{}}, flushed: new(flushed),
		doubted: new(atomic.Bool), hosts: new(hosts), lag: new(lag),
		wake: make(chan struct{}, 1), pruned: map[market.Market]value.Instant{},
	}
	path, isFile := strings.CutPrefix(url, "sqlite:")
	switch {
	case isFile && path != "" && !strings.HasPrefix(path, ":memory:"): // in memory, every connection would have its own database
		return s, s.connectSQLite(path, with)
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return s, s.connectPostgres(url, with)
	}
	return nil, fmt.Errorf("the database must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")
}

// closeTime is how long Close waits for connections that are in use or do not answer.
const closeTime = 3 * time.Second

// Close closes every connection, the writing one last, so that an SQLite database is then one
// whole file: if connections close at the same time, none of them empties the write-ahead log.
func (s *Store) Close() error {
	closed := make(chan error, 1)
	go func() {
		if s.endWords != nil {
			s.endWords()
		}
		var readers sync.WaitGroup
		errs := make([]error, 2)
		for i, pool := range []*bun.DB{s.read, s.follow} {
			readers.Go(func() { errs[i] = pool.Close() })
		}
		readers.Wait()
		errs = append(errs, s.write.Close())
		if s.file != nil {
			errs = append(errs, s.file.lock.Close())
		}
		closed <- errors.Join(errs...)
	}()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTime):
		return errors.New("some connections to the database could not be closed")
	}
}

func (s *Store) isPostgres() bool { return s.primary != nil }
