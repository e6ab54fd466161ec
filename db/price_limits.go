package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type priceLimitsRow struct {
	bun.BaseModel `bun:"table:price_limits"`
	market.PriceLimits
	Seq int64
}

// limitsKey is the key of price limits.
type limitsKey struct {
	date value.Date
	id   market.ID
}

var priceLimits = table[market.PriceLimits, priceLimitsRow, limitsKey]{
	feed:    FeedCatalog,
	columns: []string{"date", "instrument_id"}, // those of a day are stored together
	key:     func(r *market.PriceLimits) limitsKey { return limitsKey{r.Date, r.InstrumentID} },
	lookUp:  func(k limitsKey) any { return k.date },
	narrow: func(q *bun.SelectQuery, entries []entry[market.PriceLimits]) {
		if ids := distinct(entries, func(r *market.PriceLimits) market.ID { return r.InstrumentID }); len(ids) <= upsertChunk {
			q.Where("instrument_id IN (?)", bun.List(ids))
		}
	},
	row: func(r *market.PriceLimits, seq int64) *priceLimitsRow {
		return &priceLimitsRow{PriceLimits: *r, Seq: seq}
	},
	record: func(r *priceLimitsRow) *market.PriceLimits { return &r.PriceLimits },
}

// PriceLimitsAfter returns the price limits whose number in the catalog is above seq, of the
// newest market.LimitDays days with limits.
func (s *Store) PriceLimitsAfter(ctx context.Context, seq int64) (_ []*market.PriceLimits, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*priceLimitsRow
	newest := s.follow.NewSelect().Model((*priceLimitsRow)(nil)).Distinct().Column("date").Order("date DESC").Limit(market.LimitDays)
	query := s.follow.NewSelect().Model(&rows).Where("date IN (?)", newest).Order("date")
	if seq > 0 { // otherwise the index of numbers would lead to every row
		query.Where("seq > ?", seq)
	}
	err = query.Scan(ctx)
	return records(rows, priceLimits.record), err
}
