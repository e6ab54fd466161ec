package db

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// The place is what a Postgres database runs on. If it changes, the store may have
// gone back: another server took over (system, timeline), an older copy of its files
// was started (start), or the tables were loaded from a dump (database, file).
const (
	placeOfAll = `concat_ws('/', (SELECT system_identifier FROM pg_control_system()), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),` +
		` extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('heads'))`
	// Some hosted servers hide their system and timeline from some roles.
	placeOfSome = `concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('heads'))`
)

// timelineOf returns the system and the timeline in a place; 0 if it has none.
func timelineOf(place string) (system string, timeline uint64) {
	parts := strings.Split(place, "/")
	if len(parts) < 5 {
		return "", 0
	}
	timeline, _ = strconv.ParseUint(parts[1], 16, 64)
	return parts[0], timeline
}

// samePlace reports whether two places, either of which may be less complete, are the same.
func samePlace(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

// here returns the expression of the place, which is null on a standby.
func (s *Store) here() string {
	return "CASE WHEN NOT pg_is_in_recovery() THEN " + *s.epochs.reads.Load() + " END"
}

// hidden are the error codes of a function that the role may not call, or that the server does
// not have.
var hidden = []string{"42501", "42883", "0A000"}

// learnPlace finds out which expression of its place a Postgres server allows.
func (s *Store) learnPlace(ctx context.Context, from *bun.DB) error {
	if !s.isPostgres() || s.epochs.reads.Load() != nil {
		return nil
	}
	reads := new(placeOfAll)
	_, err := from.ExecContext(ctx, "SELECT CASE WHEN NOT pg_is_in_recovery() THEN "+*reads+" END")
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && slices.Contains(hidden, refusal.Code) {
		reads, err = new(placeOfSome), nil
	}
	if err == nil {
		s.epochs.reads.Store(reads)
	}
	return err
}
