package db_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// dayFigures returns an observation of what bars state.
func dayFigures(id market.ID, asOf, last, volume, turnover string) *market.Observation {
	o := price(id, asOf, "1")
	for figure, text := range map[*value.Decimal]string{&o.Last: last, &o.Volume: volume, &o.Turnover: turnover} {
		if *figure = (value.Decimal{}); text != "" {
			*figure = value.MustDecimal(text)
		}
	}
	return o
}

// One line changes these rows and no others.
func TestRowsThatOneLineChanges(t *testing.T) {
	t.Parallel()
	const stock, pair, coin = market.ID("bist:THYAO"), market.ID("fx:USDTRY"), market.ID("crypto:1")
	steps := []struct {
		name string
		put  *market.Observation
		want []string
	}{
		{"late, between two", dayFigures(stock, "2026-03-18T07:10:00Z", "20", "250", "2500"), []string{
			"bist:THYAO 5m 2026-03-18T07:10:00Z + 11 - - 20 50 500 - recorded",
			"bist:THYAO 5m 2026-03-18T07:15:00Z + 20 - - 12 50 500 - recorded",
			"bist:THYAO 5m 2026-03-18T07:15:00Z - 11 - - 12 100 1000 - recorded",
		}},
		{"revised", dayFigures(stock, "2026-03-18T07:05:00Z", "11.5", "200", "2100"), []string{
			"bist:THYAO 5m 2026-03-18T07:05:00Z + 10 - - 11.5 100 1100 - recorded",
			"bist:THYAO 5m 2026-03-18T07:05:00Z - 10 - - 11 100 1000 - recorded",
			"bist:THYAO 5m 2026-03-18T07:10:00Z + 11.5 - - 20 50 400 - recorded",
			"bist:THYAO 5m 2026-03-18T07:10:00Z - 11 - - 20 50 500 - recorded",
		}},
		{"revised beyond the next: it shrinks there", dayFigures(stock, "2026-03-18T07:05:00Z", "11.5", "260", "2100"), []string{
			"bist:THYAO 5m 2026-03-18T07:05:00Z + 10 - - 11.5 160 1100 - recorded",
			"bist:THYAO 5m 2026-03-18T07:05:00Z - 10 - - 11.5 100 1100 - recorded",
			"bist:THYAO 5m 2026-03-18T07:10:00Z + 11.5 - - 20 - 400 - recorded",
			"bist:THYAO 5m 2026-03-18T07:10:00Z - 11.5 - - 20 50 400 - recorded",
		}},
		{"late, a close without figures", dayFigures(stock, "2026-03-18T07:04:00Z", "99", "", ""), []string{
			"bist:THYAO 5m 2026-03-18T07:00:00Z + - - - 99 - - - recorded",
			"bist:THYAO 5m 2026-03-18T07:00:00Z - - - - 10 100 1000 - recorded",
			"bist:THYAO 5m 2026-03-18T07:05:00Z + 99 - - 11.5 - - - recorded",
			"bist:THYAO 5m 2026-03-18T07:05:00Z - 10 - - 11.5 160 1100 - recorded",
		}},
		{"withdrawn, the bar with it", dayFigures(stock, "2026-03-18T07:10:00Z", "", "250", "2500"), []string{
			"bist:THYAO 5m 2026-03-18T07:10:00Z - 11.5 - - 20 - 400 - recorded",
			"bist:THYAO 5m 2026-03-18T07:15:00Z + 11.5 - - 12 40 900 - recorded",
			"bist:THYAO 5m 2026-03-18T07:15:00Z - 20 - - 12 50 500 - recorded",
		}},
		{"the newest withdrawn", dayFigures(stock, "2026-03-18T07:15:00Z", "", "", ""), []string{
			"bist:THYAO 5m 2026-03-18T07:15:00Z - 11.5 - - 12 40 900 - recorded",
		}},
		{"and gone on after it", dayFigures(stock, "2026-03-18T07:16:00Z", "13", "300", "3000"), []string{
			"bist:THYAO 5m 2026-03-18T07:15:00Z + 11.5 - - 13 40 900 - recorded",
		}},
		{"late, and not the close of its slot", dayFigures(stock, "2026-03-18T07:15:30Z", "99", "1", "1"), nil},
		{"a pair: slot and day", price(pair, "2026-03-17T21:00:00Z", "40"), []string{
			"fx:USDTRY 1d 2026-03-17T21:00:00Z + 40 41.3 40 41.3 - - - recorded",
			"fx:USDTRY 1d 2026-03-17T21:00:00Z - 41.2 41.3 41.2 41.3 - - - recorded",
			"fx:USDTRY 5m 2026-03-17T21:00:00Z + 40 41.2 40 41.2 - - - recorded",
			"fx:USDTRY 5m 2026-03-17T21:00:00Z - 41.2 41.2 41.2 41.2 - - - recorded",
		}},
		{"a coin, late and not the first of its slot", price(coin, "2026-03-18T00:40:00Z", "8"), nil},
		{"a coin, the first of its slot revised", price(coin, "2026-03-17T23:00:00Z", "9"), []string{
			"crypto:1 1d 2026-03-17T00:00:00Z + 4 9 4 9 - - - recorded",
			"crypto:1 1d 2026-03-17T00:00:00Z - 4 5 4 5 - - - recorded",
			"crypto:1 2h 2026-03-17T23:00:00Z + - - - 9 - - - recorded",
			"crypto:1 2h 2026-03-17T23:00:00Z - - - - 5 - - - recorded",
		}},
		{"a coin, newer and not the first of its slot", price(coin, "2026-03-18T04:59:59Z", "99"), nil},
		{"a coin, the next slot", price(coin, "2026-03-18T05:00:30Z", "8"), []string{
			"crypto:1 1d 2026-03-18T00:00:00Z + 7 8 7 8 - - - recorded",
			"crypto:1 1d 2026-03-18T00:00:00Z - 7 7 7 7 - - - recorded",
			"crypto:1 2h 2026-03-18T05:00:00Z + - - - 8 - - - recorded",
		}},
		{"nothing of a US stock", price("us:AAPL", "2026-03-18T14:00:00Z", "8"), nil},
		{"nothing of a fund", price("fund:AFA", "2026-03-18T14:00:00Z", "8"), nil},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s,
			dayFigures(stock, "2026-03-17T07:00:00Z", "9", "90", "900"), dayFigures(stock, "2026-03-18T07:00:00Z", "10", "100", "1000"),
			dayFigures(stock, "2026-03-18T07:05:00Z", "11", "200", "2000"), dayFigures(stock, "2026-03-18T07:15:00Z", "12", "300", "3000"),
			dayFigures("bist:OTHER", "2026-03-18T07:05:00Z", "11", "200", "2000"),
			dayFigures("bist:OTHER", "2026-03-18T07:15:00Z", "12", "300", "3000"),
			price(pair, "2026-03-17T20:59:00Z", "39"), price(pair, "2026-03-17T21:04:00Z", "41.2"),
			price(pair, "2026-03-18T07:00:00Z", "41.3"),
			price(coin, "2026-03-17T22:00:00Z", "4"), price(coin, "2026-03-17T23:00:00Z", "5"), price(coin, "2026-03-18T00:30:00Z", "6"),
			price(coin, "2026-03-18T03:00:00Z", "7"),
		)
		for _, step := range steps {
			before, head := everyBar(t, url), heads(t, s)[db.FeedBars]
			put(t, s, step.put)
			if got := before.difference(everyBar(t, url)); !slices.Equal(got, step.want) {
				t.Errorf("%s: changed\n%s\nwant\n%s", step.name, strings.Join(got, "\n"), strings.Join(step.want, "\n"))
			}
			if moved := heads(t, s)[db.FeedBars] > head; moved != (len(step.want) > 0) {
				t.Errorf("%s: the head of the bars moved: %t", step.name, moved)
			}
		}
	})
}

