package db

import (
	"context"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// bulkSeries is of how many series one statement reads the bars, which are then in memory at
// once.
const bulkSeries = 16

// EachBar calls each with the stored bars of a market from first to last, both included, by id
// and time, with those of instruments that left the catalog. A bar that changes in the meantime
// comes in its old or its new form. EachBar stops at the first error of each.
func (s *Store) EachBar(ctx context.Context, m market.Market, r market.Resolution, first, last value.Instant,
	each func(*Change) error) error {
	ids, err := s.subjects(ctx, m, r)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, bulkSeries) {
		rows, err := s.barsOf(ctx, some, r, first, last)
		if err != nil {
			return err
		}
		for _, row := range rows {
			row.LeaveOut()
			if err := each(loggedBar(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// subjects returns the ids of a market that have or had bars.
func (s *Store) subjects(ctx context.Context, m market.Market, r market.Resolution) (ids []market.ID, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewSelect().TableExpr("bar_changes").Column("subject").Where("resolution = ?", r).Scan(ctx, &ids)
	ids = slices.DeleteFunc(ids, func(id market.ID) bool { return id.Market() != m })
	slices.Sort(ids)
	return ids, err
}

func (s *Store) barsOf(ctx context.Context, ids []market.ID, r market.Resolution, first, last value.Instant) (rows []*barRow, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	if err := s.follow.NewSelect().Model(&rows).
		Where("instrument_id IN (?) AND resolution = ? AND t BETWEEN ? AND ?", bun.List(ids), r, first, last).Scan(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b *barRow) int { return byBarKey(&a.Bar, &b.Bar) })
	return rows, s.stateAdjustments(ctx, rows)
}

// Newest returns the number of the last change of a kind of record (for bars: of a market's
// bars at a resolution), and the last number of their feed at that moment.
func (s *Store) Newest(ctx context.Context, kind string, m market.Market, r market.Resolution) (newest, head int64, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	feed := FeedOf(kind)
	numbers := s.follow.NewSelect().TableExpr("bar_changes").ColumnExpr("MAX(seq) AS seq")
	switch kind {
	case "bar":
		numbers = numbers.Where("resolution = ? AND subject LIKE ?", r, string(m)+":%")
	case "index_bar":
		numbers = numbers.Where("subject NOT LIKE '%:%'")
	default:
		tables := []string{followed[slices.IndexFunc(followed, func(l logged) bool { return l.kind == kind })].table}
		if kind == "instrument" { // it states these facts, too
			tables = append(tables, tableOf[renameRow](), tableOf[formerMeaningRow]())
		}
		numbers = s.follow.NewSelect().Table("withdrawn").ColumnExpr("MAX(seq) AS seq").
			Where("feed = ? AND of_table IN (?)", feed, bun.List(tables))
		for _, table := range tables {
			numbers = numbers.UnionAll(s.follow.NewSelect().Table(table).ColumnExpr("MAX(seq)"))
		}
	}
	err = s.follow.NewRaw("SELECT COALESCE(MAX(n.seq), 0), MAX(h.seq) FROM heads AS h LEFT JOIN (?) AS n ON TRUE WHERE h.feed = ?",
		numbers, feed).Scan(ctx, &newest, &head)
	return newest, head, err
}

// EachIndexBar does the same as EachBar for the days of indices.
func (s *Store) EachIndexBar(ctx context.Context, each func(*Change) error) (err error) {
	from := Cursor{To: math.MaxInt64, Place: indexStage}
	for from.Place != "" {
		var changes []Change
		if changes, from, err = s.Changes(ctx, FeedBars, from, from.To, upsertChunk); err != nil {
			return err
		}
		for i := range changes {
			if err := each(&changes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
