package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// bar returns a bar with a close only.
func bar(id market.ID, r market.Resolution, at, last string) *market.Bar {
	return &market.Bar{InstrumentID: id, Resolution: r, T: value.MustInstant(at), Close: value.MustDecimal(last)}
}

// putLevels stores a day of indices, each "CODE DATE CLOSE".
func putLevels(t testing.TB, s *db.Store, levels ...string) []db.Outcome {
	t.Helper()
	b, out := new(db.Batch), make([]db.Outcome, len(levels))
	for i, level := range levels {
		words := strings.Fields(level)
		db.Put(b, &market.IndexBar{Code: words[0], Date: value.MustDate(words[1]), Close: value.MustDecimal(words[2])}, &out[i])
	}
	need.NoError(t, s.Store(t.Context(), b))
	return out
}

// The log names whose daily bars changed, once each, and nothing else.
func TestBarsAfter(t *testing.T) {
	const stock, pair, coin = market.ID("bist:THYAO"), market.ID("fx:USDTRY"), market.ID("crypto:1")
	day := market.Day
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		levels := func(levels ...string) func() { return func() { putLevels(t, s, levels...) } }
		records := func(records ...any) func() { return func() { put(t, s, records...) } }
		var last int64
		for _, step := range []struct {
			name string
			put  func()
			want []string
		}{
			{"nothing", func() {}, nil},
			{"daily bars of two", records(bar(stock, day, "2026-03-15T21:00:00Z", "1"), bar(stock, day, "2026-03-16T21:00:00Z", "2"),
				bar("us:AAPL", day, "2026-03-16T00:00:00Z", "3")), []string{"bist:THYAO", "us:AAPL"}},
			{"the same lines", records(bar(stock, day, "2026-03-15T21:00:00Z", "1"),
				bar("us:AAPL", day, "2026-03-16T00:00:00Z", "3")), nil},
			{"one of them otherwise", records(bar(stock, day, "2026-03-15T21:00:00Z", "1.0"),
				bar("us:AAPL", day, "2026-03-16T00:00:00Z", "3")), []string{"bist:THYAO"}},
			{"a shorter bar", records(bar(stock, market.FiveMinutes, "2026-03-16T07:05:00Z", "1")), nil},
			{"a shorter bar and a daily one of another",
				records(bar(stock, market.FiveMinutes, "2026-03-16T07:10:00Z", "1"), bar("fund:AFA", day, "2026-03-16T00:00:00Z", "1")),
				[]string{"fund:AFA"}},
			{"a day of two indices", levels("XU100 2026-03-16 9000", "XU030 2026-03-16 9500.5"), []string{"XU030", "XU100"}},
			{"the same day again", levels("XU100 2026-03-16 9000", "XU030 2026-03-16 9500.5"), nil},
			{"another close of one", levels("XU100 2026-03-16 9000", "XU030 2026-03-16 9500.6"), []string{"XU030"}},
			{"a day twice in a batch", levels("XU100 2026-03-17 1", "XU100 2026-03-17 2"), []string{"XU100"}},
			{"a quote of a stock makes a 5m bar", records(dayFigures(stock, "2026-03-18T07:00:00Z", "10", "100", "1000")), nil},
			{"quotes that make days", records(price(pair, "2026-03-17T20:59:00Z", "39"), price(pair, "2026-03-18T07:00:00Z", "41.2"),
				price(coin, "2026-03-18T03:00:00Z", "7")), []string{"crypto:1", "fx:USDTRY"}},
			{"the same quotes", records(price(pair, "2026-03-18T07:00:00Z", "41.2"), price(coin, "2026-03-18T03:00:00Z", "7")), nil},
			{"a newer price within the day", records(price(pair, "2026-03-18T08:00:00Z", "41.3")), []string{"fx:USDTRY"}},
			{"a late price", records(price(pair, "2026-03-17T21:00:00Z", "40")), []string{"fx:USDTRY"}},
			{"one day withdrawn, the bar with it", records(dayFigures(pair, "2026-03-17T20:59:00Z", "", "", "")), []string{"fx:USDTRY"}},
			{"a quote of what is not recorded", records(price("us:AAPL", "2026-03-18T14:00:00Z", "8")), nil},
			{"a batch of everything", func() {
				b, out := batch(t, bar("cmdty:XAU", day, "2026-03-17T00:00:00Z", "3000"), price(coin, "2026-03-18T05:00:00Z", "9"))
				db.Put(b, &market.IndexBar{Code: "XU050", Date: value.MustDate("2026-03-17"), Close: value.MustDecimal("1")}, &out[0])
				need.NoError(t, s.Store(t.Context(), b))
			}, []string{"XU050", "cmdty:XAU", "crypto:1"}},
		} {
			step.put()
			got := dailyChanges(t, s, last)
			if !slices.Equal(got, step.want) {
				t.Errorf("%s: %v, want %v", step.name, got, step.want)
			}
			if head := heads(t, s)[db.FeedBars]; len(step.want) > 0 && head <= last {
				t.Errorf("%s: the head stays at %d", step.name, head)
			} else {
				last = head
			}
		}
		everybody := dailyChanges(t, s, 0)
		if want := []string{"XU030", "XU050", "XU100", "bist:THYAO", "cmdty:XAU", "crypto:1", "fund:AFA", "fx:USDTRY",
			"us:AAPL"}; !slices.Equal(everybody, want) {
			t.Errorf("from the beginning: %v, want %v", everybody, want)
		}
	})
}

