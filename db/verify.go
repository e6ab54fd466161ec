package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"piyasa/domain/market"
)

// Finding is a fault in a database.
type Finding struct {
	Check   string `json:"check"`   // integrity, schema, numbers, disclosures, references, figures, bars or actions
	Subject string `json:"subject"` // what it is about: a table, an index, a feed, an instrument
	Problem string `json:"problem"`
}

// IsDamage reports whether the finding is about stored data, not about data that piyasa never
// received.
func (f Finding) IsDamage() bool { return f.Check != actionsCheck }

// Verified counts what Verify has checked.
type Verified struct {
	Disclosures, Recordings int
	LeftOut                 int // bars and quotes with impossible figures, which are not shown
	OffDays                 int // bars of days without trading, which are not shown
}

// verifyTime bounds each statement of Verify.
const verifyTime = time.Hour

// maxFindings bounds the findings of each check.
const maxFindings = 100

// Verify reads the database at url as of one moment, changes nothing, and reports
// contradictions: damage of the store, a schema that is not that of this version, numbers of
// the log that are missing or used twice, rows without the row that they belong to, figures
// that cannot be read, bars that their observations do not make, and days on which a corporate
// action seems to be missing. Others may read and write in the meantime.
func Verify(ctx context.Context, url string, report func(Finding)) (Verified, error) {
	v := &verifier{report: report, found: map[string]int{}, skip: map[market.ID]bool{}}
	from, err := v.open(url)
	if err != nil {
		return v.Verified, err
	}
	defer from.Close()
	err = v.all(ctx, from)
	if damage := damageIn(err); damage != "" {
		v.finding("integrity", "database", "reading fails: %s", damage)
		err = nil
	}
	if err != nil && v.found["schema"] > 0 {
		v.finding("schema", "database", "the other checks need another one: %v", err)
		err = nil
	}
	return v.Verified, err
}

// verifier is one run of Verify. It reads a database in one transaction and reports each row
// that cannot be read, contradicts another, or differs from what would be made again, such as
// bars from their observations. It changes nothing.
type verifier struct {
	Verified
	report   func(Finding)
	found    map[string]int                // findings by check
	skip     map[market.ID]bool            // instruments with unreadable rows
	sessions map[market.ID]market.Recorder // of world indices
	days     market.Exceptions
	postgres bool
	tx       bun.Tx
}

// open opens the database on one connection.
func (v *verifier) open(url string) (*bun.DB, error) {
	path, err := sqlitePath(url)
	if err == nil {
		return openToRead(path), nil
	}
	if !errors.Is(err, ErrNotSQLite) {
		return nil, err
	}
	s, err := connect(url, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	reading, err := s.address(url, settings{}.pooling, false)
	if err != nil {
		return nil, err
	}
	v.postgres = true
	return s.postgresPool("verify", reading, 1, verifyTime, reader{postgresDialect{pgdialect.New()}}), nil
}

func (v *verifier) all(ctx context.Context, from *bun.DB) error {
	if err := v.checkIndexes(ctx, from); err != nil {
		return err
	}
	options := &sql.TxOptions{}
	if v.postgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return from.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error {
		v.tx = tx
		for _, check := range []func(context.Context) error{
			v.checkFile, v.checkSchema, v.checkNumbers, v.checkDisclosures, v.checkReferences, v.checkFigures, v.checkBars,
			v.checkActions, v.checkIndexLinks,
		} {
			if err := check(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// finding reports a fault.
func (v *verifier) finding(check, subject, problem string, args ...any) {
	v.found[check]++
	switch n := v.found[check]; {
	case n < maxFindings:
		v.report(Finding{check, subject, fmt.Sprintf(problem, args...)})
	case n == maxFindings:
		v.report(Finding{check, subject, "there is more, which is not listed"})
	}
}

// damageIn returns the damage that an error reports, or "".
func damageIn(err error) string {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return e.Error()
		}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(e.Code, "XX") {
		return e.Error()
	}
	return ""
}

// checkFile lets SQLite check its file, and asks Postgres for pages with failed checksums and
// for uncompleted indexes.
func (v *verifier) checkFile(ctx context.Context) error {
	var problems []string
	if !v.postgres {
		if err := v.tx.NewRaw(fmt.Sprintf("PRAGMA integrity_check(%d)", maxFindings)).Scan(ctx, &problems); err != nil {
			return err
		}
		for _, p := range problems {
			if p != "ok" {
				v.finding("integrity", "database", "%s", p)
			}
		}
		return nil
	}
	var failures int64
	if err := v.tx.NewRaw("SELECT COALESCE(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()").Scan(ctx,
		&failures); err != nil {
		return err
	}
	if failures > 0 {
		v.finding("integrity", "database", "%d pages failed their checksum", failures)
	}
	if err := v.tx.NewRaw("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid AND indrelid IN (SELECT oid FROM pg_class "+
		"WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass))").Scan(ctx, &problems); err != nil {
		return err
	}
	for _, index := range problems {
		v.finding("integrity", index, "the index is not valid; REINDEX makes it again")
	}
	return nil
}

// checkIndexes compares the indexes of Postgres with their tables, if the extension amcheck is
// installed. An index that fails ends its transaction.
func (v *verifier) checkIndexes(ctx context.Context, from *bun.DB) error {
	if !v.postgres {
		return nil
	}
	var schema *string
	if err := from.NewRaw("SELECT (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE "+
		"e.extname = 'amcheck')").Scan(ctx, &schema); err != nil || schema == nil {
		return err
	}
	var indexes []string
	if err := from.NewRaw("SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class c ON "+
		"c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"+
		" WHERE t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass) AND a.amname = 'btree' AND "+
		"i.indisvalid ORDER BY 1").Scan(ctx, &indexes); err != nil {
		return err
	}
	for _, index := range indexes {
		_, err := from.NewRaw("SELECT ?.bt_index_check(?::regclass, true)", bun.Ident(*schema), index).Exec(ctx)
		if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && refusal.Code == "42501" {
			return nil // this role has no permission
		}
		if damage := damageIn(err); damage != "" {
			v.finding("integrity", index, "%s", damage)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// errNewerSchema reports a database of a newer version.
var errNewerSchema = errors.New("its schema is of a newer version of piyasa")

// checkSchema fails unless the schema is of this version, which the other checks require, and
// compares its parts with those that the version makes.
func (v *verifier) checkSchema(ctx context.Context) error {
	missing, err := missingMigrations(ctx, v.tx)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("its schema is of an older version of piyasa: run piyasa migrate first (%s is missing)", missing[0])
	}
	if err != nil {
		return err
	}
	return differs(ctx, v.tx, func(part made, problem string) { v.finding("schema", part.What, "%s", problem) })
}

// missingMigrations returns the migrations that a database lacks.
func missingMigrations(ctx context.Context, db bun.IDB) ([]string, error) {
	known, err := knownMigrations()
	if err != nil {
		return nil, err
	}
	var applied []string
	if err := db.NewRaw("SELECT name FROM bun_migrations").Scan(ctx, &applied); err != nil {
		return nil, fmt.Errorf("it is no database of piyasa: %w", err)
	}
	var missing []string
	for _, m := range known.Sorted() {
		if !slices.Contains(applied, m.Name) {
			missing = append(missing, m.String())
		}
		applied = slices.DeleteFunc(applied, func(name string) bool { return name == m.Name })
	}
	if len(applied) > 0 {
		return nil, fmt.Errorf("%w (it has %s)", errNewerSchema, applied[0])
	}
	return missing, nil
}
