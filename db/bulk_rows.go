package db

import (
	"context"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// bulkSeries is of how many series one statement reads the bars: those are in memory at once.
const bulkSeries = 16

// EachBar calls each with the stored bars of a market from one moment to another, both included,
// by id and time, of instruments that left the catalog, too. Those that change meanwhile come as
// they were or as they are. It ends with the first error of each.
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

// subjects returns the ids of a market that have, or had, bars.
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

// EachIndexBar does what EachBar does, for the days of indices.
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
