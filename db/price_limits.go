package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/value"
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
	columns: []string{"date", "instrument_id"}, // those of a day come together
	key:     func(r *market.PriceLimits) limitsKey { return limitsKey{r.Date, r.InstrumentID} },
	lookUp:  func(k limitsKey) any { return k.date },
	row: func(r *market.PriceLimits, seq int64) *priceLimitsRow {
		return &priceLimitsRow{PriceLimits: *r, Seq: seq}
	},
	record: func(r *priceLimitsRow) *market.PriceLimits { return &r.PriceLimits },
}

// PriceLimitsAfter returns the price limits whose number in the catalog is above seq, of the
// last market.LimitDays days that have any.
func (s *Store) PriceLimitsAfter(ctx context.Context, seq int64) (_ []*market.PriceLimits, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var newest []*priceLimitsRow
	if err := s.follow.NewSelect().Model(&newest).Order("date DESC").Limit(1).Scan(ctx); err != nil || len(newest) == 0 {
		return nil, err
	}
	var rows []*priceLimitsRow
	err = s.follow.NewSelect().Model(&rows).Where("seq > ? AND date > ?", seq, newest[0].Date.AddDays(-market.LimitDays)).Order("seq").Scan(ctx)
	return records(rows, priceLimits.record), err
}
