package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piyasa/internal/value"
)

// With bun, formatting values as SQL text and parsing it takes most of the time of storing bars
// and observations. So they bypass bun: with a prepared statement on SQLite, and as arrays on
// Postgres.

// bulkColumn is a column and the function that takes its value from a record: a string, an
// int64, a bool, a value.Instant, or nil.
type bulkColumn[T any] struct {
	name  string
	cast  string // type on Postgres
	value func(*T) any
}

// bulkTable writes records of one table in bulk.
type bulkTable[T any] struct {
	name    string
	key     []string
	columns []bulkColumn[T]
	where   string            // condition under which a stored row is replaced; empty: always
	set     map[string]string // expressions for columns that a new value does not simply replace
}

// upsert inserts records, or replaces the ones with the same key.
func (b bulkTable[T]) upsert(ctx context.Context, tx *numbered, postgres bool, records []*T) error {
	if len(records) == 0 {
		return nil
	}
	if postgres {
		return b.asArrays(ctx, tx.Tx.Tx, records)
	}
	return b.prepared(ctx, tx.Tx.Tx, records)
}

// insertInto returns the start of the statement, before its rows.
func (b bulkTable[T]) insertInto() string {
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.name
	}
	return "INSERT INTO " + b.name + " (" + strings.Join(names, ", ") + ") "
}

// onConflict returns the end of the statement, after its rows.
func (b bulkTable[T]) onConflict() string {
	var set []string
	for _, c := range b.columns {
		if !slices.Contains(b.key, c.name) {
			set = append(set, c.name+" = "+cmp.Or(b.set[c.name], "EXCLUDED."+c.name))
		}
	}
	tail := " ON CONFLICT (" + strings.Join(b.key, ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
	if b.where != "" {
		tail += " WHERE " + b.where
	}
	return tail
}

// preparedRows is how many rows one execution of the prepared statement inserts.
const preparedRows = 10

func (b bulkTable[T]) prepared(ctx context.Context, tx *sql.Tx, records []*T) error {
	row := "(" + strings.Repeat("?, ", len(b.columns)-1) + "?)"
	statement := func(rows int) (*sql.Stmt, error) {
		return tx.PrepareContext(ctx, b.insertInto()+"VALUES "+strings.Repeat(row+", ", rows-1)+row+b.onConflict())
	}
	args := make([]any, 0, preparedRows*len(b.columns))
	exec := func(s *sql.Stmt, records []*T) error {
		args = args[:0]
		for _, r := range records {
			for _, c := range b.columns {
				v := c.value(r)
				if at, ok := v.(value.Instant); ok {
					v = at.Time().UnixMicro()
				}
				args = append(args, v)
			}
		}
		_, err := s.ExecContext(ctx, args...)
		return err
	}
	prepared := len(records) / preparedRows * preparedRows
	if prepared > 0 {
		s, err := statement(preparedRows)
		if err != nil {
			return err
		}
		defer s.Close()
		for chunk := range slices.Chunk(records[:prepared], preparedRows) {
			if err := exec(s, chunk); err != nil {
				return err
			}
		}
	}
	if rest := records[prepared:]; len(rest) > 0 {
		s, err := statement(len(rest))
		if err != nil {
			return err
		}
		defer s.Close()
		return exec(s, rest)
	}
	return nil
}

// asArrays sends every column as one array of text, which Postgres casts: numbers keep their
// digits.
func (b bulkTable[T]) asArrays(ctx context.Context, tx *sql.Tx, records []*T) error {
	arrays := make([]any, len(b.columns))
	casts := make([]string, len(b.columns))
	for i, c := range b.columns {
		texts := make([]*string, len(records))
		for j, r := range records {
			texts[j] = asText(c.value(r))
		}
		arrays[i] = texts
		casts[i] = fmt.Sprintf("$%d::text[]::%s[]", i+1, c.cast)
	}
	_, err := tx.ExecContext(ctx, b.insertInto()+"SELECT * FROM unnest("+strings.Join(casts, ", ")+")"+b.onConflict(), arrays...)
	return err
}

func asText(v any) *string {
	var text string
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case bool:
		text = strconv.FormatBool(v)
	case value.Instant:
		text = v.String()
	}
	return &text
}

// exact returns a decimal as its text, or nil.
func exact(d value.Decimal) any {
	if d.IsNull() {
		return nil
	}
	return d.String()
}

// moment is an instant as a column takes it; nil for null.
func moment(i value.Instant) any {
	if i.IsNull() {
		return nil
	}
	return i
}

// optional returns of(*v), or nil for nil.
func optional[T any](v *T, of func(T) any) any {
	if v == nil {
		return nil
	}
	return of(*v)
}

func text(s string) any { return s }
func whole(n int) any   { return int64(n) }

// columnsOf returns the columns of a table for rows that contain its record.
func columnsOf[T, R any](table bulkTable[T], record func(*R) *T) []bulkColumn[R] {
	columns := make([]bulkColumn[R], len(table.columns))
	for i, c := range table.columns {
		columns[i] = bulkColumn[R]{c.name, c.cast, func(r *R) any { return c.value(record(r)) }}
	}
	return columns
}
