package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"modernc.org/sqlite"
)

// How many connections to Postgres there are besides those that answer
// requests.
const (
	postgresFollowers = 4
	postgresWriters   = 4
)

// session is what every connection is started with, whatever the database or
// the role prefers; poolers know these parameters.
var session = map[string]string{
	"standard_conforming_strings": "on", // else a backslash in a text begins an escape
	"client_encoding":             "UTF8",
	"DateStyle":                   "ISO, YMD",
	"TimeZone":                    "UTC",
}

// settled is set on every connection once it is open.
var settled = map[string]string{
	"array_nulls":                   "on", // else a null in an array is a text
	"bytea_output":                  "hex",
	"transform_null_equals":         "off",            // else "= null" finds nulls
	"default_transaction_isolation": "read committed", // else writers that waited for a head fail
	"lock_timeout":                  "0",              // statement_timeout bounds that wait, too
}

func (s *Store) connectPostgres(url string, with settings) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("the database address is not valid: %w", err)
	}
	s.limits = newLimits(with.timeout, max(1, with.connections/2))
	// bun writes arguments into the text, so preparing statements gains nothing;
	// text results keep decimals exact.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	for name, value := range session {
		for given := range config.RuntimeParams {
			if strings.EqualFold(given, name) {
				delete(config.RuntimeParams, given)
			}
		}
		config.RuntimeParams[name] = value
	}
	if config.ConnectTimeout <= 0 || config.ConnectTimeout > s.timeout {
		config.ConnectTimeout = s.timeout
	}
	config.DialFunc = dialer.DialContext
	config.AfterConnect = s.settle(nil)
	s.pg = config

	reads, writes := postgresDialect{pgdialect.New()}, postgresDialect{pgdialect.New()}
	s.read = s.postgresPool(with.connections, s.timeout, reader{reads})
	s.follow = s.postgresPool(postgresFollowers, s.slowTimeout, reader{reads})
	s.write = s.postgresPool(postgresWriters, s.writeTimeout, writes)
	return nil
}

// dialer finds out by itself that a silent connection is broken.
var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}

// postgresPool opens connections whose statements the server ends after limit.
func (s *Store) postgresPool(connections int, limit time.Duration, dialect schema.Dialect) *bun.DB {
	config := s.pg.Copy()
	milliseconds := strconv.FormatInt((limit - limit/10).Milliseconds(), 10) // a little earlier than we give up, which costs the connection
	config.AfterConnect = s.settle(map[string]string{"statement_timeout": milliseconds, "idle_in_transaction_session_timeout": milliseconds})
	pool := stdlib.OpenDB(*config, stdlib.OptionShouldPing(s.stillThere), stdlib.OptionResetSession(reusable))
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return bun.NewDB(pool, dialect, bun.WithDiscardUnknownColumns())
}

// settle returns what is done with every new connection: it is given its
// settings, and refused if any of them is not as it must be, since a pooler
// may drop what a connection is started with. Timeouts that more does not name
// do not hold.
func (s *Store) settle(more map[string]string) func(context.Context, *pgconn.PgConn) error {
	wanted := map[string]string{"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}
	var names, selected []string
	for _, some := range []map[string]string{settled, more} {
		for name, value := range some {
			wanted[name] = value
		}
	}
	for name, value := range wanted {
		names = append(names, name)
		selected = append(selected, fmt.Sprintf("set_config('%s', '%s', false)", name, value))
	}
	for name := range session {
		names = append(names, name)
		selected = append(selected, fmt.Sprintf("current_setting('%s')", name))
	}
	statement := "SELECT " + strings.Join(selected, ", ")
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, s.timeout)
		defer cancel()
		results, err := conn.Exec(ctx, statement).ReadAll()
		if err != nil {
			return err
		}
		for i, is := range results[0].Rows[0] {
			name := names[i]
			if must, ok := session[name]; ok && string(is) != must {
				return fmt.Errorf("the connection has %s = %q but piyasa needs %q; a pooler in between must forward start-up parameters", name, is, must)
			}
		}
		return nil
	}
}

// stillThere asks a connection that has been idle for a while whether it still
// works, and leaves time to try another one; reusable sees the answer.
func (s *Store) stillThere(ctx context.Context, p stdlib.ShouldPingParams) bool {
	if p.IdleDuration > time.Second {
		ctx, cancel := context.WithTimeout(ctx, s.timeout/slowFactor)
		defer cancel()
		_ = p.Conn.Ping(ctx) // whose failure closes the connection
	}
	return false
}

func reusable(_ context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() {
		return driver.ErrBadConn
	}
	return nil
}

// comingUp are the states of a Postgres server that pass: it starts, stops, or
// has no connection left.
var comingUp = []string{"57P03", "57P01", "57P02", "53300"}

// NotThereYet reports whether the error of Open may pass by itself: nothing
// answers at the address, or the database is about to start.
func NotThereYet(err error) bool {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains(comingUp, refusal.Code)
	}
	if busy, ok := errors.AsType[*sqlite.Error](err); ok {
		return busy.Code()&0xff == sqliteBusy
	}
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); !connecting {
		return false
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}
