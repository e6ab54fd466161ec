package db_test

import (
	"reflect"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// putBars stores bars in one batch and returns what became of them.
func putBars(t *testing.T, s *db.Store, bars ...*market.Bar) []db.Result {
	t.Helper()
	outcomes := make([]db.Outcome, len(bars))
	batch := new(db.Batch)
	for i, b := range bars {
		db.Put(batch, b, &outcomes[i])
	}
	need.NoError(t, s.Store(t.Context(), batch))
	results := make([]db.Result, len(bars))
	for i, o := range outcomes {
		results[i] = o.Result
	}
	return results
}

func openBars(t *testing.T, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url)
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// dailyBars returns the stored daily bars of an instrument from first to last.
func dailyBars(t *testing.T, s *db.Store, id market.ID, first, last value.Instant) ([]*market.Bar, error) {
	t.Helper()
	answers, err := barsIn(s.Bars(t.Context(), market.Day, []market.Span{{ID: id, First: first, Last: last}}))
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

func day(t, closing string) *market.Bar {
	return &market.Bar{InstrumentID: "bist:DMOST", Resolution: market.Day, T: value.MustInstant(t), Close: value.MustDecimal(closing)}
}

// Digits, nulls and order come back as they went in.
func TestBarsComeBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		d, n := value.MustDecimal, 51234
		full := &market.Bar{
			InstrumentID: "bist:DMOST", Resolution: market.Day, T: value.MustInstant("2026-03-16T21:00:00Z"), Open: d("0.10"),
			High: d("302.500"), Low: d("0.00000000000000000000000000012"),
			Close: d("300.00"), Volume: d("123456789012345678901234567890"), Turnover: d("998877665.440"), TradeCount: &n,
		}
		empty := &market.Bar{InstrumentID: "bist:DMOST", Resolution: market.Day, T: value.MustInstant("1900-01-01T21:00:00Z")}
		putBars(t, s, full, empty, &market.Bar{InstrumentID: "bist:DMOST", Resolution: market.FiveMinutes, T: full.T},
			&market.Bar{InstrumentID: "bist:DMOSX", Resolution: market.Day, T: full.T})
		got, err := dailyBars(t, s, "bist:DMOST", empty.T, full.T)
		if err != nil || !reflect.DeepEqual(got, []*market.Bar{empty, full}) {
			t.Errorf("got %+v, %v", got, err)
		}
		if within, err := dailyBars(t, s, "bist:DMOST", empty.T.Add(1e6), full.T.Add(-1e6)); err != nil || len(within) != 0 {
			t.Errorf("between the two: %v, %v", within, err)
		}
	})
}

func TestBarsReplaceByKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		const a, b = "2026-03-16T21:00:00Z", "2026-03-17T21:00:00Z"
		want := func(got []db.Result, want ...db.Result) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		want(putBars(t, s, day(a, "1.0"), day(b, "2"), day(a, "1.0"), day(a, "1.00")), db.Stored, db.Stored, db.Unchanged, db.Stored)
		before, err := s.Look(t.Context())
		need.NoError(t, err)
		want(putBars(t, s, day(a, "1.00"), day(b, "2")), db.Unchanged, db.Unchanged)
		after, err := s.Look(t.Context())
		if err != nil || after.Heads[db.FeedBars] != before.Heads[db.FeedBars] || before.Heads[db.FeedBars] == 0 {
			t.Errorf("the head went from %d to %d, %v", before.Heads[db.FeedBars], after.Heads[db.FeedBars], err)
		}
		want(putBars(t, s, day(b, "2.5")), db.Stored)
		got, err := dailyBars(t, s, "bist:DMOST", value.MustInstant(a), value.MustInstant(b))
		if err != nil || len(got) != 2 || got[0].Close.String() != "1.00" || got[1].Close.String() != "2.5" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// More bars than one statement takes, and a remainder.
func TestManyBars(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		first := value.MustInstant("2020-01-01T21:00:00Z")
		var bars []*market.Bar
		for i := range 237 {
			bars = append(bars, &market.Bar{InstrumentID: "bist:DMOST", Resolution: market.Day, T: value.At(first.Time().AddDate(0, 0, i))})
		}
		putBars(t, s, bars...)
		got, err := dailyBars(t, s, "bist:DMOST", first, value.At(first.Time().AddDate(1, 0, 0)))
		if err != nil || len(got) != len(bars) {
			t.Errorf("%d of %d bars, %v", len(got), len(bars), err)
		}
	})
}
