package db

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"piyasa/account/usage"
	"piyasa/internal/value"
)

type usageRow struct {
	bun.BaseModel `bun:"table:usage"`
	usage.Row
}

type usageMonthRow struct {
	bun.BaseModel `bun:"table:usage_months"`
	Month         value.Month
	KeyID         string
	Units         int64
}

// writerKept is how long the last batch of a writer is remembered: longer than a batch is sent
// again.
const writerKept = 30 * 24 * time.Hour

// AddUsage implements usage.Store.
func (s *Store) AddUsage(ctx context.Context, writer string, batch int64, rows []usage.Row) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	return s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		now := value.SystemClock()
		added, err := tx.NewRaw("INSERT INTO usage_writers (writer, batch, seen) VALUES (?, ?, ?) ON CONFLICT (writer) DO "+
			"UPDATE SET batch = "+
			"excluded.batch, seen = excluded.seen "+
			"WHERE usage_writers.batch < excluded.batch", writer, batch, now).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := added.RowsAffected(); err != nil || n == 0 { // it is already stored
			return err
		}
		if batch == 1 {
			if _, err := tx.NewRaw("DELETE FROM usage_writers WHERE seen < ?", now.Add(-writerKept)).Exec(ctx); err != nil {
				return err
			}
		}
		for some := range slices.Chunk(rows, upsertChunk) {
			all := make([]*usageRow, len(some))
			for i, r := range some {
				all[i] = &usageRow{Row: r}
			}
			if err := addUnits(ctx, tx, all, "key_id, day, operation"); err != nil {
				return err
			}
		}
		months := monthsOf(rows)
		for some := range slices.Chunk(months, upsertChunk) {
			if err := addUnits(ctx, tx, some, "month, key_id"); err != nil {
				return err
			}
		}
		return nil
	})
}

// addUnits inserts rows, or adds their units to those with the same key.
func addUnits[R any](ctx context.Context, tx bun.Tx, rows []*R, key string) error {
	_, err := tx.NewInsert().Model(&rows).On("CONFLICT (" + key +
		") DO UPDATE").Set("units = ?TableAlias.units + excluded.units").Returning("NULL").Exec(ctx)
	return err
}

// monthsOf sums rows by month. The rows must be in the order of keys and days.
func monthsOf(rows []usage.Row) (months []*usageMonthRow) {
	for _, r := range rows {
		month := r.Day.Month()
		if n := len(months); n > 0 && months[n-1].KeyID == r.KeyID && months[n-1].Month == month {
			months[n-1].Units += r.Units
			continue
		}
		months = append(months, &usageMonthRow{Month: month, KeyID: r.KeyID, Units: r.Units})
	}
	return months
}

// LastBatch implements usage.Store.
func (s *Store) LastBatch(ctx context.Context, writer string) (batch int64, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	err = s.written().NewRaw("SELECT COALESCE(MAX(batch), 0) FROM usage_writers WHERE writer = ?", writer).Scan(ctx, &batch)
	return batch, err
}

// UsageTotals implements usage.Store.
func (s *Store) UsageTotals(ctx context.Context, month value.Month) (_ map[string]int64, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*usageMonthRow
	if err := s.written().NewSelect().Model(&rows).Where("month = ?", month).Scan(ctx); err != nil {
		return nil, err
	}
	totals := make(map[string]int64, len(rows))
	for _, r := range rows {
		totals[r.KeyID] = r.Units
	}
	return totals, nil
}

// Usage implements usage.Store.
func (s *Store) Usage(ctx context.Context, keyID string, first, last value.Date) (_ []usage.Row, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []usageRow
	query := s.written().NewSelect().Model(&rows).Where("day BETWEEN ? AND ?", first, last).Order("key_id", "day", "operation")
	if keyID != "" {
		query.Where("key_id = ?", keyID)
	}
	err = query.Scan(ctx)
	out := make([]usage.Row, len(rows))
	for i, r := range rows {
		out[i] = r.Row
	}
	return out, err
}

// written returns connections that see the last write: on SQLite any do.
func (s *Store) written() *bun.DB {
	if s.isPostgres() {
		return s.write
	}
	return s.follow
}
