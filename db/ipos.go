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
