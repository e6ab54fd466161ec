package db_test

import (
	"cmp"
	"slices"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/macro"
	"piyasa/internal/value"
)

func point(series macro.Series, month, level string) *macro.Point {
	p := &macro.Point{SeriesID: series, Month: value.MustMonth(month)}
	if level != "" {
		p.Value = value.MustDecimal(level)
	}
	return p
}

// A month of a series has one level, whatever other series have.
func TestInflationPoints(t *testing.T) {
	full := point(macro.TUFE, "2025-06", "3132.170")
	full.Unit, full.Source, full.FetchedAt = new("2003=100"), new("TÜİK"), value.MustInstant("2025-07-03T07:00:00.120Z")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, point(macro.YIUFE, "2025-06", "4320.15"), point(macro.TUFE, "2025-06", "1"), point(macro.YIUFE, "2025-07", ""),
			point(macro.YIUFE, "2025-06", "4320.15")),
			db.Stored, db.Stored, db.Stored, db.Unchanged)
		want(t, put(t, s, full, point(macro.YIUFE, "2025-06", "4320.150"), point(macro.YIUFE, "2025-07", "")), db.Stored, db.Stored,
			db.Unchanged)
		want(t, put(t, s, full), db.Unchanged)
		found := must[[]*macro.Point](t)(s.InflationPoints(background))
		slices.SortFunc(found, func(a, b *macro.Point) int {
			return cmp.Or(cmp.Compare(a.SeriesID, b.SeriesID), cmp.Compare(a.Month.String(), b.Month.String()))
		})
		same(t, "points", found, []*macro.Point{full, point(macro.YIUFE, "2025-06", "4320.150"), point(macro.YIUFE, "2025-07", "")})
		if n := heads(t, s)[db.FeedInflation]; n != 5 {
			t.Errorf("the head is %d", n)
		}
	})
}
