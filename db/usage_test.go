package db_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"piyasa/account/usage"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func used(keyID, day, operation string, units int64) usage.Row {
	return usage.Row{KeyID: keyID, Day: value.MustDate(day), Operation: operation, Units: units}
}

func addUsage(t *testing.T, s *db.Store, writer string, batch int64, rows ...usage.Row) {
	t.Helper()
	need.NoError(t, s.AddUsage(t.Context(), writer, batch, rows))
}

func TestUsageIsAddedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		first := []usage.Row{used("a", "2026-03-31", "/v1/quotes", 2), used("a", "2026-04-01", "/graphql:quote", 5),
			used("b", "2026-03-31", "/v1/quotes", 1)}
		addUsage(t, s, "one", 1, first...)
		addUsage(t, s, "one", 1, first...) // the answer was lost
		addUsage(t, s, "two", 1, used("a", "2026-03-31", "/v1/quotes", 10))
		addUsage(t, s, "one", 2, used("a", "2026-03-31", "/v1/quotes", 100))
		addUsage(t, s, "one", 1, first...) // later than the next
		march := value.MustMonth("2026-03")
		for month, want := range map[value.Month]map[string]int64{march: {"a": 112, "b": 1}, march.Next(): {"a": 5},
			march.Next().Next(): {}} {
			got, err := s.UsageTotals(t.Context(), month)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v %v, want %v", month, got, err, want)
			}
		}
		for _, c := range []struct {
			key, first, last string
			want             []usage.Row
		}{
			{"", "2026-03-01", "2026-04-30", []usage.Row{used("a", "2026-03-31", "/v1/quotes", 112),
				used("a", "2026-04-01", "/graphql:quote", 5), used("b", "2026-03-31", "/v1/quotes", 1)}},
			{"a", "2026-04-01", "2026-04-30", []usage.Row{used("a", "2026-04-01", "/graphql:quote", 5)}},
			{"nobody", "2026-03-01", "2026-04-30", nil},
		} {
			got, err := s.Usage(t.Context(), c.key, value.MustDate(c.first), value.MustDate(c.last))
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v: %v %v", c, got, err)
			}
		}
	})
}

// Servers that store at the same time lose nothing, and do not wait for each other in a
// circle; batches may be long.
func TestUsageOfSeveralServers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		const servers, batches, rows = 4, 5, 700
		var all sync.WaitGroup
		for n := range servers {
			all.Go(func() {
				for batch := range batches {
					list := make([]usage.Row, rows)
					for i := range list {
						list[i] = used(fmt.Sprintf("key%04d", i), "2026-03-31", "/v1/quotes", 1)
					}
					if err := s.AddUsage(t.Context(), fmt.Sprint(n), int64(batch)+1, list); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		totals, err := s.UsageTotals(t.Context(), value.MustMonth("2026-03"))
		if err != nil || len(totals) != rows || totals["key0000"] != servers*batches || totals["key0699"] != servers*batches {
			t.Error(len(totals), totals["key0000"], err)
		}
	})
}
