package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// prepared runs frequent statements. bun writes arguments into the text of a statement, so that
// a database parses and plans it each time. Here the text stays the same, and connections keep
// it prepared.
//
// It is only for statements whose best plan is the same for all arguments, because Postgres
// then makes one generic plan.
type prepared struct {
	pool     *bun.DB
	postgres bool
	mode     pgx.QueryExecMode // on Postgres

	mu    sync.Mutex
	kept  map[string]*sql.Stmt   // on SQLite, by their texts
	watch func(statement string) // for tests; may be nil
}

// newPrepared returns a prepared on the connections of a pool.
func newPrepared(pool *bun.DB, postgres bool, pooling Pooling) *prepared {
	p := &prepared{pool: pool, postgres: postgres, mode: pgx.QueryExecModeCacheStatement, kept: map[string]*sql.Stmt{}}
	if pooling == PoolTransactions { // it may execute on another connection than it prepares on; all connections know the types
		p.mode = pgx.QueryExecModeCacheDescribe
	}
	return p
}

// Statements with more arguments come in too many lengths to be kept. SQLite keeps
// maxKeptStatements for all its connections together, pgx as many for each connection.
const (
	maxKeptArguments  = 16
	maxKeptStatements = 512
)

// query runs a statement.
func (p *prepared) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if p.watch != nil {
		p.watch(text)
	}
	return p.run(ctx, text, args)
}

func (p *prepared) run(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	if p.postgres {
		return p.pool.DB.QueryContext(ctx, text, slices.Concat([]any{p.mode}, args)...)
	}
	statement, err := p.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if statement == nil {
		return p.pool.DB.QueryContext(ctx, text, args...)
	}
	return statement.QueryContext(ctx, args...)
}

// rows calls each with every row of a statement on Postgres, in the requested formats, as it is
// in the buffer of the connection: each must copy what it keeps. It bypasses database/sql,
// which allocates for every value.
func (p *prepared) rows(ctx context.Context, text string, formats pgx.QueryResultFormats, args []any, each func(row [][]byte)) error {
	if p.watch != nil {
		p.watch(text)
	}
	args = slices.Concat([]any{p.mode, formats}, args)
	begun := false // whether each was called
	once := func() error {
		conn, err := p.pool.DB.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		return conn.Raw(func(driverConn any) error {
			rows, err := driverConn.(*stdlib.Conn).Conn().Query(ctx, text, args...)
			for err == nil && rows.Next() {
				begun = true
				each(rows.RawValues())
			}
			if err == nil {
				err = rows.Err()
			}
			if pgconn.SafeToRetry(err) {
				return driver.ErrBadConn
			}
			return err
		})
	}
	err := once()
	for range connectionTries - 1 { // the number of tries of database/sql
		if begun || !errors.Is(err, driver.ErrBadConn) {
			break
		}
		err = once()
	}
	return err
}

// connectionTries is how many broken connections may be met before it is an error.
const connectionTries = 3

// statement returns the kept statement with a text; nil if too many are kept.
func (p *prepared) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	p.mu.Lock()
	kept, full := p.kept[text], len(p.kept) >= maxKeptStatements
	p.mu.Unlock()
	if kept != nil || full {
		return kept, nil
	}
	made, err := p.pool.DB.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if kept := p.kept[text]; kept != nil { // another goroutine was faster
		_ = made.Close()
		return kept, nil
	}
	p.kept[text] = made
	return made, nil
}

// query is a bun statement that returns rows.
type query interface {
	schema.QueryAppender
	Scan(ctx context.Context, dest ...any) error
	String() string
}

// scan runs a bun statement with its texts, times and numbers as arguments, and reads the rows
// into dest. No rows are no error.
func (p *prepared) scan(ctx context.Context, q query, dest ...any) error {
	a := &arguments{Dialect: p.pool.Dialect(), postgres: p.postgres}
	text, err := q.AppendQuery(schema.NewQueryGen(a), nil)
	if err != nil || len(a.list) > maxKeptArguments {
		return q.Scan(ctx, dest...)
	}
	if p.watch != nil {
		p.watch(q.String())
	}
	rows, err := p.run(ctx, string(text), a.list)
	if err != nil {
		return err
	}
	return p.pool.ScanRows(ctx, rows, dest...)
}

// scanner runs a bun statement and reads the rows into dest.
type scanner func(ctx context.Context, q query, dest ...any) error

// atOnce is the scanner without preparation.
func atOnce(ctx context.Context, q query, dest ...any) error { return q.Scan(ctx, dest...) }

// arguments is a dialect that writes placeholders, and collects their values.
type arguments struct {
	schema.Dialect
	postgres bool
	list     []any
}

func (a *arguments) add(b []byte, v any) []byte {
	a.list = append(a.list, v)
	if a.postgres {
		b = append(b, '$')
	} else {
		b = append(b, '?')
	}
	return strconv.AppendInt(b, int64(len(a.list)), 10)
}

// AppendString implements schema.Dialect. Text that no row can hold equals nothing.
func (a *arguments) AppendString(b []byte, text string) []byte {
	if !storable(text) {
		return a.Dialect.AppendString(b, text)
	}
	return a.add(b, text)
}

// AppendTime implements schema.Dialect.
func (a *arguments) AppendTime(b []byte, t time.Time) []byte {
	if a.postgres {
		return a.add(b, t)
	}
	return a.add(b, t.UnixMicro())
}

// number is a number that becomes an argument; bun writes other numbers into the text.
type number int

// AppendQuery implements schema.QueryAppender.
func (n number) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if a, ok := gen.Dialect().(*arguments); ok {
		return a.add(b, int64(n)), nil
	}
	return strconv.AppendInt(b, int64(n), 10), nil
}

// list is a list of numbers that become arguments if they are few enough.
func list(numbers []int) bun.ListValues {
	if len(numbers) > maxKeptArguments {
		return bun.List(numbers)
	}
	few := make([]number, len(numbers))
	for i, n := range numbers {
		few[i] = number(n)
	}
	return bun.List(few)
}

// storable reports whether a row can hold a text.
func storable(text string) bool {
	return !strings.ContainsRune(text, 0) && utf8.ValidString(text)
}
