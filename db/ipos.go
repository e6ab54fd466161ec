package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

type ipoRow struct {
	bun.BaseModel `bun:"table:ipos"`
	ipo.Record
	Seq int64
}

var ipos = table[ipo.Record, ipoRow, string]{
	feed:    FeedIPOs,
	columns: []string{"id"},
	key:     func(r *ipo.Record) string { return r.ID },
	lookUp:  func(id string) any { return id },
	row:     func(r *ipo.Record, seq int64) *ipoRow { return &ipoRow{Record: *r, Seq: seq} },
	record:  func(r *ipoRow) *ipo.Record { return &r.Record },
	asOf:    func(r *ipo.Record) value.Instant { return r.AsOf },
}

// storeIPOs stores public offerings. One that states only a code, and is of an instrument that had the code before
// another, stays that instrument's when its line comes again.
func storeIPOs(ctx context.Context, tx *numbered, w writing, entries []entry[ipo.Record]) error {
	stored, err := ipos.stored(ctx, tx, entries)
	if err != nil {
		return err
	}
	for i, e := range entries {
		was := stored[e.record.ID]
		if was == nil || !was.InstrumentID.IsFormer() || e.record.Stated() != was.InstrumentID.Stated() {
			continue
		}
		again := *e.record
		again.InstrumentID, entries[i].record = was.InstrumentID, &again
	}
	return ipos.store(ctx, tx, w, entries)
}

// leaveOfferings gives the public offerings that state only the code of an instrument to the id under which it is
// kept, if they were over when it had its newest price. It reports whether there were any.
func leaveOfferings(ctx context.Context, tx *numbered, from, to market.ID) (bool, error) {
	last, err := lastPrice(ctx, tx, to)
	if err != nil || last.IsNull() || from.Market() != market.BIST {
		return false, err
	}
	var rows, left []*ipoRow
	if err := tx.NewSelect().Model(&rows).Where("upper(symbol) = ? AND COALESCE(instrument_id, '') = ''", from.Symbol()).
		Scan(ctx); err != nil {
		return false, err
	}
	for _, r := range rows {
		if r.WasOver(last) {
			r.InstrumentID, r.Seq = to, tx.number(FeedIPOs)
			left = append(left, r)
		}
	}
	return len(left) > 0, upsert(ctx, tx, left, ipos.columns...)
}

// IPOsAfter returns the public offerings numbered above seq.
func (s *Store) IPOsAfter(ctx context.Context, seq int64) ([]*ipo.Record, error) {
	return after(ctx, s, seq, ipos.record)
}

// tradesTogether bounds the parts of one statement.
const tradesTogether = 100

// FirstDays implements ipo.Store with one statement for each hundred.
func (s *Store) FirstDays(ctx context.Context, trades []ipo.Trade) (_ []value.Instant, err error) {
	ctx, done := s.reading(ctx, FeedBars)
	defer done(&err)
	days := make([]value.Instant, 0, len(trades))
	for some := range slices.Chunk(trades, tradesTogether) {
		var all *bun.SelectQuery
		for i, t := range some {
			first := s.read.NewSelect().TableExpr("bars").ColumnExpr("min(t)").
				Where("instrument_id = ? AND resolution = ? AND t >= ? AND close IS NOT NULL", t.Share, market.Day, t.From.TurkeyStart())
			one := s.read.NewSelect().ColumnExpr("? AS place", i).ColumnExpr("(?) AS day", first)
			if all == nil {
				all = one
			} else {
				all.UnionAll(one)
			}
		}
		var rows []struct {
			Place int
			Day   value.Instant
		}
		if err := all.Scan(ctx, &rows); err != nil {
			return nil, err
		}
		at := len(days)
		days = days[:at+len(some)]
		for _, r := range rows {
			days[at+r.Place] = r.Day
		}
	}
	return days, nil
}
