package db

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// table stores records that replace their predecessor by key. R is the row of
// record T.
type table[T, R any, K comparable] struct {
	feed    string
	columns []string // of the key
	key     func(*T) K
	lookUp  func(K) any // the value of the first column
	row     func(*T, int64) *R
	record  func(*R) *T
	narrow  func(q *bun.SelectQuery, entries []entry[T])                // what else bounds the rows looked up, or nil
	refuse  func(stored, next *T) *Outcome                              // a rule between versions, or nil
	also    func(ctx context.Context, tx *numbered, changed []*T) error // what else a change touches, or nil
}

// store compares each entry with what is stored, in order, and writes the
// last version of every key that changed, numbered.
func (t table[T, R, K]) store(ctx context.Context, tx *numbered, entries []entry[T]) error {
	if len(entries) == 0 {
		return nil
	}
	current, err := t.stored(ctx, tx, entries)
	if err != nil {
		return err
	}
	changed := changes(entries, current, t.key, func(a, b *T) bool { return reflect.DeepEqual(a, b) }, t.refuse)
	rows := make([]*R, len(changed))
	for i, r := range changed {
		rows[i] = t.row(r, tx.number(t.feed))
	}
	if err := upsert(ctx, tx, rows, t.columns...); err != nil || t.also == nil {
		return err
	}
	return t.also(ctx, tx, changed)
}

// changes compares entries with what is stored, in order, says what became of
// each, and returns the last version of every record that changed. refuse is a
// rule between versions, or nil.
func changes[T any, K comparable](entries []entry[T], stored map[K]*T, key func(*T) K, same func(a, b *T) bool, refuse func(stored, next *T) *Outcome) []*T {
	at := map[K]int{}
	var changed []*T
	for _, e := range entries {
		k := key(e.record)
		if old := stored[k]; old != nil {
			if same(old, e.record) {
				*e.outcome = Outcome{Result: Unchanged}
				continue
			}
			if refuse != nil {
				if why := refuse(old, e.record); why != nil {
					*e.outcome = *why
					continue
				}
			}
		}
		*e.outcome = Outcome{Result: Stored}
		stored[k] = e.record
		if i, ok := at[k]; ok {
			changed[i] = e.record
			continue
		}
		at[k] = len(changed)
		changed = append(changed, e.record)
	}
	return changed
}

// stored loads what is there under the keys of entries.
func (t table[T, R, K]) stored(ctx context.Context, tx *numbered, entries []entry[T]) (map[K]*T, error) {
	current := make(map[K]*T, len(entries))
	keys := make([]any, 0, len(entries))
	for _, e := range entries {
		key := t.key(e.record)
		if _, ok := current[key]; !ok {
			current[key] = nil
			keys = append(keys, t.lookUp(key))
		}
	}
	var rows []*R
	query := tx.NewSelect().Model(&rows).Where("? IN (?)", bun.Ident(t.columns[0]), bun.List(keys))
	if t.narrow != nil {
		t.narrow(query, entries)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		rec := t.record(r)
		current[t.key(rec)] = rec
	}
	return current, nil
}

// upsertChunk bounds the rows of one statement; its text has to be parsed.
const upsertChunk = 500

// upsert inserts rows, or replaces the ones with the same key columns.
func upsert[R any](ctx context.Context, tx bun.IDB, rows []*R, key ...string) error {
	var set []string
	for _, f := range tx.Dialect().Tables().Get(reflect.TypeFor[R]()).Fields {
		if !slices.Contains(key, f.Name) {
			set = append(set, string(f.SQLName)+" = EXCLUDED."+string(f.SQLName))
		}
	}
	for chunk := range slices.Chunk(rows, upsertChunk) {
		if _, err := tx.NewInsert().Model(&chunk).
			On("CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE").
			Set(strings.Join(set, ", ")).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
