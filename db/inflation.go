package db

import (
	"context"
	"reflect"
	"slices"

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
	columns:    []string{"month", "series_id"}, // looked up by month: few series share one
	key:        func(r *macro.Point) seriesMonth { return seriesMonth{r.SeriesID, r.Month} },
	lookUp:     func(k seriesMonth) any { return k.month },
	remembered: true,
	row:        func(r *macro.Point, seq int64) *inflationRow { return &inflationRow{Point: *r, Seq: seq} },
	record:     func(r *inflationRow) *macro.Point { return &r.Point },
}

// storeInflation stores points. It rejects points that contradict stored links between bases.
func storeInflation(ctx context.Context, tx *numbered, w writing, entries []entry[macro.Point]) error {
	points, links, err := linkedSeries(ctx, tx, distinct(entries, func(p *macro.Point) macro.Series { return p.SeriesID }))
	if err != nil {
		return err
	}
	var fitting []entry[macro.Point]
	for _, e := range entries {
		of := e.record.SeriesID
		next := slices.DeleteFunc(slices.Clone(points[of]), func(p *macro.Point) bool { return p.Month == e.record.Month })
		if !e.withdrawn {
			next = append(next, e.record)
			known := slices.ContainsFunc(points[of], func(p *macro.Point) bool { return reflect.DeepEqual(p, e.record) })
			if len(links[of]) > 0 && !known {
				if wrong := macro.CheckPoint(next, links[of], e.record); wrong != nil {
					*e.outcome = Outcome{Result: Refused, Why: wrong}
					continue
				}
			}
		}
		points[of], fitting = next, append(fitting, e)
	}
	return inflationPoints.store(ctx, tx, w, fitting)
}

// InflationPoints returns all months of all price indices.
func (s *Store) InflationPoints(ctx context.Context) ([]*macro.Point, error) {
	return after(ctx, s, 0, inflationPoints.record)
}
