package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

type inflationRow struct {
	bun.BaseModel `bun:"table:inflation_points"`
	macro.Point
	Seq int64
}

// seriesMonth is the key of a point.
type seriesMonth struct {
	series macro.Series
	month  value.Month
}

var inflationPoints = table[macro.Point, inflationRow, seriesMonth]{
	feed:       FeedInflation,
	columns:    []string{"month", "series_id"}, // looked up by month; few series share one
	key:        func(r *macro.Point) seriesMonth { return seriesMonth{r.SeriesID, r.Month} },
	lookUp:     func(k seriesMonth) any { return k.month },
	remembered: true,
	row:        func(r *macro.Point, seq int64) *inflationRow { return &inflationRow{Point: *r, Seq: seq} },
	record:     func(r *inflationRow) *macro.Point { return &r.Point },
}

// InflationPoints returns all months of all price indices.
func (s *Store) InflationPoints(ctx context.Context) ([]*macro.Point, error) {
	return after(ctx, s, 0, inflationPoints.record)
}
