package db

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/internal/value"
)

// table stores records of type T as rows of type R. A record replaces the stored one with the
// same key. store does the work for a batch.
type table[T, R any, K comparable] struct {
	feed    string
	columns []string // of the key
	key     func(*T) K
	lookUp  func(K) any // the value of the first column
	row     func(*T, int64) *R
	record  func(*R) *T
	narrow  func(q *bun.SelectQuery, entries []entry[T])                      // further bounds of the rows to look up, or nil
	asOf    func(*T) value.Instant                                            // the order of versions, or nil
	asOfIs  string                                                            // the member of asOf; empty: as_of
	ahead   time.Duration                                                     // how far ahead of the clock asOf may be; 0: value.Horizon
	also    func(ctx context.Context, tx *numbered, changed, gone []*T) error // the effects of a change beyond this table, or nil
	touches []string                                                          // further feeds in which it numbers rows

	remembered bool   // replaced versions are kept, for questions about the past
	published  string // the column with the time at which the source published a record; empty: none
	described  described
}

// store compares each entry with the stored record, in order. It writes the last version of
// every changed key and deletes withdrawn records, all numbered.
func (t table[T, R, K]) store(ctx context.Context, tx *numbered, w writing, entries []entry[T]) error {
	if len(entries) == 0 {
		return nil
	}
	before, err := t.stored(ctx, tx, entries)
	if err != nil {
		return err
	}
	current := make(map[K]*T, len(before))
	for k, row := range before {
		if current[k] = nil; row != nil {
			current[k] = t.record(row)
		}
	}
	withdrawn, err := t.withdrawn(ctx, tx, entries, current)
	if err != nil {
		return err
	}
	horizon := w.horizon
	if t.ahead > 0 && !horizon.IsNull() {
		horizon = horizon.Add(t.ahead - value.Horizon)
	}
	compare := versions[T, K]{t.key, func(a, b *T) bool { return reflect.DeepEqual(a, b) }, t.asOf, t.asOfIs, horizon}
	changed, gone := compare.changes(entries, current, withdrawn)
	var replaced []*R
	for _, r := range changed {
		if row := before[t.key(r)]; row != nil {
			replaced = append(replaced, row)
		}
	}
	for _, w := range gone {
		if row := before[t.key(w.record)]; row != nil {
			replaced = append(replaced, row)
		}
	}
	if err := t.supersede(ctx, tx, replaced); err != nil {
		return err
	}
	rows := make([]*R, len(changed))
	for i, r := range changed {
		rows[i] = t.row(r, tx.number(t.feed))
	}
	if err := upsert(ctx, tx, rows, t.columns...); err != nil {
		return err
	}
	lost, goneRows, until := make([]*T, len(gone)), make([]*R, len(gone)), make([]value.Instant, len(gone))
	for i, w := range gone {
		lost[i], goneRows[i], until[i] = w.record, t.row(w.record, 0), w.asOf
	}
	if err := withdraw(ctx, tx, t.feed, t.columns, goneRows, until); err != nil || t.also == nil {
		return err
	}
	return t.also(ctx, tx, changed, lost)
}

// withdrawn returns until when the records that entries may bring back are withdrawn. It
// matters only for ordered versions.
func (t table[T, R, K]) withdrawn(ctx context.Context, tx *numbered, entries []entry[T], current map[K]*T) (map[K]value.Instant, error) {
	if t.asOf == nil {
		return nil, nil
	}
	byText := map[string]K{}
	var keys []rowKey
	for _, e := range entries {
		if k := t.key(e.record); current[k] == nil {
			key := keyOf(tx, t.row(e.record, 0), t.columns)
			byText[key.String()] = k
			keys = append(keys, key)
		}
	}
	found, err := withdrawnUntil[R](ctx, tx, keys)
	until := make(map[K]value.Instant, len(found))
	for text, at := range found {
		until[byText[text]] = at
	}
	return until, err
}

// stored loads the rows with the keys of entries; nil for a key without a row.
func (t table[T, R, K]) stored(ctx context.Context, tx *numbered, entries []entry[T]) (map[K]*R, error) {
	current := make(map[K]*R, len(entries))
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
		current[t.key(t.record(r))] = r
	}
	return current, nil
}

// upsertChunk bounds the rows of one statement, because its text has to be parsed.
const upsertChunk = 500

// upsert inserts rows, or replaces those with the same key columns.
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

// after returns the records of rows R numbered above seq.
func after[T, R any](ctx context.Context, s *Store, seq int64, record func(*R) *T) (_ []*T, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*R
	err = s.follow.NewSelect().Model(&rows).Where("seq > ?", seq).Order("seq").Scan(ctx)
	return records(rows, record), err
}

// all returns the records of all rows R, by code.
func all[T, R any](ctx context.Context, s *Store, record func(*R) *T) (_ []*T, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*R
	err = s.follow.NewSelect().Model(&rows).Order("code").Scan(ctx)
	return records(rows, record), err
}

func records[T, R any](rows []*R, record func(*R) *T) []*T {
	out := make([]*T, len(rows))
	for i, r := range rows {
		out[i] = record(r)
	}
	return out
}

// described says whether the first version of a record counts as known before it was recorded.
type described int

const (
	never   described = iota
	ifAsked           // if the caller asks for it
	always            // other data says when it was known
)
