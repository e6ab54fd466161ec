package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func prune(t *testing.T, s *db.Store, since map[market.Market]string) {
	t.Helper()
	instants := map[market.Market]value.Instant{}
	for m, text := range since {
		instants[m] = value.MustInstant(text)
	}
	need.NoError(t, s.Prune(t.Context(), instants))
}

// moments returns those of the stored observations of an instrument.
func moments(t *testing.T, s *db.Store, id market.ID) []string {
	t.Helper()
	all := []string{}
	for _, o := range observations(t, s, id) {
		all = append(all, o.AsOf.String())
	}
	return all
}

// Pruning gives no moment another rate than it had: the same, or none.
func TestRateOfPastOncePruned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, asOf := range []string{"14:50", "15:30", "15:50", "17:10"} {
			put(t, s, price("fx:USDTRY", "2026-03-05T"+asOf+":00Z", "41"))
		}
		rate := func(at string) string {
			past := must[*db.Past](t)(s.At(background, value.MustInstant("2026-03-05T"+at+":00Z"), true))
			for _, o := range must[[]*market.Observation](t)(past.QuotesAfter(background, 0)) {
				return o.AsOf.String()[11:16]
			}
			return "none"
		}
		rates := func() (all []string) {
			for _, at := range []string{"14:55", "15:00", "15:40", "15:55", "17:05", "17:30"} {
				all = append(all, rate(at))
			}
			return all
		}
		same(t, "rates", rates(), []string{"14:50", "14:50", "15:30", "15:50", "15:50", "17:10"})
		prune(t, s, map[market.Market]string{market.FX: "2026-03-11T21:00:00Z"})
		same(t, "rates", rates(), []string{"14:50", "14:50", "none", "15:50", "none", "17:10"})
	})
}

// Observations and bars of five minutes go, by market; everything else stays,
// and nothing goes twice.
func TestPrune(t *testing.T) {
	const stock, pair, coin = market.ID("bist:THYAO"), market.ID("fx:USDTRY"), market.ID("crypto:1")
	loaded := func(id market.ID, r market.Resolution, t string) *market.Bar {
		return &market.Bar{InstrumentID: id, Resolution: r, T: value.MustInstant(t), Close: value.MustDecimal("1")}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var records []any
		for _, id := range []market.ID{stock, pair, coin} {
			for _, asOf := range []string{"2026-03-10T12:00:00Z", "2026-03-11T20:59:59.999Z", "2026-03-11T21:00:00Z",
				"2026-03-11T22:59:59Z", "2026-03-11T23:00:00Z", "2026-03-12T00:00:00Z"} {
				records = append(records, price(id, asOf, "10"))
			}
		}
		put(t, s, append(records, loaded(stock, market.FiveMinutes, "2026-03-10T07:00:00Z"),
			loaded(stock, market.Day, "2020-03-10T21:00:00Z"), loaded(coin, market.TwoHours, "2020-03-10T01:00:00Z"),
			loaded(coin, market.Day, "2020-03-10T00:00:00Z"))...)
		before, quotes := everyBar(t, url), quotesAfter(t, s, 0)

		prune(t, s, map[market.Market]string{market.BIST: "2026-03-11T21:00:00Z"})
		prune(t, s, map[market.Market]string{market.BIST: "2026-03-10T21:00:00Z"}) // back again
		want(t, put(t, s, price(stock, "2026-03-11T20:00:00Z", "10")), db.Stale)
		same(t, "observations of other markets", moments(t, s, pair), moments(t, s, coin))
		prune(t, s, map[market.Market]string{market.FX: "2026-03-11T21:00:00Z", market.Crypto: "2026-03-12T00:00:00Z"})

		everyBar(t, url).is(t, before)
		same(t, "quotes", quotesAfter(t, s, 0), quotes)
		if kept := moments(t, s, coin); !slices.Equal(kept, []string{"2026-03-12T00:00:00Z"}) {
			t.Errorf("of the coin %v are kept", kept)
		}
		for _, asOf := range moments(t, s, stock) {
			if asOf < "2026-03-11T20:00:00Z" {
				t.Errorf("%s of %s is kept", asOf, stock)
			}
		}
		if kept := moments(t, s, pair); kept[0] != "2026-03-10T12:00:00Z" || kept[1] != "2026-03-11T21:00:00Z" {
			t.Errorf("of the pair %v are kept, and the newest until each slot of coins should", kept)
		}
		for _, id := range []market.ID{stock, pair} {
			if kept := moments(t, s, id); !slices.Contains(kept, "2026-03-11T21:00:00Z") || !slices.Contains(kept, "2026-03-12T00:00:00Z") {
				t.Errorf("of %s only %v are kept", id, kept)
			}
		}
	})
}

