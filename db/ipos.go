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

// storeIPOs stores IPOs. An IPO that states only a code belongs to the instrument that had the
// code then; it stays that instrument's if its line comes again after the code passed to
// another.
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

// leaveOfferings moves the IPOs that state only the code of an instrument to the id under which
// the instrument is kept, if they were over by the time of its newest price. It reports whether
// there were any.
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

// IPOsAfter returns the IPOs numbered above seq.
func (s *Store) IPOsAfter(ctx context.Context, seq int64) ([]*ipo.Record, error) {
	return after(ctx, s, seq, ipos.record)
}

// tradesTogether bounds the parts of one statement.
const tradesTogether = 100

// FirstDays implements ipo.Store with one statement for every tradesTogether trades.
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
