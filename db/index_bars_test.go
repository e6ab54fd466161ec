package db_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func TestIndexBars(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		put := func(bars ...*market.IndexBar) (results []db.Result) {
			t.Helper()
			outcomes := make([]db.Outcome, len(bars))
			batch := new(db.Batch)
			for i, b := range bars {
				db.Put(batch, b, &outcomes[i])
			}
			need.NoError(t, s.Store(t.Context(), batch))
			for _, o := range outcomes {
				results = append(results, o.Result)
			}
			return results
		}
		d := value.MustDecimal
		one := &market.IndexBar{Code: "XU100", Date: value.MustDate("2025-03-10"), Open: d("10047.00"), High: d("10077.00"),
			Low: d("10022.00"), Close: d("10052.00")}
		two := &market.IndexBar{Code: "XU100", Date: value.MustDate("2025-03-11"), Close: d("9924.0")}
		if got := put(one, two, one); !reflect.DeepEqual(got, []db.Result{db.Stored, db.Stored, db.Unchanged}) {
			t.Errorf("got %v", got)
		}
		if got := put(two, &market.IndexBar{Code: "XU100", Date: two.Date, Close: d("9924.00")}); !reflect.DeepEqual(got,
			[]db.Result{db.Unchanged, db.Stored}) {
			t.Errorf("got %v", got)
		}
		two.Close = d("9924.00")
		if got, err := s.IndexBars(t.Context(), []string{"XU100"}); err != nil ||
			!reflect.DeepEqual(got, [][]*market.IndexBar{{one, two}}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// Indices returns read as bars are: those asked for, in that order.
func TestIndexBarsOfSeveral(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		putLevels(t, s, "XU100 2026-03-17 3", "XU100 2026-03-16 2.50", "XU030 2026-03-16 9", "XU100 2026-03-18 4", "XUTEK 2026-03-16 1")
		got := must[[][]*market.IndexBar](t)(s.IndexBars(t.Context(), []string{"XU030", "XNONE", "XU100"}))
		var shown []string
		for i, bars := range got {
			for _, b := range bars {
				shown = append(shown, fmt.Sprint(i, " ", b.Code, " ", b.Date, " ", b.Close))
			}
		}
		if want := []string{"0 XU030 2026-03-16 9", "2 XU100 2026-03-16 2.50", "2 XU100 2026-03-17 3",
			"2 XU100 2026-03-18 4"}; !slices.Equal(shown, want) {
			t.Errorf("%v, want %v", shown, want)
		}
		if none, err := s.IndexBars(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("of none: %v, %v", none, err)
		}
	})
}
