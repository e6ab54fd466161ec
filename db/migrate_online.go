package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"
)

// Servers and ingests continue while Postgres is migrated. A statement that waits for the lock
// of a table blocks all later statements, even readers, behind one long read; so a migration
// gives up soon and tries again. An index of a table with rows is built beside writers.

// migrationLock is the key of the advisory lock that migrating processes share.
const migrationLock = 7_246_518_201

// lockTime is how long a migration waits for a lock, and so how long it blocks others.
const lockTime = 300 * time.Millisecond

// Pauses between attempts.
const (
	lookPause    = 20 * time.Millisecond // between looks at the lock of migrations
	lockPause    = 100 * time.Millisecond
	maxLockPause = 5 * time.Second
)

// takeMigrationLock begins a transaction that has the lock of migrations. It does not wait for
// the lock in a statement, because the building of an index would wait for the end of that
// statement.
func (s *Store) takeMigrationLock(ctx context.Context, one *bun.DB) error {
	for {
		var has bool
		if _, err := one.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		err := one.NewRaw("SELECT pg_try_advisory_xact_lock(?)", migrationLock).Scan(ctx, &has)
		if err == nil && has {
			_, err = one.ExecContext(ctx,
				fmt.Sprintf("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET "+
					"LOCAL lock_timeout = %d", lockTime.Milliseconds()))
		}
		if err == nil && has {
			return nil
		}
		if _, undo := one.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil || undo != nil {
			return errors.Join(err, undo)
		}
		if err := pauseFor(ctx, lookPause); err != nil {
			return err
		}
	}
}

// pauseFor waits for d, or until ctx ends.
func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// lockedOut reports whether a migration failed because others were using its tables.
func lockedOut(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"55P03", "40P01"}, refusal.Code) // lock_not_available, deadlock_detected
}

// lockWait spaces the attempts of a migration that waits for others.
type lockWait struct {
	store  *Store
	pause  time.Duration // the last one
	warned bool
}

// again waits before the next attempt, a little longer each time.
func (w *lockWait) again(ctx context.Context, failed error) error {
	if !w.warned && w.pause >= time.Second {
		w.warned = true
		slog.Warn("a migration waits until others let go of its tables, and tries again and again so that they need not wait for it",
			"error", failed, "oldest_transaction", w.store.oldestTransaction(ctx))
	}
	w.pause = min(max(lockPause, 2*w.pause), maxLockPause)
	if err := pauseFor(ctx, w.pause/2+rand.N(w.pause)); err != nil {
		return fmt.Errorf("%w; others used its tables all the time, the oldest transaction is %s",
			failed, w.store.oldestTransaction(context.WithoutCancel(ctx)))
	}
	return nil
}

// oldestTransaction describes the oldest transaction, which is probably the one that blocks.
func (s *Store) oldestTransaction(ctx context.Context) (who string) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.write.NewRaw("SELECT concat_ws(' ', 'pid', pid, usename, application_name, 'since', date_trunc('second', xact_start)) "+
		"FROM pg_stat_activity"+
		" WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1").Scan(ctx,
		&who)
	if err != nil {
		return "unknown"
	}
	return who
}

// besideWriters follows CREATE INDEX if an index is built beside writers.
const besideWriters = "CONCURRENTLY "

var indexBeside = regexp.MustCompile(`INDEX \{\{\.Beside\}\} (\w+)`)

// indexesBeside returns the indexes that a migration builds beside writers.
func indexesBeside(m *migrate.Migration) (names []string) {
	text, err := migrationFiles.ReadFile("migrations/" + m.String() + ".up.sql")
	if err != nil {
		return nil // m was made from this file
	}
	for _, match := range indexBeside.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

// buildsBeside reports whether a migration only builds indexes beside writers.
func buildsBeside(m *migrate.Migration) bool { return len(indexesBeside(m)) > 0 }

// buildBeside builds indexes on a connection of its own, because Postgres does this only
// outside of transactions. It builds uncompleted indexes again. The lock of migrations is in
// the transaction of one.
func (s *Store) buildBeside(ctx context.Context, one *bun.DB, m *migrate.Migration) error {
	// The last query of one holds its snapshot until the next statement, and the build would
	// wait for its end.
	if _, err := one.ExecContext(ctx, "SELECT"); err != nil {
		return err
	}
	worker := s.onlyPool()
	defer worker.Close()
	// Postgres 14 or newer notices if this process is killed.
	if _, err := worker.ExecContext(ctx, "SET statement_timeout = 0; SET lock_timeout = 0; "+
		"SELECT set_config(name, '5s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'"); err != nil {
		return err
	}
	var broken []string
	if err := worker.NewRaw("SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"+
		" WHERE NOT i.indisvalid AND c.relname IN (?) AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid "+
		"= 'heads'::regclass)", bun.List(indexesBeside(m))).Scan(ctx, &broken); err != nil {
		return err
	}
	for _, name := range broken {
		if _, err := worker.NewRaw("DROP INDEX CONCURRENTLY IF EXISTS ?", bun.Ident(name)).Exec(ctx); err != nil {
			return err
		}
	}
	return s.apply(ctx, worker, m, besideWriters)
}

// onlyPool returns a pool of one connection to the primary, which keeps its transactions and
// settings.
func (s *Store) onlyPool() *bun.DB {
	pool := sql.OpenDB(&onlyConnection{Connector: stdlib.GetConnector(*s.primary.ConnConfig)})
	pool.SetMaxOpenConns(1)
	return bun.NewDB(pool, pgdialect.New())
}

// onlyConnection connects once, and keeps the pool from discarding a connection because it has
// an open transaction.
type onlyConnection struct {
	driver.Connector
	connected atomic.Bool
}

func (o *onlyConnection) Connect(ctx context.Context) (driver.Conn, error) {
	if o.connected.Swap(true) {
		return nil, errors.New("the connection was lost while migrating")
	}
	conn, err := o.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return pinned{conn.(*stdlib.Conn)}, nil
}

type pinned struct{ *stdlib.Conn }

func (pinned) ResetSession(context.Context) error { return nil }
