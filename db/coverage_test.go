package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/coverage"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// covers returns what is stored, as lines: each row with its newest gaps.
func covers(t *testing.T, s *db.Store, now string, args coverage.Args) (lines []string) {
	t.Helper()
	live := market.NewLive()
	live.SetCatalog(must[[]*market.Instrument](t)(s.InstrumentsAfter(background, 0)),
		must[[]*market.TradingDay](t)(s.TradingDaysAfter(background, 0)))
	service := &coverage.Service{Store: s, Live: live, Now: func() value.Instant { return value.MustInstant(now) }}
	args.Limit = new(500)
	r := must[*coverage.Report](t)(service.Of(calls.Anyone(), args))
	if r.Total != len(r.Rows) {
		t.Errorf("%d rows of %d", len(r.Rows), r.Total)
	}
	for _, row := range r.Rows {
		subject := row.Kind
		if row.Market != nil && row.InstrumentID == nil {
			subject += " of " + string(*row.Market)
		}
		if row.InstrumentID != nil {
			subject += " of " + string(*row.InstrumentID)
		}
		if row.Series != nil {
			subject += " " + *row.Series
		}
		line := fmt.Sprintf("%s: %d", subject, row.Records)
		if row.Subjects != nil {
			line += fmt.Sprintf(" of %d", *row.Subjects)
		}
		if !row.FirstDay.IsNull() {
			line += fmt.Sprintf(", %s to %s", row.FirstDay, row.LastDay)
		}
		if row.FirstNumber != nil {
			line += fmt.Sprintf(", %d to %d", *row.FirstNumber, *row.LastNumber)
		}
		for _, g := range row.Gaps {
			line += fmt.Sprintf(", %s..%s %s", g.From, g.To, g.Reason)
		}
		lines = append(lines, line)
	}
	return lines
}

// A quote that is served is counted, also when its observation is no longer kept, or is of a
// market of which none is.
func TestCoverageOfOldQuotes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, stock("AAA"), stock("BBB"))
		for _, id := range []market.ID{"bist:AAA", "bist:BBB", "fx:USDTRY"} {
			put(t, s, price(id, "2026-01-05T12:00:00Z", "1"))
		}
		check := func(when string, args coverage.Args, want ...string) {
			t.Helper()
			var quotes []string
			for _, line := range covers(t, s, "2026-03-18T12:00:00Z", args) {
				if strings.HasPrefix(line, "quote ") {
					quotes = append(quotes, line)
				}
			}
			if !slices.Equal(quotes, want) {
				t.Errorf("%s: %q, want %q", when, quotes, want)
			}
		}
		const fx = "quote of fx: 1 of 1, 2026-01-05 to 2026-01-05"
		check("at first", coverage.Args{}, "quote of bist: 2 of 2, 2026-01-05 to 2026-01-05", fx)
		need.NoError(t, s.Prune(background, map[market.Market]value.Instant{market.BIST: value.MustInstant("2026-03-01T00:00:00Z")}))
		check("pruned", coverage.Args{}, "quote of bist: 2 of 2, 2026-01-05 to 2026-01-05", fx)
		check("pruned, of an instrument", coverage.Args{Instrument: new("bist:AAA")}, "quote of bist:AAA: 1, 2026-01-05 to 2026-01-05")
		put(t, s, price("bist:BBB", "2026-03-17T12:00:00Z", "2"), price("bist:BBB", "2026-03-17T12:05:00Z", "2"))
		check("with newer ones", coverage.Args{}, "quote of bist: 3 of 2, 2026-01-05 to 2026-03-17", fx)
	})
}

