package db

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// prepared runs the statements that requests ask most. bun writes arguments into the
// text of a statement, so that a database parses and plans it anew each time; these
// texts never change, and every connection keeps them prepared.
type prepared struct {
	pool  *sql.DB
	how   []any                  // on Postgres: the arguments that say how a statement is run
	kept  sync.Map               // on SQLite: *sql.Stmt by their texts
	watch func(statement string) // for tests; may be nil
}

// newPrepared returns what runs statements on the connections of a pool.
func newPrepared(pool *bun.DB, postgres bool, pooling Pooling) *prepared {
	p := &prepared{pool: pool.DB}
	switch {
	case !postgres:
	case pooling == PoolTransactions: // which prepares on one connection and executes on another
		p.how = []any{pgx.QueryExecModeExec}
	default:
		p.how = []any{pgx.QueryExecModeCacheStatement}
	}
	return p
}

// query runs a statement, whose text must be one of few.
func (p *prepared) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if p.watch != nil {
		p.watch(text)
	}
	if p.how != nil {
		return p.pool.QueryContext(ctx, text, slices.Concat(p.how, args)...)
	}
	kept, known := p.kept.Load(text)
	if !known {
		made, err := p.pool.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		if kept, known = p.kept.LoadOrStore(text, made); known {
			_ = made.Close()
		}
	}
	return kept.(*sql.Stmt).QueryContext(ctx, args...)
}
