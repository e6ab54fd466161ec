package db_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// sydney returns an index whose session begins before midnight in Greenwich.
func sydney(id market.ID) *market.Instrument {
	opens, closes := market.ClockTime("10:00"), market.ClockTime("16:00")
	return &market.Instrument{
		InstrumentID: id, Symbol: id.Symbol(), Name: id.Symbol(), Market: market.Index, AssetType: market.WorldIndex, Currency: "AUD",
		Session: &market.Session{Timezone: "Australia/Sydney", Open: &opens, Close: &closes},
	}
}

// days returns the daily bars of an instrument.
func days(t *testing.T, url string, id market.ID) string {
	t.Helper()
	var rows []string
	for at, row := range everyBar(t, url) {
		if rest, ok := strings.CutPrefix(at, string(id)+" 1d "); ok {
			rows = append(rows, strings.TrimSuffix(rest, "T00:00:00Z")+" "+strings.Join(strings.Fields(row)[:4], " "))
		}
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// The days of an index are those of its session from when it is known: what
// was observed before is recorded again, and what comes then goes on from there.
func TestDaysFollowTheSession(t *testing.T) {
	const id = market.ID("index:AU")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, price(id, "2026-03-16T23:00:00Z", "5"), price(id, "2026-03-16T23:30:00Z", "9"), price(id, "2026-03-17T04:00:00Z", "6"),
			price(id, "2026-03-17T23:30:00Z", "7"))
		short := len(everyBar(t, url))
		if got, want := days(t, url, id), "2026-03-16 5 9 5 9\n2026-03-17 6 7 6 7"; got != want {
			t.Errorf("without a session:\n%s\nwant\n%s", got, want)
		}
		head := heads(t, s)
		put(t, s, sydney(id))
		if got, want := days(t, url, id), "2026-03-17 5 9 5 6\n2026-03-18 7 7 7 7"; got != want {
			t.Errorf("with a session:\n%s\nwant\n%s", got, want)
		}
		if len(everyBar(t, url)) != short || heads(t, s)[db.FeedBars] == head[db.FeedBars] {
			t.Error("the 5m bars stay, and followers hear of the days")
		}
		put(t, s, price(id, "2026-03-17T23:40:00Z", "8"), price(id, "2026-03-17T03:00:00Z", "4"))
		if got, want := days(t, url, id), "2026-03-17 5 9 4 6\n2026-03-18 7 8 7 8"; got != want {
			t.Errorf("and on:\n%s\nwant\n%s", got, want)
		}
		other := sydney(id)
		other.Session.Timezone = "America/New_York"
		put(t, s, other) // 10:00 there is 14:00Z
		if got, want := days(t, url, id), "2026-03-16 5 9 4 6\n2026-03-17 7 8 7 8"; got != want {
			t.Errorf("with another session:\n%s\nwant\n%s", got, want)
		}
		put(t, s, price(id, "2026-03-18T13:59:00Z", "1"))
		if got, want := days(t, url, id), "2026-03-16 5 9 4 6\n2026-03-17 7 8 1 1"; got != want {
			t.Errorf("and on:\n%s\nwant\n%s", got, want)
		}
	})
}

// An index and its observations in one batch, and a day that is loaded.
func TestLoadedDaysStandOverSessions(t *testing.T) {
	const id = market.ID("index:AU")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		loaded := &market.Bar{InstrumentID: id, Resolution: market.Day, T: value.MustInstant("2026-03-17T00:00:00Z"),
			Close: value.MustDecimal("100")}
		put(t, s, price(id, "2026-03-16T23:00:00Z", "5"), loaded, price(id, "2026-03-18T00:00:00Z", "6"), sydney(id))
		if got, want := days(t, url, id), "2026-03-17 - - - 100\n2026-03-18 6 6 6 6"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// A price in another currency than that of its instrument is none: known
// beforehand it is refused, and what came earlier is in no bar.
func TestPricesInAnotherCurrency(t *testing.T) {
	const id = market.ID("cmdty:GC")
	gold := &market.Instrument{InstrumentID: id, Symbol: "GC", Name: "Gold", Market: market.Cmdty, AssetType: market.Commodity,
		Currency: "USD"}
	in := func(currency string, o *market.Observation) *market.Observation {
		o.Currency = &currency
		return o
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, in("EUR", price(id, "2026-03-17T07:00:00Z", "9")), in("USD", price(id, "2026-03-17T08:00:00Z", "5")),
			price(id, "2026-03-17T09:00:00Z", "4")), db.Stored, db.Stored, db.Stored)
		if got, want := days(t, url, id), "2026-03-17 9 9 4 4"; got != want {
			t.Errorf("before it is known: %s, want %s", got, want)
		}
		put(t, s, gold)
		if got, want := days(t, url, id), "2026-03-17 5 5 4 4"; got != want {
			t.Errorf("when it is known: %s, want %s", got, want)
		}
		out := put(t, s, in("EUR", price(id, "2026-03-17T10:00:00Z", "99")), in("USD", price(id, "2026-03-17T11:00:00Z", "6")),
			in("EUR", price("us:AAPL", "2026-03-17T11:00:00Z", "6")))
		want(t, out, db.Refused, db.Stored, db.Stored)
		if out[0].Why.Member != "currency" || out[0].Why.Must != "must be USD, the currency of cmdty:GC; got EUR" {
			t.Errorf("refused: %+v", out[0])
		}
		if got, want := days(t, url, id), "2026-03-17 5 6 4 6"; got != want {
			t.Errorf("then: %s, want %s", got, want)
		}
		put(t, s, price(id, "2026-03-17T07:30:00Z", "3")) // late: its day is made again
		if got, want := days(t, url, id), "2026-03-17 3 6 3 6"; got != want {
			t.Errorf("and late: %s, want %s", got, want)
		}
	})
}

