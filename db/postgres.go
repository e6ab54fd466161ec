package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"modernc.org/sqlite"
)

// The number of connections to Postgres besides those that answer requests.
const (
	postgresFollowers = 4
	postgresWriters   = 4
)

// address is a Postgres address for one purpose: one or several hosts, and how their
// connections are pooled.
type address struct {
	*pgx.ConnConfig
	pooling Pooling
	writes  bool // only hosts that accept writes are used
	several bool // whether there is more than one host
	hosts   *hosts
	last    atomic.Pointer[string] // the network address of the newest connection
}

func (s *Store) connectPostgres(url string, with settings) error {
	s.limits = newLimits(with.timeout, max(1, with.connections/2))
	reading, err := s.address(url, with.pooling, false)
	if err != nil {
		return fmt.Errorf("the database address is not valid: %w", err)
	}
	if with.write == "" {
		with.write, with.writePooling = url, with.pooling
	}
	primary, err := s.address(with.write, with.writePooling, true)
	if err != nil {
		return fmt.Errorf("the database address for writing is not valid: %w", err)
	}
	s.primary = primary
	s.doubted.Store(true) // commits of another process may still wait
	primary.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Routine == "SyncRepWaitForLSN" {
			s.doubted.Store(true)
		}
	}
	reads, writes := postgresDialect{pgdialect.New()}, postgresDialect{pgdialect.New()}
	s.readFrom = reading
	s.read = s.postgresPool("read", reading, with.connections, s.timeout, reader{reads})
	s.hot = newPrepared(s.read, true, reading.pooling)
	s.follow = s.postgresPool("follow", reading, postgresFollowers, s.slowTimeout, reader{reads})
	s.looks = newPrepared(s.follow, true, reading.pooling)
	s.write = s.postgresPool("write", primary, postgresWriters, s.writeTimeout, writes)
	return nil
}

// address reads a Postgres address.
func (s *Store) address(url string, pooling Pooling, writes bool) (*address, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	// bun writes arguments into the text, so preparing statements gains nothing. Results as
	// text keep decimals exact.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	for name, value := range session {
		for given := range config.RuntimeParams {
			if strings.EqualFold(given, name) {
				delete(config.RuntimeParams, given)
			}
		}
		config.RuntimeParams[name] = value
	}
	hosts := map[string]bool{hostPort(config.Host, config.Port): true}
	for _, also := range config.Fallbacks { // these also list a host again without TLS
		hosts[hostPort(also.Host, also.Port)] = true
	}
	limit := s.timeout
	if len(hosts) > 1 { // all of them must get their turn within the time of one read
		limit /= time.Duration(len(hosts) + 1)
	}
	if config.ConnectTimeout <= 0 || config.ConnectTimeout > limit {
		config.ConnectTimeout = limit
	}
	config.DialFunc = dialer.DialContext
	if writes {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	a := &address{ConnConfig: config, pooling: pooling, writes: writes, several: len(hosts) > 1, hosts: s.hosts}
	config.AfterConnect = s.settle(a, 0)
	return a, nil
}

func hostPort(host string, port uint16) string { return fmt.Sprintf("%s:%d", host, port) }

// dialer detects silent broken connections by keep-alive.
var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}

// postgresPool opens connections whose statements the server ends a little before limit,
// because giving up on our side costs the connection.
func (s *Store) postgresPool(name string, a *address, connections int, limit time.Duration, dialect schema.Dialect) *bun.DB {
	config := a.Copy()
	config.Tracer = s.ran.watch(name, "postgresql")
	config.AfterConnect = s.settle(a, limit-limit/10)
	pool := stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(a.order), stdlib.OptionShouldPing(s.checkHost),
		stdlib.OptionResetSession(reusable))
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return bun.NewDB(pool, dialect, bun.WithDiscardUnknownColumns())
}

// comingUp are the passing states of a Postgres server: it starts, stops, or has no connection
// left.
var comingUp = []string{"57P03", "57P01", "57P02", "53300"}

// NotThereYet reports whether an error of Open or OpenToRead may pass by itself: nothing
// answers at the address, the database is starting, no host accepts writes, the database is not
// prepared yet, its disk does not work, or it is being restored.
func NotThereYet(err error) bool {
	if isUnprepared(err) || errors.Is(err, errBeingRestored) || diskFails(err) {
		return true
	}
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
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, pgconn.ErrReadOnlyConnection)
}

// The codes of Postgres' errors "in a read-only transaction" and "permission denied".
const (
	codeReadOnly   = "25006"
	codeNotAllowed = "42501"
)

// CannotWrite reports whether the error of a write says that this process cannot write: no host
// accepts writes, or the role may only read.
func CannotWrite(err error) bool {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refusal.Code == codeReadOnly || refusal.Code == codeNotAllowed
	}
	return errors.Is(err, pgconn.ErrReadOnlyConnection)
}
