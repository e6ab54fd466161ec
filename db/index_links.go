package db

import (
	"context"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/macro"
)

type indexLinkRow struct {
	bun.BaseModel `bun:"table:index_links"`
	macro.IndexLink
	Seq int64
}

// linkedBases is the key of a link.
type linkedBases struct {
	series   macro.Series
	from, to string
}

var indexLinks = table[macro.IndexLink, indexLinkRow, linkedBases]{
	feed:    FeedInflation,
	columns: []string{"series_id", "from_base", "to_base"},
	key:     func(l *macro.IndexLink) linkedBases { return linkedBases{l.SeriesID, l.FromBase, l.ToBase} },
	lookUp:  func(k linkedBases) any { return k.series },
	row:     func(l *macro.IndexLink, seq int64) *indexLinkRow { return &indexLinkRow{IndexLink: *l, Seq: seq} },
	record:  func(r *indexLinkRow) *macro.IndexLink { return &r.IndexLink },

	remembered: true,
}

// linkedSeries reads points and links of some series, by series.
func linkedSeries(ctx context.Context, tx bun.IDB, series []macro.Series) (map[macro.Series][]*macro.Point,
	map[macro.Series][]*macro.IndexLink, error) {
	var linkRows []*indexLinkRow
	if err := tx.NewSelect().Model(&linkRows).Where("series_id IN (?)", bun.List(series)).Scan(ctx); err != nil {
		return nil, nil, err
	}
	var pointRows []*inflationRow
	if err := tx.NewSelect().Model(&pointRows).Where("series_id IN (?)", bun.List(series)).Scan(ctx); err != nil {
		return nil, nil, err
	}
	links, points := map[macro.Series][]*macro.IndexLink{}, map[macro.Series][]*macro.Point{}
	for _, r := range linkRows {
		links[r.SeriesID] = append(links[r.SeriesID], &r.IndexLink)
	}
	for _, r := range pointRows {
		points[r.SeriesID] = append(points[r.SeriesID], &r.Point)
	}
	return points, links, nil
}

// storeIndexLinks stores links between bases. It rejects links that contradict stored data:
// other links of the series with which they would form a cycle, or its points.
func storeIndexLinks(ctx context.Context, tx *numbered, w writing, entries []entry[macro.IndexLink]) error {
	points, links, err := linkedSeries(ctx, tx, distinct(entries, func(l *macro.IndexLink) macro.Series { return l.SeriesID }))
	if err != nil {
		return err
	}
	var fitting []entry[macro.IndexLink]
	for _, e := range entries {
		e.record = e.record.Plain()
		of := e.record.SeriesID
		others := slices.DeleteFunc(slices.Clone(links[of]), func(l *macro.IndexLink) bool {
			return indexLinks.key(l) == indexLinks.key(e.record)
		})
		if !e.withdrawn {
			known := slices.ContainsFunc(links[of], func(l *macro.IndexLink) bool { return reflect.DeepEqual(l, e.record) })
			if wrong := macro.CheckLink(points[of], others, e.record); wrong != nil && !known {
				*e.outcome = Outcome{Result: Refused, Why: wrong}
				continue
			}
			others = append(others, e.record)
		}
		links[of], fitting = others, append(fitting, e)
	}
	return indexLinks.store(ctx, tx, w, fitting)
}

// IndexLinks returns all links between bases of price indices.
func (s *Store) IndexLinks(ctx context.Context) ([]*macro.IndexLink, error) {
	return after(ctx, s, 0, indexLinks.record)
}
