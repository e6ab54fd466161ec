package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"piyasa/account/access"
)

// oldestPostgres is the oldest version that is supported.
const oldestPostgres = 13

// clockAway is the most that the clocks of this machine and of the database may differ.
const clockAway = time.Second

// postgresState is the state that a server of Postgres reports.
type postgresState struct {
	Version, MaxConnections, Reserved        int
	Name, Fsync, FullPageWrites, Synchronous string
	Autovacuum, TrackCounts, Standbys        string
	Encoding, Database                       string
	FrozenAge                                int64
	Now                                      int64 // microseconds since 1970
}

const stateQuery = `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_version') AS name,
current_setting('max_connections')::int AS max_connections,
current_setting('superuser_reserved_connections')::int + COALESCE(current_setting('reserved_connections', true), '0')::int AS reserved,
current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, current_setting('synchronous_commit') AS synchronous,
current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS track_counts, current_setting('synchronous_standby_names') AS standbys,
pg_encoding_to_char(d.encoding) AS encoding, d.datname AS database, age(d.datfrozenxid)::bigint AS frozen_age,
(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint AS now
FROM pg_database d WHERE d.datname = current_database()`

func (e *examiner) postgres(ctx context.Context, connections int) error {
	e.About = "Postgres"
	began := time.Now()
	var s postgresState
	if err := e.from.NewRaw(stateQuery).Scan(ctx, &s); err != nil {
		if errors.Is(err, pgconn.ErrReadOnlyConnection) {
			e.trouble(true, "database", "no host of the address accepts writes",
				"nothing is stored, migrated or metered", "start the primary, or promote a standby: pg_ctl promote")
			return nil
		}
		return err
	}
	away := time.UnixMicro(s.Now).Sub(began.Add(time.Since(began) / 2)).Abs()
	e.About += " " + s.Name
	e.server(s)
	if away > clockAway {
		e.trouble(away > time.Minute, "clock", fmt.Sprintf("the clock of the database is %s away from that of this machine",
			away.Round(time.Millisecond)), "limits of keys, claims of collectors and ages of quotes are wrong",
			"timedatectl set-ntp true, on both machines")
	}
	for _, look := range []func(context.Context, postgresState) error{e.standbys, e.collations, e.planner, e.brokenIndexes} {
		if err := look(ctx, s); err != nil {
			return err
		}
	}
	current, err := e.schema(ctx)
	if err != nil {
		return err
	}
	if err := e.connections(ctx, s, connections, current); err != nil || !current {
		return err
	}
	command := "psql '" + withoutPassword(e.url) + "' -c '%s'"
	if err := e.parts(ctx, "CONCURRENTLY ", command); err != nil {
		return err
	}
	if err := e.vacuum(ctx); err != nil {
		return err
	}
	return e.future(ctx)
}

// withoutPassword returns an address without its password, to be printed.
func withoutPassword(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User, u.RawQuery = url.User(u.User.Username()), ""
		return u.String()
	}
	return Shown(address)
}

// server reports settings of the server.
func (e *examiner) server(s postgresState) {
	if s.Version < oldestPostgres {
		e.trouble(true, "database", "Postgres is "+s.Name, fmt.Sprintf("piyasa needs %d or newer", oldestPostgres), "pg_upgrade")
	}
	if s.Encoding != "UTF8" {
		e.trouble(true, "database", "the encoding of the database is "+s.Encoding,
			"names in Turkish cannot be stored, or come back damaged", "createdb --encoding=UTF8 --template=template0 piyasa")
	}
	reload := "psql -c \"ALTER SYSTEM SET %s = on\" -c \"SELECT pg_reload_conf()\""
	for name, is := range map[string]string{"fsync": s.Fsync, "full_page_writes": s.FullPageWrites} {
		if is != "on" {
			e.trouble(true, "database", name+" is "+is, "a power cut loses what is stored, or damages all of it", fmt.Sprintf(reload, name))
		}
	}
	for name, is := range map[string]string{"autovacuum": s.Autovacuum, "track_counts": s.TrackCounts} {
		if is != "on" {
			e.trouble(true, "database", name+" is "+is,
				"tables grow with every change, queries become slow, and in the end Postgres refuses to write", fmt.Sprintf(reload, name))
		}
	}
	if s.FrozenAge > 1_000_000_000 {
		e.trouble(true, "database", fmt.Sprintf("the oldest row is %d transactions old", s.FrozenAge),
			"at two billions Postgres refuses to write", "vacuumdb --freeze "+s.Database)
	}
}

// standbys reports synchronous standbys that commits would wait for in vain or not wait for at
// all.
func (e *examiner) standbys(ctx context.Context, s postgresState) error {
	if s.Standbys == "" {
		return nil
	}
	if s.Synchronous == "local" {
		e.trouble(false, "database", "synchronous_commit is local, beside synchronous_standby_names = "+s.Standbys,
			"commits do not wait for the standbys: a failover may lose what clients have seen", "ALTER ROLE … RESET synchronous_commit")
	}
	var there int
	// A role that may not see the state of others sees null.
	if err := e.from.NewRaw("SELECT count(*) FROM pg_stat_replication WHERE sync_state IS NULL OR sync_state "+
		"IN ('sync', 'quorum')").Scan(ctx, &there); err != nil {
		return err
	}
	if there == 0 {
		e.trouble(true, "database", "no synchronous standby is connected; synchronous_standby_names = "+s.Standbys,
			"every commit waits until one is: nothing is stored meanwhile",
			"start the standby, or psql -c \"ALTER SYSTEM RESET synchronous_standby_names\" -c \"SELECT pg_reload_conf()\"")
	}
	return nil
}