// Of a pair that is observed each minute twelve rates of a day are left, whether they state until
// when they are current or not; of a daily rate each.
func TestRatesLeftOfADay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var records []any
		first := value.MustInstant("2026-03-01T21:00:01Z")
		for minute := range 3 * 24 * 60 {
			at := first.Add(time.Duration(minute) * time.Minute).String()
			held := price("fx:EURTRY", at, "50")
			held.CurrentUntil = value.MustInstant(at).Add(2 * time.Minute)
			records = append(records, price("fx:USDTRY", at, "40"), held)
		}
		for day := range 3 {
			fixed := price("fx:GBPTRY", first.Add(time.Duration(24*day)*time.Hour).String(), "60")
			fixed.CurrentUntil = fixed.AsOf.Add(25 * time.Hour)
			records = append(records, fixed, price("fx:GBPTRY", fixed.AsOf.Add(time.Minute).String(), "61"))
		}
		put(t, s, records...)
		prune(t, s, map[market.Market]string{market.FX: "2026-03-04T21:00:00Z"})
		for id, want := range map[market.ID]int{"fx:USDTRY": 36, "fx:EURTRY": 36, "fx:GBPTRY": 6} {
			if kept := moments(t, s, id); len(kept) != want {
				t.Errorf("of %s %d are kept, want %d: %v", id, len(kept), want, kept)
			}
		}
	})
}

// What comes from before the kept days changes nothing, be it new, the newest,
// or known; what comes from the first of them is taken as ever.
func TestBeforeTheKeptDays(t *testing.T) {
	const since, old, first = "2026-03-11T21:00:00Z", "2026-03-11T20:59:59.999Z", "2026-03-11T21:00:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, price("bist:KNOWN", old, "10"))
		prune(t, s, map[market.Market]string{market.BIST: since})
		before, head := everyBar(t, url), heads(t, s)
		want(t, put(t, s, price("bist:KNOWN", old, "10"), price("bist:KNOWN", old, "11"), price("bist:NEW", old, "10"),
			price("bist:NEW", "2020-01-01T00:00:00Z", "9")),
			db.Stale, db.Stale, db.Stale, db.Stale)
		everyBar(t, url).is(t, before)
		same(t, "heads", heads(t, s), head)
		if quotes := quotesAfter(t, s, 0); len(quotes) != 1 || quotes[0].Last.String() != "10" || len(moments(t, s, "bist:NEW")) > 0 {
			t.Errorf("stored: %s", encoded(quotes))
		}
		want(t, put(t, s, price("bist:NEW", old, "1"), price("bist:NEW", first, "2"), price("bist:KNOWN", old, "3"),
			price("fx:USDTRY", old, "4"), price("us:AAPL", "2020-01-01T00:00:00Z", "5")),
			db.Stale, db.Stored, db.Stale, db.Stored, db.Stored)
	})
}

// A day that began before what is kept is never made of a part of itself: the
// last slot of a coin's day ends after midnight, and a session far in the east
// begins before it.
func TestTheDayBeforeTheKeptDays(t *testing.T) {
	const coin, index = market.ID("crypto:1"), market.ID("index:AU")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, sydney(index),
			price(coin, "2026-03-11T22:00:00Z", "1"), price(coin, "2026-03-11T23:10:00Z", "2"), price(coin, "2026-03-12T00:10:00Z", "9"),
			price(coin, "2026-03-12T09:00:00Z", "3"),
			price(index, "2026-03-11T23:10:00Z", "2"), price(index, "2026-03-12T01:00:00Z", "9"), price(index, "2026-03-12T23:00:00Z", "3"))
		before := everyBar(t, url)
		prune(t, s, map[market.Market]string{market.Crypto: "2026-03-12T00:00:00Z", market.Index: "2026-03-12T00:00:00Z"})
		for _, o := range []*market.Observation{
			price(coin, "2026-03-11T23:10:00Z", "9"), price(coin, "2026-03-12T00:05:00Z", "5"),
			dayFigures(coin, "2026-03-12T00:10:00Z", "", "", ""),
			price(index, "2026-03-12T00:05:00Z", "5"), price(index, "2026-03-12T05:00:00Z", "5"),
			dayFigures(index, "2026-03-12T01:00:00Z", "", "", ""),
		} {
			want(t, put(t, s, o), db.Stale)
			everyBar(t, url).is(t, before)
		}
		want(t, put(t, s, price(coin, "2026-03-12T01:00:00Z", "7"), price(index, "2026-03-12T23:30:00Z", "7")), db.Stale, db.Stored)
		after := everyBar(t, url)
		if got := after["crypto:1 1d 2026-03-12T00:00:00Z"]; got != "7 7 3 3 - - - recorded" {
			t.Errorf("the first kept day of the coin is %q", got)
		}
		if got := after["index:AU 1d 2026-03-13T00:00:00Z"]; got != "3 7 3 7 - - - recorded" {
			t.Errorf("the first kept day of the index is %q", got)
		}
	})
}