// An observation that cannot have been made yet is refused, and one that is
// there is taken away by its withdrawal: quote and bars are as if it had never
// come, and what comes next is no longer stale.
func TestWithdrawingTheFuture(t *testing.T) {
	const horizon = "2026-03-19T12:00:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		putBefore := func(records ...any) []db.Outcome {
			t.Helper()
			b, out := batch(t, records...)
			b.Horizon = value.MustInstant(horizon)
			need.NoError(t, s.Store(background, b))
			return out
		}
		for _, id := range []market.ID{"bist:THYAO", "fx:USDTRY", "crypto:1", "us:AAPL"} {
			put(t, s, price(id, "2026-03-18T07:00:00Z", "5"), price(id, "2026-03-18T07:10:00Z", "6"))
			sound := rowsAt(t, url, id)
			put(t, s, price(id, "2027-03-18T07:10:00Z", "666")) // by an older version
			want(t, putBefore(price(id, "2026-03-18T07:15:00Z", "7")), db.Stale)
			put(t, s, dayFigures(id, "2026-03-18T07:15:00Z", "", "", ""))

			future := dayFigures(id, "2027-03-18T07:10:00Z", "", "", "")
			head := heads(t, s)[db.FeedQuotes]
			want(t, putBefore(future), db.Stored)
			if quotes := quotesAfter(t, s, head); len(quotes) != 1 || quotes[0].AsOf.String() >= "2027" {
				t.Errorf("%s: the quote is %s", id, encoded(quotes))
			}
			rowsAt(t, url, id).is(t, sound)
			out := putBefore(future, price(id, "2026-03-20T00:00:00Z", "8"), price(id, horizon, "9"))
			want(t, out, db.Refused, db.Refused, db.Stored)
			for _, o := range out[:2] {
				if o.Why == nil || o.Why.Member != "as_of" || !strings.Contains(o.Why.Must, horizon) {
					t.Errorf("%s: %+v", id, o)
				}
			}
			if quotes := quotesAfter(t, s, head); len(quotes) != 1 || quotes[0].Last.String() != "9" {
				t.Errorf("%s: then the quote is %s", id, encoded(quotes))
			}
		}
	})
}

func rowsAt(t *testing.T, url string, id market.ID) table {
	t.Helper()
	raw := dbtest.Raw(t, url)
	defer raw.Close()
	return rowsOf(t, raw, string(id))
}

// What an older version recorded by another rule is recorded again when the
// database is opened: days that are kept whole, and no others.
func TestBarsOfAnOlderRule(t *testing.T) {
	const coin, pair = market.ID("crypto:1"), market.ID("fx:USDTRY")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, price(coin, "2026-03-10T05:00:00Z", "1"), price(coin, "2026-03-12T01:00:00Z", "5"),
			price(coin, "2026-03-12T01:30:00Z", "9"), price(coin, "2026-03-13T00:30:00Z", "6"),
			price(pair, "2026-03-12T01:00:00Z", "5"))
		prune(t, s, map[market.Market]string{market.Crypto: "2026-03-12T00:00:00Z"})
		want := everyBar(t, url)
		raw := dbtest.Raw(t, url)
		for _, older := range []string{
			"UPDATE bars SET close = '9', open = '5', high = '9' WHERE instrument_id = 'crypto:1' AND close = '5'",
			"DELETE FROM bars WHERE instrument_id = 'crypto:1' AND resolution = '2h' AND close = '6'",
			"DELETE FROM recordings WHERE instrument_id = 'crypto:1'",
			"INSERT INTO record_anew VALUES ('crypto:1')",
		} {
			if _, err := raw.ExecContext(t.Context(), older); err != nil {
				t.Fatal(err)
			}
		}
		if len(want.difference(everyBar(t, url))) == 0 {
			t.Fatal("nothing is of an older rule")
		}
		again := open(t, url)
		everyBar(t, url).is(t, want)
		put(t, again, price(coin, "2026-03-13T01:00:00Z", "7"))
		if got := everyBar(t, url)["crypto:1 1d 2026-03-13T00:00:00Z"]; got != "7 7 7 7 - - - recorded" {
			t.Errorf("it goes on with %q", got)
		}
	})
}
