package market_test

import (
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// G-12, G-29, G-32: what a window shows first and last.
func TestWindows(t *testing.T) {
	var every memory
	for _, id := range []market.ID{"bist:DMOST", "fx:USDTRY", "crypto:1", "crypto:2", "index:SPX", "us:DMAP"} {
		offset := 0 * time.Hour
		if id.Market() == market.BIST || id.Market() == market.FX {
			offset = -3 * time.Hour
		}
		for day := time.Date(2019, 12, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
			every = append(every, market.Bar{InstrumentID: id, Resolution: market.Day, T: value.At(day.Add(offset)),
				Close: value.MustDecimal("1")})
			if id == "bist:DMOST" || id == "index:SPX" {
				every = append(every, market.Bar{InstrumentID: id, Resolution: market.FiveMinutes, T: value.At(day.Add(offset)),
					Close: value.MustDecimal("1")})
			}
			if id == "crypto:1" {
				every = append(every, market.Bar{InstrumentID: id, Resolution: market.TwoHours, T: value.At(day.Add(time.Hour)),
					Close: value.MustDecimal("1")})
			}
		}
	}
	s, ctx := charts(every)
	for _, c := range []struct {
		id          string
		r           market.Resolution
		from, to    string
		first, last string // t of the bars; empty: none
	}{
		{"bist:DMOST", market.Day, "", "", "2025-03-18T21:00:00Z", "2026-03-17T21:00:00Z"},
		{"bist:DMOST", market.Day, "2026-03-16", "2026-03-16", "2026-03-15T21:00:00Z", "2026-03-15T21:00:00Z"},
		{"bist:DMOST", market.Day, "2019-12-02", "2019-12-03", "2019-12-01T21:00:00Z", "2019-12-02T21:00:00Z"},
		{"bist:DMOST", market.Day, "2026-03-10", "", "2026-03-09T21:00:00Z", "2026-03-17T21:00:00Z"},
		{"us:DMAP", market.Day, "2026-03-16", "2026-03-16", "2026-03-16T00:00:00Z", "2026-03-16T00:00:00Z"},
		{"fx:USDTRY", market.Day, "2019-12-01", "2019-12-31", "", ""},
		{"fx:USDTRY", market.Day, "2019-12-01", "2020-01-02", "2019-12-31T21:00:00Z", "2020-01-01T21:00:00Z"},
		{"index:SPX", market.Day, "2019-12-01", "2020-01-02", "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"},
		{"crypto:1", market.Day, "2025-01-01", "2025-06-02", "2025-06-01T00:00:00Z", "2025-06-02T00:00:00Z"},
		{"crypto:2", market.Day, "2020-01-01", "2025-04-06", "2025-04-05T00:00:00Z", "2025-04-06T00:00:00Z"},
		{"bist:DMOST", market.FiveMinutes, "", "", "2026-03-11T21:00:00Z", "2026-03-17T21:00:00Z"},
		{"bist:DMOST", market.FiveMinutes, "2020-01-01", "2026-03-13", "2026-03-11T21:00:00Z", "2026-03-12T21:00:00Z"},
		{"bist:DMOST", market.FiveMinutes, "2026-02-01", "2026-03-11", "", ""},
		{"index:SPX", market.FiveMinutes, "2026-03-01", "", "2026-03-12T00:00:00Z", "2026-03-18T00:00:00Z"},
		{"crypto:1", market.TwoHours, "", "", "2026-03-12T01:00:00Z", "2026-03-18T01:00:00Z"},
		{"crypto:1", market.TwoHours, "2025-12-17", "2026-03-18", "2025-12-17T01:00:00Z", "2026-03-18T01:00:00Z"},
		// to alone: as many days as usual, ending there
		{"bist:DMOST", market.Day, "", "2026-03-03", "2025-03-03T21:00:00Z", "2026-03-02T21:00:00Z"},
		{"us:DMAP", market.Day, "", "2021-12-31", "2021-01-01T00:00:00Z", "2021-12-31T00:00:00Z"},
		{"bist:DMOST", market.FiveMinutes, "", "2026-03-14", "2026-03-11T21:00:00Z", "2026-03-13T21:00:00Z"},
		{"crypto:1", market.TwoHours, "", "2026-01-31", "2026-01-25T01:00:00Z", "2026-01-31T01:00:00Z"},
	} {
		got, err := s.Candles(ctx, c.id, market.SeriesArgs{Resolution: &c.r, From: date(c.from), To: date(c.to)})
		if err != nil {
			t.Errorf("%s %s %s..%s: %v", c.id, c.r, c.from, c.to, err)
			continue
		}
		first, last := "", ""
		if n := len(got.Bars()); n > 0 {
			first, last = got.Bars()[0].T.String(), got.Bars()[n-1].T.String()
		}
		if first != c.first || last != c.last || got.Count != len(got.Bars()) || got.Resolution != c.r {
			t.Errorf("%s %s %s..%s: %s..%s (%d), want %s..%s", c.id, c.r, c.from, c.to, first, last, got.Count, c.first, c.last)
		}
	}
	upTo, err := s.Eod(ctx, "fx:USDTRY", market.SeriesArgs{To: date("2025-06-30")})
	if err != nil || upTo.Count != 365 || upTo.Records[0].Date.String() != "2024-07-01" || upTo.Records[364].Date.String() != "2025-06-30" {
		t.Errorf("eod up to a day: %+v, %v", upTo, err)
	}
	eod, err := s.Eod(ctx, "bist:DMOST", market.SeriesArgs{From: date("2023-12-01"), To: date("2024-01-02")})
	if err != nil || eod.Count != 2 || eod.Records[0].Date.String() != "2024-01-01" {
		t.Errorf("eod begins with 2024: %+v, %v", eod, err)
	}
}

func TestRefusedWindows(t *testing.T) {
	s, ctx := charts(memory{})
	r := func(r market.Resolution) *market.Resolution { return &r }
	for _, c := range []struct {
		id       string
		r        *market.Resolution
		from, to string
		kind     string
	}{
		{"bist:DMOST", nil, "2026-03-02", "2026-03-01", "inverted-window"},
		{"bist:DMOST", nil, "2026-03-19", "", "inverted-window"},
		{"bist:NOPE", nil, "2026-03-02", "2026-03-01", "inverted-window"},
		{"bist:NOPE", nil, "", "", "not-found"},
		{"DMOST", nil, "", "", "not-found"},
		{"crypto:1", r(market.TwoHours), "2025-12-16", "2026-03-18", "window-too-long"},
		{"crypto:1", r(market.FiveMinutes), "", "", "unsupported-resolution"},
		{"bist:DMOST", r(market.TwoHours), "", "", "unsupported-resolution"},
		{"us:DMAP", r(market.FiveMinutes), "", "", "unsupported-resolution"},
		{"fund:X", r(market.TwoHours), "", "", "unsupported-resolution"},
	} {
		_, err := s.Candles(ctx, c.id, market.SeriesArgs{Resolution: c.r, From: date(c.from), To: date(c.to)})
		if got := string(calls.KindOf(err)); got != c.kind {
			t.Errorf("%s %v %s..%s: %s, want %s", c.id, c.r, c.from, c.to, got, c.kind)
		}
	}
	poor, _ := access.WithCall(t.Context(), &access.Key{})
	if _, err := s.Candles(poor, "bist:NOPE", market.SeriesArgs{From: date("2026-03-02"),
		To: date("2026-03-01")}); calls.KindOf(err) != "missing-scope" {
		t.Errorf("the scope comes first: %v", err)
	}
	if _, err := s.Eod(poor, "bist:NOPE", market.SeriesArgs{}); calls.KindOf(err) != "missing-scope" {
		t.Errorf("the scope comes first: %v", err)
	}
}

// A day of Sydney is shown from its opening on, when it is still the day before
// in Greenwich, and it ends the usual window.
func TestWindowsOfSessions(t *testing.T) {
	bars := memory{daily("index:AU", "2025-03-18T00:00:00Z", "1"), daily("index:AU", "2025-03-19T00:00:00Z", "2"),
		daily("index:AU", "2026-03-17T00:00:00Z", "3"), daily("index:AU", "2026-03-18T00:00:00Z", "4")}
	s, ctx := charts(bars)
	in := record("index:AU")
	in.Session = sessionIn("Australia/Sydney", "10:00", "16:00")
	s.Live.PutCatalog([]*market.Instrument{in}, nil)
	for at, want := range map[string]string{
		"2026-03-17T12:59:59Z": "1 2 3", // before midnight in Sydney
		"2026-03-17T23:30:00Z": "2 3 4",
		"2026-03-18T12:00:00Z": "2 3 4",
	} {
		s.Now = func() value.Instant { return value.MustInstant(at) }
		eod, err := s.Eod(ctx, "index:AU", market.SeriesArgs{})
		need.NoError(t, err)
		var closes []string
		for _, r := range eod.Records {
			closes = append(closes, r.Close.String())
		}
		if got := strings.Join(closes, " "); got != want {
			t.Errorf("at %s: %s, want %s", at, got, want)
		}
	}
	s.Now = func() value.Instant { return value.MustInstant("2026-03-17T23:30:00Z") }
	if eod, err := s.Eod(ctx, "index:AU", market.SeriesArgs{From: date("2026-03-18")}); err != nil || eod.Count != 1 ||
		eod.Records[0].Date.String() != "2026-03-18" {
		t.Errorf("today in Sydney: %+v, %v", eod, err)
	}
}

// The refusal of a window blames what was asked for, and says what was not.
func TestInvertedWindowsSayTheirDefaults(t *testing.T) {
	s, ctx := charts(memory{})
	for _, c := range []struct{ from, to, want string }{
		{"2026-03-02", "2026-03-01", "from, 2026-03-02, must not be after to, 2026-03-01."},
		{"2026-03-19", "", "from, 2026-03-19, must not be after to, 2026-03-18. to defaults to today."},
	} {
		_, err := s.Candles(ctx, "bist:DMOST", market.SeriesArgs{From: date(c.from), To: date(c.to)})
		if err == nil || problem.From(err).Detail != c.want {
			t.Errorf("%s..%s: %v, want %s", c.from, c.to, err, c.want)
		}
	}
	_, err := s.Candles(ctx, "crypto:1", market.SeriesArgs{Resolution: new(market.TwoHours), From: date("2025-12-16")})
	if err == nil || !strings.HasSuffix(problem.From(err).Detail, "2025-12-16 to 2026-03-18 is longer. to defaults to today.") {
		t.Errorf("%v", err)
	}
}
