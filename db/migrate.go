package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"
	"modernc.org/sqlite"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// columnTypes are the words that differ between the stores.
type columnTypes struct {
	Decimal, Instant, Date, JSON, Bytes, Clustered, Bytewise string
	Elements                                                 string // function: the texts of a JSON list, as rows with the column value
}

func (s *Store) columnTypes() columnTypes {
	if s.isPostgres() {
		return columnTypes{Decimal: "NUMERIC", Instant: "TIMESTAMPTZ", Date: "DATE", JSON: "JSONB", Bytes: "BYTEA", Bytewise: `COLLATE "C"`, Elements: "jsonb_array_elements_text"}
	}
	// A DECIMAL column would become a float on SQLite.
	return columnTypes{Decimal: "TEXT", Instant: "INTEGER", Date: "TEXT", JSON: "TEXT", Bytes: "BLOB", Clustered: "WITHOUT ROWID", Elements: "json_each"}
}

// migrateTime bounds the work of migrations and the wait for another process
// that does it.
const migrateTime = time.Hour

// sqliteBusy is the code of SQLite's error "somebody else holds the lock".
const sqliteBusy = 5

// migrationLock is the key of the advisory lock that migrating processes share.
const migrationLock = 7_246_518_201

// migrate applies what is missing, all or nothing. Several processes may start
// at once: one works, the others wait. bun's own lock is a row, which a killed
// process would leave behind for ever; here the lock is the transaction that
// surrounds the work, on the only connection of a pool made for it.
func (s *Store) migrate(ctx context.Context) (applied []string, err error) {
	ctx, done := within(ctx, migrateTime)
	defer done(&err)
	one := s.write
	if s.isPostgres() {
		pinned := sql.OpenDB(&onlyConnection{Connector: stdlib.GetConnector(*s.primary.ConnConfig)})
		defer pinned.Close()
		pinned.SetMaxOpenConns(1)
		one = bun.NewDB(pinned, pgdialect.New())
	}
	if err := s.beginMigration(ctx, one); err != nil {
		return nil, err
	}
	group, err := s.run(ctx, one)
	if err != nil {
		_, undo := one.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return nil, errors.Join(err, undo)
	}
	if _, err := one.ExecContext(ctx, "COMMIT"); err != nil {
		return nil, err
	}
	for _, m := range group.Migrations {
		applied = append(applied, m.String())
	}
	return applied, nil
}

func (s *Store) run(ctx context.Context, one *bun.DB) (*migrate.MigrationGroup, error) {
	m, err := s.migrator(one)
	if err != nil {
		return nil, err
	}
	if err := m.Init(ctx); err != nil {
		return nil, err
	}
	if err := notNewer(ctx, m); err != nil {
		return nil, err
	}
	return m.Migrate(ctx)
}

func (s *Store) migrator(on *bun.DB) (*migrate.Migrator, error) {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(migrationFiles); err != nil {
		return nil, err
	}
	return migrate.NewMigrator(on, migrations, migrate.WithTemplateData(s.columnTypes()), migrate.WithMarkAppliedOnSuccess(true)), nil
}

// notNewer returns an error if a migration has been applied that this version does not
// know: what it would read and write may mean something else by now.
func notNewer(ctx context.Context, m *migrate.Migrator) error {
	newer, err := m.MissingMigrations(ctx)
	if err == nil && len(newer) > 0 {
		err = fmt.Errorf("a newer version of piyasa has updated the database (migration %s): use that version or a later one", newer[0].Name)
	}
	return err
}

func (s *Store) beginMigration(ctx context.Context, one *bun.DB) error {
	if s.isPostgres() {
		_, err := one.ExecContext(ctx, fmt.Sprintf("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; "+
			"SELECT pg_advisory_xact_lock(%d)", migrationLock))
		return err
	}
	// Of two that switch a fresh file to WAL at once SQLite tells one "busy"
	// without waiting.
	for {
		_, err := one.ExecContext(ctx, "BEGIN IMMEDIATE")
		if busy, ok := errors.AsType[*sqlite.Error](err); !ok || busy.Code()&0xff != sqliteBusy {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// onlyConnection connects once, and keeps the pool from throwing a connection
// away because a transaction is open on it.
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
