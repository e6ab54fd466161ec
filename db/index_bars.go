package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// IndexBars returns the stored days of indices, by date, in the order of codes, with
// one statement.
func (s *Store) IndexBars(ctx context.Context, codes []string) (_ [][]*market.IndexBar, err error) {
	ctx, done := s.reading(ctx, FeedBars)
	defer done(&err)
	all := make([][]*market.IndexBar, len(codes))
	if len(codes) == 0 {
		return all, nil
	}
	var rows []*indexBarRow
	if err := s.read.NewSelect().Model(&rows).Where("code IN (?)", bun.List(codes)).Order("date").Scan(ctx); err != nil {
		return nil, err
	}
	byCode := make(map[string][]*market.IndexBar, len(codes))
	for _, r := range rows {
		r.LeaveOut()
		byCode[r.Code] = append(byCode[r.Code], &r.IndexBar)
	}
	for i, code := range codes {
		all[i] = byCode[code]
	}
	return all, nil
}

type indexBarRow struct {
	bun.BaseModel `bun:"table:index_bars"`
	market.IndexBar
	Seq int64 // of the change that wrote it; 0: written by an earlier version
}

var indexBarKey = []string{"code", "date"}

// indexDay is the key of an index bar.
type indexDay struct {
	code string
	date value.Date
}

// storeIndexBars replaces the index bars that differ from what is stored.
func storeIndexBars(ctx context.Context, tx *numbered, w writing, entries []entry[market.IndexBar]) error {
	first, last := rangeOf(entries, func(b *market.IndexBar) value.Date { return b.Date })
	codes := distinct(entries, func(b *market.IndexBar) string { return b.Code })
	var known []*indexBarRow
	if err := tx.NewSelect().Model(&known).Where("code IN (?) AND date BETWEEN ? AND ?",
		bun.List(codes), first, last).Scan(ctx); err != nil {
		return err
	}
	compare := versions[market.IndexBar, indexDay]{
		key:  func(b *market.IndexBar) indexDay { return indexDay{b.Code, b.Date} },
		same: func(a, b *market.IndexBar) bool { return *a == *b },
	}
	stored := map[indexDay]*market.IndexBar{}
	for _, r := range known {
		stored[compare.key(&r.IndexBar)] = &r.IndexBar
	}
	changed, gone := compare.changes(entries, stored, nil)
	days, err := exceptions(ctx, tx)
	if err != nil {
		return err
	}
	calendar := market.CalendarOf(market.BIST, nil, days)
	for _, e := range entries {
		e.outcome.OffDay = !e.withdrawn && !calendar.CanHave(e.record.Date)
	}
	if len(changed)+len(gone) == 0 {
		return nil
	}
	var changedCodes []string
	for _, b := range changed {
		changedCodes = append(changedCodes, b.Code)
	}
	lost := make([]*indexBarRow, len(gone))
	for i, g := range gone {
		lost[i], changedCodes = &indexBarRow{IndexBar: *g.record}, append(changedCodes, g.record.Code)
	}
	if err := withdraw(ctx, tx, FeedBars, indexBarKey, lost, make([]value.Instant, len(lost))); err != nil {
		return err
	}
	seq, err := noteIndices(ctx, tx, w.postgres, changedCodes)
	if err != nil {
		return err
	}
	rows := make([]*indexBarRow, len(changed))
	for i, b := range changed {
		rows[i] = &indexBarRow{IndexBar: *b, Seq: seq}
	}
	return upsert(ctx, tx, rows, indexBarKey...)
}
