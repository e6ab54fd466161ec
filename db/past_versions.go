package db

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
)

// rowsAt returns the rows of a table that were known at the moment: those of subjects, or all
// if it is nil. narrow may restrict the current rows further.
func rowsAt[T, R any, K comparable](ctx context.Context, p *Past, t table[T, R, K], subjects []string,
	narrow func(*bun.SelectQuery) *bun.SelectQuery) (rows []*R, err error) {
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	head := p.heads[t.feed]
	err = p.follow.RunInTx(ctx, p.oneMoment(), func(ctx context.Context, tx bun.Tx) error {
		n := &numbered{Tx: tx}
		var current []*R
		var replaced []*supersededRow
		now := tx.NewSelect().Model(&current).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			if q = q.Where("seq <= ?", head); t.published != "" {
				q = q.WhereOr("? <= ?", bun.Ident(t.published), p.at)
			}
			return q
		})
		then := tx.NewSelect().Model(&replaced).Where("of_table = ? AND until > ? AND (version <= ? OR published <= ?)",
			tableOf[R](), head, head, p.at)
		if t.described == always || t.described == ifAsked && p.described {
			now = tx.NewSelect().Model(&current)
			then = tx.NewSelect().Model(&replaced).Where("of_table = ? AND until > ?", tableOf[R](), head)
		}
		if subjects != nil {
			now, then = now.Where("? IN (?)", bun.Ident(t.columns[0]), bun.List(subjects)), then.Where("subject IN (?)", bun.List(subjects))
		}
		if narrow != nil {
			now = narrow(now)
		}
		if err := cmp.Or(now.Scan(ctx), then.Scan(ctx)); err != nil {
			return err
		}
		found := map[string]*foundVersion[R]{} // for each key, the oldest version that may have been known
		add := func(key string, v foundVersion[R]) {
			if old := found[key]; old == nil || v.number < old.number {
				found[key] = &v
			}
		}
		for _, row := range current {
			key := keyOf(n, row, t.columns)
			add(key.String(), foundVersion[R]{number: seqOf(n, row), subject: fmt.Sprint(key[0]), row: row})
		}
		for _, r := range replaced {
			add(r.Key, foundVersion[R]{number: r.Version, subject: r.Subject, packed: r.Record})
		}
		firsts, err := firstVersions(ctx, n, tableOf[R](), found, head)
		if err != nil {
			return err
		}
		others, err := passedOn(ctx, n, tableOf[R](), found, head)
		if err != nil {
			return err
		}
		for key, v := range found {
			first, known := firsts[key]
			moved := known && first == 0 && p.carried[v.subject]
			other, passed := others[v.subject]
			if v.number > head && (known && first < v.number && !moved || passed && other < v.number) {
				continue // it was published, but the version known then had been withdrawn, or the id was another instrument's
			}
			row, err := v.unpacked()
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// foundVersion is a version of a row, unpacked or not.
type foundVersion[R any] struct {
	number  int64
	subject string
	row     *R
	packed  []byte
}

func (v *foundVersion[R]) unpacked() (*R, error) {
	if v.row != nil {
		return v.row, nil
	}
	return unpackRow[R](v.packed)
}

// firstVersions returns the numbers of the first superseded versions of those keys whose found
// version was recorded after head: only a first version counts from its publication on.
func firstVersions[R any](ctx context.Context, tx *numbered, table string, found map[string]*foundVersion[R],
	head int64) (map[string]int64, error) {
	var keys [][2]string
	for key, v := range found {
		if v.number > head {
			keys = append(keys, [2]string{v.subject, key})
		}
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	firsts := map[string]int64{}
	for some := range slices.Chunk(keys, upsertChunk) {
		var rows []*supersededRow
		var subjects, of []string
		for _, k := range some {
			subjects, of = append(subjects, k[0]), append(of, k[1])
		}
		if err := tx.NewSelect().Model(&rows).Column("key").ColumnExpr("MIN(version) AS version").
			Where("of_table = ? AND subject IN (?) AND key IN (?)", table, bun.List(slices.Compact(subjects)), bun.List(of)).
			Group("key").Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			firsts[r.Key] = r.Version
		}
	}
	return firsts, nil
}

// passedOn returns the numbers after head at which ids of found versions passed to other
// instruments, or to none: anything recorded since does not belong to the instrument that had
// the id.
func passedOn[R any](ctx context.Context, tx *numbered, table string, found map[string]*foundVersion[R],
	head int64) (map[string]int64, error) {
	subjects := map[string]string{} // by the keys of notes
	for _, v := range found {
		if v.number > head {
			subjects[rowKey{v.subject}.String()] = v.subject
		}
	}
	others := map[string]int64{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(subjects)), upsertChunk) {
		var rows []*withdrawnRow
		if err := tx.NewSelect().Model(&rows).Where("of_table = ? AND key IN (?) AND seq > ?", table, bun.List(some), head).
			Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			others[subjects[r.Key]] = r.Seq
		}
	}
	return others, nil
}

func recordsAt[T, R any, K comparable](ctx context.Context, p *Past, t table[T, R, K], subjects []string) ([]*T, error) {
	rows, err := rowsAt(ctx, p, t, subjects, nil)
	return records(rows, t.record), err
}
