package db

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/uptrace/bun/migrate"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// columnTypes are the words that differ between the stores.
type columnTypes struct{ Decimal, Instant, Date, JSON, Clustered string }

func (s *Store) columnTypes() columnTypes {
	if s.isPostgres() {
		return columnTypes{Decimal: "NUMERIC", Instant: "TIMESTAMPTZ", Date: "DATE", JSON: "JSONB"}
	}
	// A DECIMAL column would become a float on SQLite.
	return columnTypes{Decimal: "TEXT", Instant: "INTEGER", Date: "TEXT", JSON: "TEXT", Clustered: "WITHOUT ROWID"}
}

// migrationLock is the key of the advisory lock that migrating processes share.
const migrationLock = 7_246_518_201

// migrate applies what is missing, all or nothing. Several processes may start
// at once: one works, the others wait. bun's own lock is a row, which a killed
// process would leave behind for ever; here the lock is the transaction that
// surrounds the work, on the only connection of a pool made for it.
func (s *Store) migrate(ctx context.Context) (applied []string, err error) {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(migrationFiles); err != nil {
		return nil, err
	}
	one := s.write
	begin := []string{"BEGIN IMMEDIATE"}
	if s.isPostgres() {
		p, err := connectPostgres(s.pg.ConnString())
		if err != nil {
			return nil, err
		}
		defer p.Close()
		p.write.SetMaxOpenConns(1)
		one = p.write
		begin = []string{"BEGIN", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock)}
	}
	for _, statement := range begin {
		if _, err := one.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	group, err := run(ctx, migrate.NewMigrator(one, migrations,
		migrate.WithTemplateData(s.columnTypes()), migrate.WithMarkAppliedOnSuccess(true)))
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

func run(ctx context.Context, m *migrate.Migrator) (*migrate.MigrationGroup, error) {
	if err := m.Init(ctx); err != nil {
		return nil, err
	}
	return m.Migrate(ctx)
}
