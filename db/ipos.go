package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/ipo"
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
	refuse: func(stored, next *ipo.Record) *Outcome {
		if !stored.AsOf.IsNull() && !next.AsOf.IsNull() && next.AsOf.Before(stored.AsOf) {
			return &Outcome{Result: Stale}
		}
		return nil
	},
}

// IPOsAfter are the public offerings numbered above seq.
func (s *Store) IPOsAfter(ctx context.Context, seq int64) ([]*ipo.Record, error) {
	return after(ctx, s, seq, ipos.record)
}
