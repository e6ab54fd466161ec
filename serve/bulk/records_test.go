package bulk_test

import (
	"slices"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/demo"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// The bars of markets are those of the log, between two moments, and the days of indices are.
func TestEachBar(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, string(demo.New(clock).Records())+others)
		put(t, s, withdrawals)
		first, last := value.MustInstant("2026-01-05T00:00:00Z"), value.MustInstant("2026-03-16T00:00:00Z")
		want, got := map[string]map[string]string{"bar": {}, "index_bar": {}}, map[string]map[string]string{"bar": {}, "index_bar": {}}
		all := changesOf(t, s, map[string]db.Cursor{})
		note(want["index_bar"], all["index_bar"])
		note(want["bar"], slices.DeleteFunc(all["bar"], func(c db.Change) bool {
			bar, ok := c.Record.(*market.Bar) // what was withdrawn comes first
			return !ok || bar.Resolution != market.Day || bar.T.Before(first) || bar.T.After(last)
		}))
		add := func(c *db.Change) error {
			note(got[c.Kind], []db.Change{*c})
			return nil
		}
		for _, m := range market.Markets() {
			need.NoError(t, s.EachBar(t.Context(), m, market.Day, first, last, add))
		}
		need.NoError(t, s.EachIndexBar(t.Context(), add))
		for kind := range want {
			same := len(got[kind]) == len(want[kind]) && len(want[kind]) > 600
			for key, text := range want[kind] {
				same = same && got[kind][key] == text
			}
			if !same {
				t.Errorf("%s: %d of the log, %d", kind, len(want[kind]), len(got[kind]))
			}
		}
	})
}
