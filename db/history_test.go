package db_test

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Each span gets its own bars, in the order of the spans, with one statement.
func TestBarsOfManyAreOneStatement(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		bar := func(id market.ID, t string) *market.Bar {
			return &market.Bar{InstrumentID: id, Resolution: market.FiveMinutes, T: value.MustInstant(t), Close: value.MustDecimal("1.50")}
		}
		const first, second, third, fourth = "1969-12-31T23:59:59.999Z", "2026-03-16T21:00:00.001Z", "2026-03-16T21:05:00Z",
			"2199-12-31T00:00:00.123Z"
		a1, a2, a3, a4 := bar("bist:A", first), bar("bist:A", second), bar("bist:A", third), bar("bist:A", fourth)
		b2, b3 := bar("bist:B", second), bar("bist:B", third)
		daily := bar("bist:A", second)
		daily.Resolution = market.Day
		putBars(t, s, a4, b3, a1, daily, bar("bist:C", second), a3, b2, a2)
		span := func(id market.ID, first, last string) market.Span {
			return market.Span{ID: id, First: value.MustInstant(first), Last: value.MustInstant(last)}
		}
		for _, c := range []struct {
			spans []market.Span
			want  [][]*market.Bar
		}{
			{nil, [][]*market.Bar{}},
			{[]market.Span{span("bist:A", first, fourth)}, [][]*market.Bar{{a1, a2, a3, a4}}},
			{
				[]market.Span{span("bist:B", third, third), span("bist:NOPE", first, fourth), span("bist:A", second, fourth)},
				[][]*market.Bar{{b3}, nil, {a2, a3, a4}},
			},
			{[]market.Span{span("bist:A", first, first), span("bist:B", fourth, first)}, [][]*market.Bar{{a1}, nil}},
		} {
			var statements []string
			got, err := barsIn(s.Watched(func(statement string) {
				statements = append(statements, statement)
			}).Bars(t.Context(), market.FiveMinutes, c.spans))
			if err != nil || len(statements) > 1 {
				t.Errorf("%v: %q, %v", c.spans, statements, err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v: got %s, want %s", c.spans, encoded(got), encoded(c.want))
			}
		}
	})
}

// However many series and bars there are, those of a span are found by keys.
func TestBarsAreFoundByTheirKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		begin := value.MustInstant("2026-01-05T00:00:00Z")
		var bars []*market.Bar
		for n := range 5_000 {
			bars = append(bars, &market.Bar{
				InstrumentID: market.ID(fmt.Sprintf("us:S%02d", n%50)), Resolution: market.Day,
				T: begin.Add(time.Duration(n/50) * 24 * time.Hour), Close: value.MustDecimal("1.50"),
			})
		}
		putBars(t, s, bars...)
		plan := planner(t, url)
		first, last := begin.Add(24*time.Hour), begin.Add(72*time.Hour)
		var statement string
		if _, err := s.Watched(func(text string) { statement = text }).Bars(background, market.Day,
			[]market.Span{{ID: "us:S07", First: first, Last: last}}); err != nil {
			t.Fatal(err)
		}
		args := []any{"1d", []string{"us:S07"}, []time.Time{first.Time()}, []time.Time{last.Time()}}
		if !dbtest.IsPostgres(url) {
			args = []any{"1d", fmt.Sprintf(`[["us:S07", %d, %d]]`, first.Time().UnixMicro(), last.Time().UnixMicro())}
		}
		if p := plan(statement, args...); regexp.MustCompile(`Seq Scan|SCAN (b|c|bars|bar_changes)\b`).MatchString(p) ||
			!regexp.MustCompile(`bars_pkey|SEARCH b USING`).MatchString(p) {
			t.Errorf("%s\nin the plan\n%s", statement, p)
		}
	})
}

// A watchlist of 100 costs as many statements as one of 10.
func TestStatementsOfAWatchlist(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := openBars(t, url)
		for _, n := range []int{1, 10, 100} {
			spans := make([]market.Span, n)
			for i := range spans {
				spans[i] = market.Span{ID: market.ID(fmt.Sprintf("bist:S%03d", i)), First: value.MustInstant("2026-03-16T21:00:00Z"),
					Last: value.MustInstant("2026-03-17T21:00:00Z")}
			}
			statements := 0
			if _, err := s.Watched(func(string) { statements++ }).Bars(t.Context(), market.Day, spans); err != nil || statements != 1 {
				t.Errorf("%d instruments: %d statements, %v", n, statements, err)
			}
		}
	})
}

// The first bars of instruments, from a moment on, of one resolution.
func TestFirstBars(t *testing.T) {
	bar := func(id market.ID, r market.Resolution, at string) *market.Bar {
		return &market.Bar{InstrumentID: id, Resolution: r, T: value.MustInstant(at), Close: value.MustDecimal("1")}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, bar("us:A", market.Day, "2019-01-02T00:00:00Z"), bar("us:A", market.Day, "2021-01-04T00:00:00Z"),
			bar("us:B", market.Day, "2020-05-06T00:00:00Z"),
			bar("index:C", market.FiveMinutes, "2018-01-02T00:00:00Z"), bar("us:D", market.Day, "2018-01-02T00:00:00Z"))
		ids := []market.ID{"us:A", "us:B", "index:C", "us:E"}
		for since, want := range map[string]map[market.ID]string{
			"":                     {"us:A": "2019-01-02T00:00:00Z", "us:B": "2020-05-06T00:00:00Z"},
			"2020-01-01T00:00:00Z": {"us:A": "2021-01-04T00:00:00Z", "us:B": "2020-05-06T00:00:00Z"},
			"2021-01-04T00:00:00Z": {"us:A": "2021-01-04T00:00:00Z"},
			"2021-01-05T00:00:00Z": {},
		} {
			var from value.Instant
			if since != "" {
				from = value.MustInstant(since)
			}
			got := map[market.ID]string{}
			for id, at := range must[map[market.ID]value.Instant](t)(s.FirstBars(background, market.Day, ids, from)) {
				got[id] = at.String()
			}
			same(t, "from "+since, got, want)
		}
	})
}
