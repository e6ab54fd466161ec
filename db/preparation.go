package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/uptrace/bun"
)

// prepare makes everything that servers need: the schema of this version, the epoch, bars
// recorded by the rules of this version, and the secret for signing. It returns the names of
// the migrations that it applied. If nothing is missing it changes nothing, so that a role that
// owns no tables can call it.
func (s *Store) prepare(ctx context.Context) (applied []string, err error) {
	if err := s.harden(ctx); err != nil { // the disk may be full, and stored data can still be read
		slog.Warn("nothing can be stored until the disk works", "error", err)
	}
	lacks, err := s.lacks(ctx, s.write)
	if err != nil {
		return nil, s.file.explained(err)
	}
	if lacks == "" {
		return nil, s.lookAtLog(ctx)
	}
	if applied, err = s.migrate(ctx); err != nil {
		err = fmt.Errorf("update the schema: %w", s.file.explained(err))
		if CannotWrite(err) {
			err = &unpreparedError{lacks, err}
		}
		return nil, err
	}
	if err := s.lookAtLog(ctx); err != nil {
		return nil, err
	}
	if err := s.recordMarked(ctx); err != nil {
		return nil, fmt.Errorf("update the bars that an older version recorded: %w", err)
	}
	if err := s.makeSigningSecret(ctx); err != nil {
		return nil, fmt.Errorf("make the secret to sign with: %w", err)
	}
	return applied, nil
}

func (s *Store) lookAtLog(ctx context.Context) error {
	if err := s.beginEpoch(ctx); err != nil {
		return fmt.Errorf("look at the log: %w", err)
	}
	return nil
}

// unpreparedError says what a database lacks, and why it could not be prepared from here.
type unpreparedError struct {
	lacks string
	err   error
}

// Error implements error.
func (e *unpreparedError) Error() string {
	return fmt.Sprintf("the database lacks %s; run `piyasa migrate` on the primary; it was not done from here: %v", e.lacks, e.err)
}

// Unwrap returns why the database could not be prepared from here.
func (e *unpreparedError) Unwrap() error { return e.err }

func isUnprepared(err error) bool {
	_, is := errors.AsType[*unpreparedError](err)
	return is
}

// beReady returns nil if the hosts that are read have everything that servers need. It prepares
// the database only if they do not, so that a server usually needs no host that accepts writes.
func (s *Store) beReady(ctx context.Context) error {
	if !s.isPostgres() {
		_, err := s.prepare(ctx)
		if err == nil {
			s.storeWordsBeside()
		}
		return err
	}
	lacks, err := s.lacks(ctx, s.follow)
	if err == nil && lacks == "" {
		err = s.learnPlace(ctx, s.follow)
	}
	if err != nil || lacks == "" {
		return err
	}
	switch _, failed := s.prepare(ctx); {
	case failed == nil:
		s.storeWordsBeside()
	case isUnprepared(failed):
		return failed
	case CannotWrite(failed) || NotThereYet(failed):
		return &unpreparedError{lacks, failed}
	default:
		return failed
	}
	lacks, err = s.lacks(ctx, s.follow)
	if err == nil && lacks != "" {
		err = &unpreparedError{lacks, errors.New("it was done, but the host that is read does not show it yet")}
	}
	return err
}

// undefinedTable is Postgres' error code for a missing table.
const undefinedTable = "42P01"

// lacks names what servers need but the hosts of these connections lack; empty: nothing.
func (s *Store) lacks(ctx context.Context, from *bun.DB) (what string, err error) {
	ctx, done := within(ctx, s.timeout)
	defer done(&err)
	m, err := s.migrator(from)
	if err != nil {
		return "", err
	}
	all, err := m.MigrationsWithStatus(ctx)
	if isUndefined(err) {
		return "the schema of piyasa", nil
	}
	if err != nil {
		return "", fmt.Errorf("read which schema the database has: %w", err)
	}
	if missing := all.Unapplied(); len(missing) > 0 {
		var names []string
		for _, m := range missing {
			names = append(names, m.String())
		}
		return "the migrations " + strings.Join(names, ", "), nil
	}
	if err := notNewer(ctx, m); err != nil {
		return "", err
	}
	for _, need := range []struct{ what, query string }{
		{"its first epoch", "SELECT EXISTS (SELECT 1 FROM epochs)"},
		{"bars as this version records them", "SELECT NOT EXISTS (SELECT 1 FROM record_anew)"},
		{"the secret to sign with", "SELECT EXISTS (SELECT 1 FROM secrets WHERE name = '" + signing + "')"},
	} {
		var has bool
		if err := from.NewRaw(need.query).Scan(ctx, &has); err != nil {
			return "", err
		}
		if !has {
			return need.what, nil
		}
	}
	return "", nil
}