// What could not be pruned is pruned the next time.
func TestPruneGoesOnAfterAFailure(t *testing.T) {
	const id, asOf = market.ID("bist:THYAO"), "2026-03-10T12:00:00Z"
	since := map[market.Market]string{market.BIST: "2026-03-11T21:00:00Z"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, raw := open(t, url), dbtest.Raw(t, url)
		put(t, s, price(id, asOf, "10"))
		rename := func(from, to string) {
			t.Helper()
			if _, err := raw.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
				t.Fatal(err)
			}
		}
		rename("observations", "away")
		if err := s.Prune(t.Context(), map[market.Market]value.Instant{market.BIST: value.MustInstant(since[market.BIST])}); err == nil {
			t.Error("without its table it says nothing")
		}
		rename("away", "observations")
		want(t, put(t, s, price(id, asOf, "11")), db.Stale)
		prune(t, s, since)
		if kept := moments(t, s, id); len(kept) > 0 || len(everyBar(t, url)) != 1 {
			t.Errorf("%v are kept, and bars of %v", kept, everyBar(t, url))
		}
	})
}

// While much is pruned, another process goes on storing, and what it stores is
// right.
func TestPruningLetsWritersIn(t *testing.T) {
	t.Parallel()
	const instruments, minutes = 70, 100
	since, seen := value.MustInstant("2026-03-11T21:00:00Z"), value.MustInstant("2026-03-12T07:00:00Z")
	at := func(i int, asOf value.Instant) *market.Observation {
		return price(market.ID(fmt.Sprintf("fx:P%d", i)), asOf.String(), fmt.Sprint(asOf.Time().Minute()+1))
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, other := open(t, url), open(t, url)
		var old []any
		for minute := range minutes {
			for i := range instruments {
				old = append(old, at(i, seen.Add(time.Duration(minute-3000)*time.Minute)))
			}
		}
		put(t, s, old...)
		pruned := make(chan error, 1)
		go func() { pruned <- s.Prune(background, map[market.Market]value.Instant{market.FX: since}) }()
		var lines []*market.Observation
		for minute, done := 0, false; minute < 10 || !done; minute++ {
			var records []any
			for i := range 10 { // of which every other one is late
				o := at(i, seen.Add(time.Duration(minute^1)*time.Minute))
				records, lines = append(records, o), append(lines, o)
			}
			b, _ := batch(t, records...)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if err := other.Store(ctx, b); err != nil {
				t.Fatalf("a writer beside it: %v", err)
			}
			cancel()
			select {
			case err := <-pruned:
				if done = true; err != nil {
					t.Fatal(err)
				}
			case <-time.After(5 * time.Millisecond): // as a feed has pauses
			}
		}
		recent, daysOf := table{}, 0
		for place, row := range everyBar(t, url) {
			switch {
			case strings.Contains(place, "1d 2026-03-09T21:00:00Z"):
				daysOf++
			case strings.Contains(place, "5m 2026-03-10T"): // bars stay
			default:
				recent[place] = row
			}
		}
		if recent.is(t, reference(lines)); daysOf != instruments {
			t.Errorf("%d days are left of %d", daysOf, instruments)
		}
		left := []string{"2026-03-10T05:00:00Z", "2026-03-10T06:39:00Z"} // the newest until two slots of coins
		if kept := moments(t, s, "fx:P69"); !slices.Equal(kept, left) {
			t.Errorf("%v are kept", kept)
		}
	})
}
