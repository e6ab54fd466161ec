package db

import (
	"context"

	"github.com/uptrace/bun"
)

// Watched is the store, telling seen every statement that it reads with.
func (s *Store) Watched(seen func(statement string)) *Store {
	watched := *s
	watched.read = s.read.WithQueryHook(hook(seen))
	return &watched
}

type hook func(statement string)

// BeforeQuery implements bun.QueryHook.
func (h hook) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	h(e.Query)
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (hook) AfterQuery(context.Context, *bun.QueryEvent) {}
