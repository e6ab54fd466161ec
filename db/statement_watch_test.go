package db_test

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// ran returns how many statements of a pool and a feed are measured, and how many failed.
func ran(t *testing.T, s *db.Store, pool, feed string) (measured, failed int) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(s.StatementMetrics())
	families, err := r.Gather()
	need.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["pool"] == pool && labels["feed"] == feed {
				measured += int(m.GetHistogram().GetSampleCount())
				failed += int(m.GetCounter().GetValue())
			}
		}
	}
	return measured, failed
}

// Every statement is measured under its pool and, if it reads for a request, its feed; one
// that fails counts as failed, unless its caller has gone.
func TestStatementMetrics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		day := value.MustDate("2026-03-17")
		read := func(ctx context.Context) error {
			_, err := s.Metrics(ctx, []market.ID{"bist:A"}, day, day)
			return err
		}
		before, failedBefore := ran(t, s, "write", "")
		want(t, put(t, s, stock("A")), db.Stored)
		after, failed := ran(t, s, "write", "")
		if after-before < 4 || failed != failedBefore { // begin, lock, insert, commit
			t.Errorf("%d statements of a write, %d failed", after-before, failed-failedBefore)
		}
		need.NoError(t, read(t.Context()))
		if measured, failed := ran(t, s, "read", db.FeedMetrics); measured != 1 || failed != 0 {
			t.Errorf("%d statements of a read, %d failed", measured, failed)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := read(gone); err == nil {
			t.Error("a read for nobody succeeded")
		}
		if _, failed := ran(t, s, "read", db.FeedMetrics); failed != 0 {
			t.Errorf("%d failed of whose caller had gone", failed)
		}
		if _, err := dbtest.Raw(t, url).Exec("DROP TABLE market_metrics"); err != nil {
			t.Fatal(err)
		}
		if err := read(t.Context()); err == nil {
			t.Error("a read without its table succeeded")
		}
		if _, failed := ran(t, s, "read", db.FeedMetrics); failed != 1 {
			t.Errorf("%d failed, want 1", failed)
		}
	})
}

func TestStatementsWithoutValues(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT "a1", b2 FROM t_3 WHERE x = 'it''s' AND y IN (1, 2.5, 3)`: `SELECT "a1", b2 FROM t_3 WHERE x = ? AND y IN (?)`,
		`INSERT INTO k VALUES ('a', '\xdeadbeef'), (-1e9, NULL)`:          `INSERT INTO k VALUES (?), (-?, NULL)`,
		`SELECT $1, ?2, 'open`: `SELECT $1, ?2, ?`,
		`a='' AND b=''''`:      `a=? AND b=?`,
		`"it's" = 'x' || '"'`:  `"it's" = ? || ?`,
	} {
		if got := db.WithoutValues(text); got != want {
			t.Errorf("%s\n is %s\nnot %s", text, got, want)
		}
	}
	if long := db.WithoutValues(strings.Repeat("SELECT x ", 1000)); len(long) > 4<<10 {
		t.Errorf("%d bytes", len(long))
	}
}

// Whatever a text has, nothing of it is shown.
func FuzzStatementsWithoutValues(f *testing.F) {
	f.Add("secret", "more'")
	f.Fuzz(func(t *testing.T, a, b string) {
		quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
		if got := db.WithoutValues("x = " + quoted(a) + " AND y = " + quoted(b) + " AND z"); got != "x = ? AND y = ? AND z" {
			t.Errorf("%q and %q: %q", a, b, got)
		}
	})
}
