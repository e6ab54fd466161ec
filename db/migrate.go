package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
	"modernc.org/sqlite"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// wordsOfStore replaces the words of migrations that differ between the stores. Elements is a
// function: the texts of a JSON list, as rows with the column value.
func (s *Store) wordsOfStore() *strings.Replacer {
	if s.isPostgres() {
		return strings.NewReplacer("{{.Decimal}}", "NUMERIC", "{{.Instant}}", "TIMESTAMPTZ", "{{.Date}}", "DATE", "{{.JSON}}", "JSONB",
			"{{.Bytes}}", "BYTEA", "{{.Clustered}}", "", "{{.Bytewise}}", `COLLATE "C"`, "{{.Elements}}", "jsonb_array_elements_text")
	}
	// A DECIMAL column would become a float on SQLite.
	return strings.NewReplacer("{{.Decimal}}", "TEXT", "{{.Instant}}", "INTEGER", "{{.Date}}", "TEXT", "{{.JSON}}", "TEXT",
		"{{.Bytes}}", "BLOB", "{{.Clustered}}", "WITHOUT ROWID", "{{.Bytewise}}", "", "{{.Elements}}", "json_each")
}

// forPostgres matches SQL for Postgres and, after else, for SQLite.
var forPostgres = regexp.MustCompile(`(?s)\{\{if \.Postgres\}\}(.*?)\{\{else\}\}(.*?)\{\{end\}\}`)

// apply runs the statements of a migration. beside is the SQL for building an index beside
// writers. The index may already exist: an older version built it in another migration, or a
// killed process has completed it.
//
// bun would make the statements with text/template, for which the linker keeps every method of
// every type in the program.
func (s *Store) apply(ctx context.Context, on *bun.DB, m *migrate.Migration, beside string) error {
	text, err := migrationFiles.ReadFile("migrations/" + m.String() + ".up.sql")
	if err != nil {
		return err
	}
	kept := "$2"
	if s.isPostgres() {
		kept = "$1"
	}
	all := forPostgres.ReplaceAllString(string(text), kept)
	all = strings.ReplaceAll(all, "{{.Beside}}", beside+"IF NOT EXISTS")
	for statement := range strings.SplitSeq(s.wordsOfStore().Replace(all), "--bun:split\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		if _, err := on.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// migrateTime bounds the work of migrations and the wait for another process that does it.
const migrateTime = time.Hour

// sqliteBusy is the code of SQLite's error for a lock that another connection holds.
const sqliteBusy = 5

// migrate applies the missing migrations. Several processes may start at once: one works, the
// others wait. bun's own lock is a row, which a killed process would leave behind for ever;
// here the lock belongs to the transaction around the work.
//
// A new database is made all or nothing, and so is an update of SQLite, during which others can
// read. An update of Postgres has one transaction per migration, so that no migration holds its
// locks longer than it works.
func (s *Store) migrate(ctx context.Context) (applied []string, err error) {
	ctx, done := within(ctx, migrateTime)
	defer done(&err)
	one := s.write
	if s.isPostgres() {
		one = s.onlyPool()
		defer one.Close()
	}
	waiting := lockWait{store: s}
	for {
		some, more, err := s.migrateSome(ctx, one)
		applied = append(applied, some...)
		switch {
		case err == nil && !more:
			return applied, nil
		case err == nil:
			waiting.pause = 0
		case !lockedOut(err):
			return nil, err
		default:
			if err := waiting.again(ctx, err); err != nil {
				return nil, err
			}
		}
	}
}

// migrateSome applies one or more migrations in a transaction, and reports whether more are
// missing.
func (s *Store) migrateSome(ctx context.Context, one *bun.DB) (applied []string, more bool, err error) {
	if err := s.beginMigration(ctx, one); err != nil {
		return nil, false, err
	}
	applied, more, err = s.run(ctx, one)
	if err != nil {
		_, undo := one.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return nil, false, errors.Join(err, undo)
	}
	_, err = one.ExecContext(ctx, "COMMIT")
	return applied, more, err
}

// run applies migrations in the transaction of one.
func (s *Store) run(ctx context.Context, one *bun.DB) (applied []string, more bool, err error) {
	m, err := s.migrator(one)
	if err != nil {
		return nil, false, err
	}
	if err := m.Init(ctx); err != nil {
		return nil, false, err
	}
	if err := notNewer(ctx, m); err != nil {
		return nil, false, err
	}
	all, err := m.MigrationsWithStatus(ctx)
	if err != nil {
		return nil, false, err
	}
	missing := all.Unapplied()
	group, isNew := all.LastGroupID()+1, len(all.Applied()) == 0
	for i := range missing {
		next := &missing[i]
		next.GroupID = group
		apply := func() error { return s.apply(ctx, one, next, "") }
		if !isNew && s.isPostgres() && buildsBeside(next) {
			apply = func() error { return s.buildBeside(ctx, one, next) }
		}
		if err := apply(); err != nil {
			return nil, false, fmt.Errorf("migration %s: %w", next, err)
		}
		if err := m.MarkApplied(ctx, next); err != nil {
			return nil, false, err
		}
		applied = append(applied, next.String())
		if !isNew && s.isPostgres() {
			return applied, i < len(missing)-1, nil
		}
	}
	return applied, false, nil
}

// migrator returns a migrator on these connections, which keeps the list of migrations.
func (s *Store) migrator(on *bun.DB) (*migrate.Migrator, error) {
	migrations, err := knownMigrations()
	if err != nil {
		return nil, err
	}
	return migrate.NewMigrator(on, migrations, migrate.WithMarkAppliedOnSuccess(true)), nil
}

// knownMigrations are those of this version.
func knownMigrations() (*migrate.Migrations, error) {
	files, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		return nil, err
	}
	migrations := migrate.NewMigrations()
	for _, file := range files {
		name, comment, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".up.sql"), "_")
		migrations.Add(migrate.Migration{Name: name, Comment: comment})
	}
	return migrations, nil
}

// notNewer returns an error if a migration has been applied that this version does not know:
// the data may have another meaning by now.
func notNewer(ctx context.Context, m *migrate.Migrator) error {
	newer, err := m.MissingMigrations(ctx)
	if err == nil && len(newer) > 0 {
		err = fmt.Errorf("a newer version of piyasa has updated the database (migration %s): use that version or a later one",
			newer[0].Name)
	}
	return err
}

func (s *Store) beginMigration(ctx context.Context, one *bun.DB) error {
	if s.isPostgres() {
		return s.takeMigrationLock(ctx, one)
	}
	// If two connections switch a new file to WAL at once, SQLite returns "busy" to one of them
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
