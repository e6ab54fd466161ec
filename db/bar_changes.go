package db

import (
	"cmp"
	"context"
	"slices"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// barChange is a change of one series in a batch: of the bars from since to last. Both are null
// for an index, any of whose days may have changed.
type barChange struct {
	series
	seq         int64
	since, last value.Instant
}

// barChanges records the last change of each series. Bars from settled on may have changed
// since the number corrected; earlier bars have not.
var barChanges = bulkTable[barChange]{
	name: "bar_changes",
	key:  []string{"subject", "resolution"},
	columns: []bulkColumn[barChange]{
		{"subject", "text", func(c *barChange) any { return string(c.id) }},
		{"resolution", "text", func(c *barChange) any { return string(c.resolution) }},
		{"seq", "bigint", func(c *barChange) any { return c.seq }},
		{"since", "timestamptz", func(c *barChange) any { return moment(c.since) }},
		{"settled", "timestamptz", func(c *barChange) any { return moment(c.last) }},
		{"corrected", "bigint", func(c *barChange) any { return c.seq }},
	},
	set: map[string]string{
		"settled":   "CASE WHEN EXCLUDED.settled < bar_changes.settled THEN bar_changes.settled ELSE EXCLUDED.settled END",
		"corrected": "CASE WHEN EXCLUDED.since >= bar_changes.settled THEN bar_changes.corrected ELSE EXCLUDED.corrected END",
	},
}

// noteBars numbers and records a change of bars, so that servers drop them and compute their
// figures again.
func noteBars(ctx context.Context, tx *numbered, postgres bool, changed ...*market.Bar) error {
	if len(changed) == 0 {
		return nil
	}
	seq, bySeries := tx.number(FeedBars), map[series]*barChange{}
	for _, b := range changed {
		of := series{b.InstrumentID, b.Resolution}
		c := bySeries[of]
		if c == nil {
			c = &barChange{of, seq, b.T, b.T}
			bySeries[of] = c
		}
		if b.T.Before(c.since) {
			c.since = b.T
		}
		if b.T.After(c.last) {
			c.last = b.T
		}
	}
	return noteChanges(ctx, tx, postgres, bySeries)
}

// noteLostBars numbers deleted bars, for followers that read each bar.
func noteLostBars(ctx context.Context, tx *numbered, lost []*market.Bar) error {
	notes := make([]*withdrawnRow, len(lost))
	for i, b := range lost {
		notes[i] = &withdrawnRow{OfTable: "bars", Key: rowKey{b.InstrumentID, b.Resolution, b.T}.String(), Feed: FeedBars,
			Seq: tx.number(FeedBars)}
	}
	return upsert(ctx, tx, notes, "of_table", "key")
}

// noteIndices numbers a change of the days of indices, and returns the number.
func noteIndices(ctx context.Context, tx *numbered, postgres bool, codes []string) (seq int64, err error) {
	seq, bySeries := tx.number(FeedBars), map[series]*barChange{}
	for _, code := range codes {
		of := series{market.ID(code), market.Day}
		bySeries[of] = &barChange{series: of, seq: seq}
	}
	return seq, noteChanges(ctx, tx, postgres, bySeries)
}

func noteChanges(ctx context.Context, tx *numbered, postgres bool, bySeries map[series]*barChange) error {
	changes := make([]*barChange, 0, len(bySeries))
	for _, c := range bySeries {
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b *barChange) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.resolution, b.resolution))
	})
	return barChanges.upsert(ctx, tx, postgres, changes)
}

// BarsAfter returns the series whose bars were numbered above seq, with indices by their codes.
func (s *Store) BarsAfter(ctx context.Context, seq int64) (changes []market.BarChange, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewSelect().TableExpr("bar_changes").Column("subject", "resolution").ColumnExpr("corrected > ? AS corrected", seq).
		Where("seq > ?", seq).Scan(ctx, &changes)
	return changes, err
}