func TestCoverage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		bar := func(id market.ID, t string) *market.Bar {
			return &market.Bar{InstrumentID: id, Resolution: market.Day, T: value.MustInstant(t), Close: value.MustDecimal("1")}
		}
		disclosure := func(n int) *kap.Record {
			return &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: n, Type: kap.ODA, Class: "ODA", Symbols: []string{"AAA"},
				FilerCodes: []string{}, PublishedAt: value.MustInstant("2026-03-17T21:30:00Z")}}
		}
		cancels := disclosure(20)
		cancels.Reason, cancels.RelatedIndex = new(kap.Cancelled), new(15)
		put(t, s, stock("AAA"), stock("BBB"), stock("CCC"), &market.TradingDay{Market: market.BIST, Date: value.MustDate("2026-03-12")})
		put(t, s, // BBB lacks the 11th, no stock has the 16th; ZZZ is not in the catalog
			bar("bist:AAA", "2026-03-09T21:00:00Z"), bar("bist:AAA", "2026-03-10T21:00:00Z"), bar("bist:AAA", "2026-03-12T21:00:00Z"),
			bar("bist:AAA", "2026-03-16T21:00:00Z"),
			bar("bist:BBB", "2026-03-09T21:00:00Z"), bar("bist:BBB", "2026-03-12T21:00:00Z"),
			bar("bist:ZZZ", "2026-03-09T21:00:00Z"),
			bar("index:OLD", "1965-12-31T00:00:00Z"), bar("index:OLD", "1966-01-03T00:00:00Z"), bar("index:OLD", "1966-01-05T00:00:00Z"),
			bar("crypto:1", "2026-03-13T00:00:00Z"), bar("crypto:1", "2026-03-16T00:00:00Z"),
			&market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-10"), Close: value.MustDecimal("1")},
			&market.IndexBar{Code: "XU030", Date: value.MustDate("2026-03-10"), Close: value.MustDecimal("1")},
			&market.IndexBar{Code: "XU030", Date: value.MustDate("2026-03-13"), Close: value.MustDecimal("1")},
			&market.IndexBar{Code: "XU030", Date: value.MustDate("2026-03-17"), Close: value.MustDecimal("1")},
			price("bist:AAA", "2026-03-17T12:00:00Z", "1"),
			disclosure(10), disclosure(11), disclosure(14), cancels,
			&macro.Point{SeriesID: macro.YIUFE, Month: value.MustMonth("2025-12"), Value: value.MustDecimal("1")},
			&macro.Point{SeriesID: macro.YIUFE, Month: value.MustMonth("2026-02"), Value: value.MustDecimal("1")})
		want := []string{
			"calendar_event: 0", "calendar_item: 0", "company: 0",
			"disclosure: 4, 2026-03-18 to 2026-03-18, 10 to 20, 16..19 not_stored, 15..15 cancelled, 12..13 not_stored",
			"index_link: 0", "inflation_point YI_UFE: 2, 2025-12-01 to 2026-02-28, 2026-01..2026-01 not_stored",
			"logo: 0", "news: 0", "source_status: 0", "state: 0",
			"bar of bist 1d: 7 of 3, 2026-03-10 to 2026-03-17, 2026-03-16..2026-03-16 market_silent",
			"bar of bist 5m: 1 of 1, 2026-03-17 to 2026-03-17",
			"index of bist: 0",
			"index_bar of bist: 4 of 2, 2026-03-10 to 2026-03-17, 2026-03-16..2026-03-16 market_silent, " +
				"2026-03-11..2026-03-11 market_silent", "instrument of bist: 3", "ipo of bist: 0",
			"price_limits of bist: 0", "quote of bist: 1 of 1, 2026-03-17 to 2026-03-17", "sector of bist: 0",
			"trading_day of bist: 1, 2026-03-12 to 2026-03-12",
			"bar of crypto 1d: 2 of 1, 2026-03-13 to 2026-03-16, 2026-03-17..2026-03-17 market_silent, " +
				"2026-03-14..2026-03-15 market_silent",
			"bar of index 1d: 3 of 1, 1965-12-31 to 1966-01-05, 1966-01-06..2026-03-17 market_silent, 1966-01-04..1966-01-04 market_silent",
			"fund of fund: 0",
		}
		got := covers(t, s, "2026-03-18T12:00:00Z", coverage.Args{})
		if !slices.Equal(got, want) {
			t.Errorf("all:\n%q\nwant\n%q", got, want)
		}
		got = covers(t, s, "2026-03-18T12:00:00Z", coverage.Args{Market: new(market.BIST)})
		if tail, want := got[len(got)-5:], []string{
			"bar of bist:AAA 1d: 4, 2026-03-10 to 2026-03-17, 2026-03-16..2026-03-16 market_silent",
			"bar of bist:AAA 5m: 1, 2026-03-17 to 2026-03-17",
			"bar of bist:BBB 1d: 2, 2026-03-10 to 2026-03-13, 2026-03-17..2026-03-17 ended, 2026-03-16..2026-03-16 market_silent, " +
				"2026-03-11..2026-03-11 not_stored",
			"bar of bist:CCC 1d: 0",
			"bar of bist:ZZZ 1d: 1, 2026-03-10 to 2026-03-10",
		}; !slices.Equal(tail, want) {
			t.Errorf("of a market:\n%q\nwant\n%q", tail, want)
		}
		for of, args := range map[string]coverage.Args{
			"disclosure, inflation_point YI_UFE, bar of bist 1d, index_bar of bist, bar of crypto 1d, bar of index 1d": {},
			// AAA lacks only what the whole market lacks
			"bar of bist 1d, index_bar of bist, bar of bist:BBB 1d": {Market: new(market.BIST)},
			"bar of bist:AAA 1d": {Instrument: new("bist:aaa")},
			"":                   {Instrument: new("bist:CCC")},
		} {
			all := covers(t, s, "2026-03-18T12:00:00Z", args)
			args.Gaps = new(true)
			got := covers(t, s, "2026-03-18T12:00:00Z", args)
			var rows []string
			for _, line := range got {
				rows = append(rows, line[:strings.Index(line, ": ")])
				if !slices.Contains(all, line) {
					t.Errorf("only with gaps: %q", line)
				}
			}
			if strings.Join(rows, ", ") != of {
				t.Errorf("with gaps:\n%q\nwant\n%q", rows, of)
			}
			args.Gaps = new(false)
			if got := covers(t, s, "2026-03-18T12:00:00Z", args); !slices.Equal(got, all) {
				t.Errorf("gaps=false:\n%q\nwant\n%q", got, all)
			}
		}
		if got, want := covers(t, s, "2026-03-18T12:00:00Z", coverage.Args{Instrument: new("bist:aaa")}), []string{
			"bar of bist:AAA 1d: 4, 2026-03-10 to 2026-03-17, 2026-03-16..2026-03-16 market_silent",
			"bar of bist:AAA 5m: 1, 2026-03-17 to 2026-03-17", "disclosure of bist:AAA: 4, 2026-03-18 to 2026-03-18",
			"instrument of bist:AAA: 1", "quote of bist:AAA: 1, 2026-03-17 to 2026-03-17",
		}; !slices.Equal(got, want) {
			t.Errorf("of an instrument:\n%q\nwant\n%q", got, want)
		}
	})
}