// collations reports a collation library whose order of texts has changed since indexes were
// built.
func (e *examiner) collations(ctx context.Context, s postgresState) error {
	if s.Version < 15 {
		return nil // this version does not record it
	}
	var built, now string
	if err := e.from.NewRaw("SELECT COALESCE(datcollversion, ''), COALESCE(pg_database_collation_actual_version(oid), "+
		"'') FROM pg_database "+
		"WHERE datname = current_database()").Scan(ctx, &built, &now); err != nil {
		return err
	}
	if built != "" && built != now {
		e.trouble(true, "database", fmt.Sprintf("indexes were built with version %q of the collation, and the system has %q", built, now),
			"rows are not found, or stored twice",
			fmt.Sprintf("psql -d %[1]s -c \"REINDEX DATABASE %[1]s\" -c \"ALTER DATABASE %[1]s REFRESH COLLATION VERSION\"", s.Database))
	}
	return nil
}

// planner reports settings that keep indexes from being used.
func (e *examiner) planner(ctx context.Context, s postgresState) error {
	var off []string
	if err := e.from.NewRaw("SELECT name FROM pg_settings WHERE name IN ('enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan', "+
		"'enable_nestloop', 'enable_sort', 'enable_hashjoin') AND setting = 'off' ORDER BY name").Scan(ctx, &off); err != nil {
		return err
	}
	for _, name := range off {
		e.trouble(false, "indexes", name+" is off", "queries that need it read whole tables",
			fmt.Sprintf("psql -c \"ALTER DATABASE %s RESET %s\" -c \"ALTER SYSTEM RESET %[2]s\" -c \"SELECT pg_reload_conf()\"",
				s.Database, name))
	}
	return nil
}

// brokenIndexes reports indexes that were not completed.
func (e *examiner) brokenIndexes(ctx context.Context, _ postgresState) error {
	var names []string
	if err := e.from.NewRaw("SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "+
		"JOIN pg_namespace n "+
		"ON n.oid = c.relnamespace WHERE NOT i.indisvalid AND n.nspname = ANY (current_schemas(false)) ORDER BY 1").Scan(ctx,
		&names); err != nil {
		return err
	}
	for _, name := range names {
		e.trouble(true, "indexes", "the index "+name+" is not valid",
			"it was not completed: queries do not use it, and every write pays for it", "psql -c \"REINDEX INDEX CONCURRENTLY "+name+"\"")
	}
	return nil
}

// connections reports that there may be more connections than the server allows.
func (e *examiner) connections(ctx context.Context, s postgresState, requests int, current bool) error {
	servers := 1
	if current {
		if err := e.from.NewRaw("SELECT greatest(1, count(*)) FROM servers WHERE seen >= ? - ?",
			e.store.micros(), access.ServerGone.Microseconds()).Scan(ctx, &servers); err != nil {
			return err
		}
	}
	each, allowed := requests+postgresFollowers+postgresWriters+1, s.MaxConnections-s.Reserved // one of them listens
	if servers*each > allowed {
		e.trouble(true, "limits", fmt.Sprintf("%d servers may open %d connections each, and Postgres allows %d", servers, each, allowed),
			"under load, servers and ingests are refused by the database",
			fmt.Sprintf("set PIYASA_DATABASE_CONNECTIONS to %d at most, or raise max_connections", max(1, allowed/servers-each+requests)))
	}
	return nil
}

// vacuum reports tables that autovacuum skips or cannot keep up with.
func (e *examiner) vacuum(ctx context.Context) error {
	var tables []struct {
		Name       string
		Off        bool
		Dead, Live int64
		Analyzed   bool
	}
	if err := e.from.NewRaw("SELECT c.oid::regclass::text AS name, COALESCE(array_to_string(c.reloptions, ',') ~ "+
		"'autovacuum_enabled=(false|off|0)', false) AS off, s.n_dead_tup AS dead, s.n_live_tup AS live,"+
		" COALESCE(s.last_analyze, s.last_autoanalyze) IS NOT NULL AS analyzed FROM pg_class c JOIN pg_stat_user_tables "+
		"s ON s.relid = c.oid"+
		" WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass) ORDER BY 1").Scan(ctx,
		&tables); err != nil {
		return err
	}
	for _, t := range tables {
		mend := "psql -c \"VACUUM (ANALYZE) " + t.Name + "\""
		switch {
		case t.Off:
			e.trouble(false, "database", "autovacuum leaves out the table "+t.Name, "it grows with every change, and queries become slow",
				"psql -c \"ALTER TABLE "+t.Name+" RESET (autovacuum_enabled)\"")
		case t.Dead > 50_000 && t.Dead > t.Live:
			e.trouble(false, "database", fmt.Sprintf("the table %s has %d dead rows and %d live ones", t.Name, t.Dead, t.Live),
				"autovacuum cannot keep up, or a transaction has been open for long; queries become slow", mend)
		case t.Live > 50_000 && !t.Analyzed:
			e.trouble(false, "indexes", fmt.Sprintf("the table %s has %d rows and no statistics", t.Name, t.Live),
				"queries may read whole tables where an index would do", strings.Replace(mend, "VACUUM (ANALYZE)", "ANALYZE", 1))
		}
	}
	return nil
}
