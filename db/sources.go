package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/value"
)

type sourceRow struct {
	bun.BaseModel `bun:"table:source_status"`
	market.SourceStatus
	Seq int64
}

var sources = table[market.SourceStatus, sourceRow, string]{
	feed:    FeedSources,
	columns: []string{"source"},
	key:     func(r *market.SourceStatus) string { return r.Source },
	lookUp:  func(source string) any { return source },
	row:     func(r *market.SourceStatus, seq int64) *sourceRow { return &sourceRow{SourceStatus: *r, Seq: seq} },
	record:  func(r *sourceRow) *market.SourceStatus { return &r.SourceStatus },
	asOf:    func(r *market.SourceStatus) value.Instant { return r.AsOf },
}

// Sources returns whether each source was up when it was last checked.
func (s *Store) Sources(ctx context.Context) ([]*market.SourceStatus, error) {
	return after(ctx, s, 0, sources.record)
}