// A loaded bar stands, equal to a recorded one or not; nothing recorded is
// taken for loaded.
func TestLoadedOverRecorded(t *testing.T) {
	const id = market.ID("fx:USDTRY")
	slot := &market.Bar{
		InstrumentID: id, Resolution: market.FiveMinutes, T: value.MustInstant("2026-03-18T07:05:00Z"),
		Open: value.MustDecimal("41"), High: value.MustDecimal("41"), Low: value.MustDecimal("41"), Close: value.MustDecimal("41"),
	}
	other := *slot
	other.Close = value.MustDecimal("42")
	const place = "fx:USDTRY 5m 2026-03-18T07:05:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, step := range []struct {
			name string
			put  any
			want db.Result
			row  string
		}{
			{"recorded", price(id, "2026-03-18T07:06:00Z", "41"), db.Stored, "41 41 41 41 - - - recorded"},
			{"the same loaded", slot, db.Stored, "41 41 41 41 - - -"},
			{"and again", slot, db.Unchanged, "41 41 41 41 - - -"},
			{"a newer price", price(id, "2026-03-18T07:07:00Z", "43"), db.Stored, "41 41 41 41 - - -"},
			{"a revised one", price(id, "2026-03-18T07:06:00Z", "44"), db.Stale, "41 41 41 41 - - -"},
			{"loaded otherwise", &other, db.Stored, "41 41 41 42 - - -"},
			{"withdrawn", dayFigures(id, "2026-03-18T07:06:00Z", "", "", ""), db.Stale, "41 41 41 42 - - -"},
			{"withdrawn, the last of the slot", dayFigures(id, "2026-03-18T07:07:00Z", "", "", ""), db.Stored, "41 41 41 42 - - -"},
		} {
			want(t, put(t, s, step.put), step.want)
			if got := everyBar(t, url)[place]; got != step.row {
				t.Errorf("%s: the row is %q, want %q", step.name, got, step.row)
			}
		}
		for at := range everyBar(t, url) {
			if at != place {
				t.Errorf("nothing is left to make %s", at)
			}
		}
	})
}
