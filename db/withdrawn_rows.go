package db

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/internal/value"
)

type withdrawnRow struct {
	bun.BaseModel `bun:"table:withdrawn"`
	OfTable       string
	Key           string
	Feed          string
	AsOf          value.Instant
	Seq           int64
}

// Withdrew reports whether rows of feed were withdrawn with a number above seq: a server must
// then read the feed again from its start.
func (s *Store) Withdrew(ctx context.Context, feed string, seq int64) (yes bool, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	err = s.follow.NewRaw("SELECT EXISTS (SELECT 1 FROM withdrawn WHERE feed = ? AND seq > ?)", feed, seq).Scan(ctx, &yes)
	return yes, err
}

// rowKey is the values of a row's key columns.
type rowKey []any

// String encodes the key as text.
func (k rowKey) String() string {
	var text []byte
	for _, v := range k {
		text = fmt.Appendf(text, "%q", fmt.Sprint(v))
	}
	return string(text)
}

// wordsOf decodes the values of a key from its text.
func wordsOf(key string) (words []string, err error) {
	for key != "" {
		quoted, err := strconv.QuotedPrefix(key)
		if err != nil {
			return nil, fmt.Errorf("the key %s of a withdrawn row: %w", key, err)
		}
		word, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		words, key = append(words, word), key[len(quoted):]
	}
	return words, nil
}

// keyOf returns the values of a row in columns.
func keyOf[R any](tx bun.IDB, row *R, columns []string) rowKey {
	fields, value := tx.Dialect().Tables().Get(reflect.TypeFor[R]()).FieldMap, reflect.ValueOf(row).Elem()
	key := make(rowKey, len(columns))
	for i, column := range columns {
		key[i] = fields[column].Value(value).Interface()
	}
	return key
}

// deletedTogether is how many rows one statement deletes.
const deletedTogether = 100

// deleteRows deletes the rows of R with these keys.
func deleteRows[R any](ctx context.Context, tx *numbered, columns []string, keys []rowKey) error {
	for some := range slices.Chunk(keys, deletedTogether) {
		del := tx.NewDelete().Model((*R)(nil))
		for _, key := range some {
			del = del.WhereGroup(" OR ", func(one *bun.DeleteQuery) *bun.DeleteQuery {
				for i, column := range columns {
					one = one.Where("? = ?", bun.Ident(column), key[i])
				}
				return one
			})
		}
		if _, err := del.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// withdraw deletes rows of R and records, numbered in feed, until when each is withdrawn.
func withdraw[R any](ctx context.Context, tx *numbered, feed string, columns []string, rows []*R, until []value.Instant) error {
	if len(rows) == 0 {
		return nil
	}
	keys, notes := make([]rowKey, len(rows)), make([]*withdrawnRow, len(rows))
	for i, row := range rows {
		keys[i] = keyOf(tx, row, columns)
		notes[i] = &withdrawnRow{OfTable: tableOf[R](), Key: keys[i].String(), Feed: feed, AsOf: until[i], Seq: tx.number(feed)}
	}
	if err := deleteRows[R](ctx, tx, columns, keys); err != nil {
		return err
	}
	return upsert(ctx, tx, notes, "of_table", "key")
}

// withdrawnUntil returns until when the rows of R with these keys are withdrawn.
func withdrawnUntil[R any](ctx context.Context, tx *numbered, keys []rowKey) (map[string]value.Instant, error) {
	until := map[string]value.Instant{}
	if len(keys) == 0 {
		return until, nil
	}
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = key.String()
	}
	var rows []*withdrawnRow
	err := tx.NewSelect().Model(&rows).Where("of_table = ? AND key IN (?)", tableOf[R](), bun.List(texts)).Scan(ctx)
	for _, r := range rows {
		until[r.Key] = r.AsOf
	}
	return until, err
}

// tableOf returns the name of the table of rows R.
func tableOf[R any]() string {
	base, _ := reflect.TypeFor[R]().FieldByName("BaseModel")
	name, _, _ := strings.Cut(strings.TrimPrefix(base.Tag.Get("bun"), "table:"), ",")
	return name
}