// A batch that fails names nobody.
func TestFailedBatchNamesNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		if _, err := dbtest.Raw(t, url).Exec("DROP TABLE index_bars"); err != nil {
			t.Fatal(err)
		}
		b, out := batch(t, bar("bist:THYAO", market.Day, "2026-03-15T21:00:00Z", "1"))
		db.Put(b, &market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-16"), Close: value.MustDecimal("1")}, &out[0])
		if err := s.Store(t.Context(), b); err == nil {
			t.Fatal("no error")
		}
		if got := dailyChanges(t, s, 0); len(got) != 0 {
			t.Errorf("named: %v", got)
		}
	})
}

// More subjects than one statement writes.
func TestManyChangesAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var records []any
		for i := range 1201 {
			records = append(records, bar(market.ID(fmt.Sprintf("us:S%04d", i)), market.Day, "2026-03-16T00:00:00Z", "1"))
		}
		put(t, s, records...)
		if got := dailyChanges(t, s, 0); len(got) != 1201 {
			t.Errorf("%d subjects", len(got))
		}
	})
}

// A database that has bars already names all whose daily bars it has, at the
// head of the feed, so that a server that starts computes them.
func TestMigrationNamesWhatIsStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, bar("bist:THYAO", market.Day, "2026-03-15T21:00:00Z", "1"), bar("bist:THYAO", market.Day, "2026-03-16T21:00:00Z", "1"),
			bar("bist:SHORT", market.FiveMinutes, "2026-03-16T07:05:00Z", "1"), bar("us:AAPL", market.Day, "2026-03-16T00:00:00Z", "3"))
		putLevels(t, s, "XU100 2026-03-16 1", "XU100 2026-03-17 1")
		head := heads(t, s)[db.FeedBars]
		raw := dbtest.Raw(t, url)
		for _, statement := range []string{"DROP TABLE bar_changes", "DELETE FROM bun_migrations WHERE name IN ('0008', '0017')"} {
			if _, err := raw.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		applied, err := db.Migrate(t.Context(), url)
		if err != nil || len(applied) != 2 || !strings.HasPrefix(applied[0], "0008") {
			t.Fatalf("applied %v, %v", applied, err)
		}
		for after, want := range map[int64][]string{0: {"XU100", "bist:THYAO", "us:AAPL"},
			head - 1: {"XU100", "bist:THYAO", "us:AAPL"}, head: nil} {
			got := dailyChanges(t, s, after)
			if !slices.Equal(got, want) {
				t.Errorf("after %d: %v, want %v", after, got, want)
			}
		}
		put(t, s, bar("bist:THYAO", market.Day, "2026-03-16T21:00:00Z", "2"))
		if got := dailyChanges(t, s, head); !slices.Equal(got, []string{"bist:THYAO"}) {
			t.Errorf("a change after the migration: %v", got)
		}
	})
}
