package market_test

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
	"piyasa/value/valuetest"
)

// memory is a history of bars in order of time.
type memory []market.Bar

// Bars implements market.History.
func (m memory) Bars(_ context.Context, r market.Resolution, spans []market.Span) ([][]*market.Bar, error) {
	answers := make([][]*market.Bar, len(spans))
	for i, span := range spans {
		for _, b := range m {
			if b.InstrumentID == span.ID && b.Resolution == r && !b.T.Before(span.First) && !b.T.After(span.Last) {
				answers[i] = append(answers[i], &b)
			}
		}
	}
	return answers, nil
}

// FirstBars implements market.History.
func (m memory) FirstBars(_ context.Context, r market.Resolution, ids []market.ID, since value.Instant) (map[market.ID]value.Instant, error) {
	firsts := map[market.ID]value.Instant{}
	for _, b := range m {
		known, ok := firsts[b.InstrumentID]
		if b.Resolution == r && slices.Contains(ids, b.InstrumentID) && !b.T.Before(since) && (!ok || b.T.Before(known)) {
			firsts[b.InstrumentID] = b.T
		}
	}
	return firsts, nil
}

// charts is a service at 2026-03-18T12:00:00Z over a history.
func charts(history market.History) (*market.Service, context.Context) {
	live := market.NewLive()
	instrument := func(id market.ID, currency string, more ...func(*market.Instrument)) *market.Instrument {
		in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market(), Currency: currency}
		for _, f := range more {
			f(in)
		}
		return in
	}
	live.PutCatalog([]*market.Instrument{
		instrument("bist:DMOST", "TRY"), instrument("us:DMAP", "USD"), instrument("index:SPX", "USD"), instrument("cmdty:PALM", "MYR"), instrument("cmdty:TEA", "GBP"),
		instrument("crypto:1", "USD", func(in *market.Instrument) { in.CoverageFrom = value.MustDate("2025-06-01") }),
		instrument("crypto:2", "USD", func(in *market.Instrument) { in.CoverageFrom = value.MustDate("2013-04-29") }),
		instrument("fx:USDTRY", "TRY"), instrument("fx:EURTRY", "TRY"), instrument("fx:EURUSD", "USD"), instrument("fx:USDMYR", "MYR"),
	}, nil)
	live.PutQuotes([]*market.Observation{{InstrumentID: "fx:USDTRY", AsOf: value.MustInstant("2026-03-18T11:44:30Z"), Last: value.MustDecimal("41.25")}})
	ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.History}})
	return &market.Service{
		Live: live, History: history, FXMaxAge: time.Hour,
		Now: func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") },
	}, ctx
}

func daily(id market.ID, t, closing string) market.Bar {
	return market.Bar{InstrumentID: id, Resolution: market.Day, T: value.MustInstant(t), Close: value.MustDecimal(closing)}
}

func date(text string) *value.Date {
	if text == "" {
		return nil
	}
	d := value.MustDate(text)
	return &d
}

// kindOf is the kind of the problem that err is; empty for none.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	return string(problem.From(err).Kind)
}

func to(c market.Currency) *market.Currency { return &c }

// G-12, G-29, G-32: what a window shows first and last.
func TestWindows(t *testing.T) {
	var every memory
	for _, id := range []market.ID{"bist:DMOST", "fx:USDTRY", "crypto:1", "crypto:2", "index:SPX", "us:DMAP"} {
		offset := 0 * time.Hour
		if id.Market() == market.BIST || id.Market() == market.FX {
			offset = -3 * time.Hour
		}
		for day := time.Date(2019, 12, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
			every = append(every, market.Bar{InstrumentID: id, Resolution: market.Day, T: value.At(day.Add(offset)), Close: value.MustDecimal("1")})
			if id == "bist:DMOST" || id == "index:SPX" {
				every = append(every, market.Bar{InstrumentID: id, Resolution: market.FiveMinutes, T: value.At(day.Add(offset)), Close: value.MustDecimal("1")})
			}
			if id == "crypto:1" {
				every = append(every, market.Bar{InstrumentID: id, Resolution: market.TwoHours, T: value.At(day.Add(time.Hour)), Close: value.MustDecimal("1")})
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
		{"bist:DMOST", market.Day, "2019-12-01", "2019-12-02", "2019-11-30T21:00:00Z", "2019-12-01T21:00:00Z"},
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
		{"bist:DMOST", market.Day, "", "2026-03-01", "2025-03-01T21:00:00Z", "2026-02-28T21:00:00Z"},
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
		if n := len(got.Bars); n > 0 {
			first, last = got.Bars[0].T.String(), got.Bars[n-1].T.String()
		}
		if first != c.first || last != c.last || got.Count != len(got.Bars) || got.Resolution != c.r {
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
		if got := kindOf(err); got != c.kind {
			t.Errorf("%s %v %s..%s: %s, want %s", c.id, c.r, c.from, c.to, got, c.kind)
		}
	}
	poor, _ := access.WithCall(t.Context(), &access.Key{})
	if _, err := s.Candles(poor, "bist:NOPE", market.SeriesArgs{From: date("2026-03-02"), To: date("2026-03-01")}); kindOf(err) != "missing-scope" {
		t.Errorf("the scope comes first: %v", err)
	}
	if _, err := s.Eod(poor, "bist:NOPE", market.SeriesArgs{}); kindOf(err) != "missing-scope" {
		t.Errorf("the scope comes first: %v", err)
	}
}

// What a market never states at a resolution is null, whatever was stored.
func TestPresentedBars(t *testing.T) {
	d, one := value.MustDecimal, 1
	for _, c := range []struct {
		id   market.ID
		r    market.Resolution
		t    string
		want string // which of open, high, low, close, volume, turnover, trade count are there
	}{
		{"bist:DMOST", market.FiveMinutes, "2026-03-17T08:00:00Z", "o--cvt-"},
		{"bist:DMOST", market.Day, "2026-03-16T21:00:00Z", "-hlcvtn"},
		{"crypto:1", market.TwoHours, "2026-03-17T01:00:00Z", "---c---"},
		{"crypto:1", market.Day, "2026-01-28T00:00:00Z", "---c-t-"},
		{"crypto:1", market.Day, "2026-01-29T00:00:00Z", "ohlc-t-"},
		{"fx:USDTRY", market.Day, "2026-03-16T21:00:00Z", "ohlcvtn"},
		{"fx:USDTRY", market.FiveMinutes, "2026-03-17T08:00:00Z", "ohlcvtn"},
		{"index:SPX", market.Day, "2026-03-16T00:00:00Z", "ohlcvtn"},
		{"index:SPX", market.FiveMinutes, "2026-03-17T08:00:00Z", "ohlcvtn"},
		{"cmdty:PALM", market.Day, "2026-03-16T00:00:00Z", "ohlcvtn"},
		{"cmdty:PALM", market.FiveMinutes, "2026-03-17T08:00:00Z", "ohlcvtn"},
		{"us:DMAP", market.Day, "2026-03-16T00:00:00Z", "ohlcvtn"},
	} {
		b := market.Bar{InstrumentID: c.id, Resolution: c.r, T: value.MustInstant(c.t), Open: d("1"), High: d("2"), Low: d("3"), Close: d("4"), Volume: d("5"), Turnover: d("6"), TradeCount: &one}
		s, ctx := charts(memory{b})
		series, err := s.Candles(ctx, string(c.id), market.SeriesArgs{Resolution: &c.r, From: date("2026-01-01"), To: date("2026-03-18")})
		if err != nil || len(series.Bars) != 1 {
			t.Fatalf("%s %s: %+v, %v", c.id, c.r, series, err)
		}
		got, bar := "", series.Bars[0]
		for i, there := range []bool{!bar.Open.IsNull(), !bar.High.IsNull(), !bar.Low.IsNull(), !bar.Close.IsNull(), !bar.Volume.IsNull(), !bar.Turnover.IsNull(), bar.TradeCount != nil} {
			if there {
				got += "ohlcvtn"[i : i+1]
			} else {
				got += "-"
			}
		}
		if got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.id, c.r, c.t, got, c.want)
		}
	}
}

// G-26, V-66: each bar at the rate of its own time.
func TestConversionThroughTime(t *testing.T) {
	d := value.MustDecimal
	five := func(id market.ID, t, closing string) market.Bar {
		b := daily(id, t, closing)
		b.Resolution = market.FiveMinutes
		return b
	}
	full := daily("bist:DMOST", "2026-03-15T21:00:00Z", "300.00")
	full.High, full.Low, full.Volume, full.Turnover = d("301.00"), d("293.25"), d("3950000"), d("1180000000")
	s, ctx := charts(memory{
		daily("bist:DMOST", "2019-12-30T21:00:00Z", "5"), daily("fx:USDTRY", "2019-12-30T21:00:00Z", "5.95"),
		full, daily("fx:USDTRY", "2026-03-15T21:00:00Z", "41.10"),
		daily("bist:DMOST", "2026-03-16T21:00:00Z", "300.00"), daily("fx:USDTRY", "2026-03-16T21:00:00Z", "41.20"),
		daily("bist:DMOST", "2026-03-17T21:00:00Z", "305.25"), // forming
		five("fx:USDTRY", "2026-03-17T07:05:00Z", "41.00"),
		five("bist:DMOST", "2026-03-17T07:00:00Z", "100"), five("bist:DMOST", "2026-03-17T07:05:00Z", "100"),
		five("bist:DMOST", "2026-03-17T08:05:00Z", "100"), five("bist:DMOST", "2026-03-17T08:10:00Z", "100"),
		daily("crypto:1", "2026-03-17T00:00:00Z", "68250.12"), daily("cmdty:PALM", "2026-03-16T00:00:00Z", "4125"), daily("index:SPX", "2026-03-16T00:00:00Z", "5700"),
		daily("fx:USDMYR", "2026-03-15T21:00:00Z", "4.40"), daily("fx:EURUSD", "2026-03-15T21:00:00Z", "1.0865"),
	})
	for _, c := range []struct {
		id       string
		r        market.Resolution
		from, to string
		target   market.Currency
		want     []string // close at rate
	}{
		{"bist:DMOST", market.Day, "2019-12-31", "2019-12-31", market.USD, []string{" at "}},
		{"bist:DMOST", market.Day, "2026-03-16", "2026-03-18", market.USD, []string{"7.29927007 at 0.0243309002433", "7.2815534 at 0.0242718446602", "7.4 at 0.0242424242424"}},
		{"bist:DMOST", market.FiveMinutes, "2026-03-17", "2026-03-17", market.USD, []string{"2.42718447 at 0.0242718446602", "2.43902439 at 0.0243902439024", "2.43902439 at 0.0243902439024", "2.42718447 at 0.0242718446602"}},
		{"crypto:1", market.Day, "2026-03-17", "2026-03-17", market.TRY, []string{"2811904.944 at 41.2"}},
		{"cmdty:PALM", market.Day, "2026-03-16", "2026-03-16", market.EUR, []string{"862.86240221 at 0.209178764172"}},
		{"index:SPX", market.Day, "2026-03-16", "2026-03-16", market.TRY, []string{"5700 at "}},
	} {
		series, err := s.Candles(ctx, c.id, market.SeriesArgs{Resolution: &c.r, From: date(c.from), To: date(c.to), Currency: to(c.target)})
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		var got []string
		for _, b := range series.Bars {
			got = append(got, b.Close.String()+" at "+b.FxRate.String())
		}
		if len(got) != len(c.want) {
			t.Errorf("%s %s: %q, want %q", c.id, c.r, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s %s: %q, want %q", c.id, c.r, got[i], c.want[i])
			}
		}
	}
	series, err := s.Candles(ctx, "bist:DMOST", market.SeriesArgs{From: date("2026-03-16"), To: date("2026-03-16"), Currency: to(market.USD)})
	if err != nil {
		t.Fatal(err)
	}
	if b := series.Bars[0]; b.High.String() != "7.32360097" || b.Low.String() != "7.1350365" || b.Turnover.String() != "28710462.29" || b.Volume.String() != "3950000" || series.Currency != "USD" || !series.Converted {
		t.Errorf("V-66: %+v", b)
	}
	if _, err := s.Candles(ctx, "cmdty:TEA", market.SeriesArgs{Currency: to(market.USD)}); kindOf(err) != "fx-rate-unavailable" {
		t.Errorf("no path at all: %v", err)
	}
}

// A converted series equals a slow, obvious search for every day, holes in the
// pairs included.
func TestConvertedSeriesAgainstAnObviousOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type closes map[string]string // by day
		pairs := map[string]closes{"USDTRY": {}, "EURTRY": {}, "EURUSD": {}}
		var all memory
		first := time.Date(2025, 5, 1, 21, 0, 0, 0, time.UTC)
		for i := range 12 {
			at := value.At(first.AddDate(0, 0, i))
			for pair := range pairs {
				if rapid.Bool().Draw(rt, "stored") {
					c := rapid.StringMatching(`[1-9][0-9]?\.[0-9]{2,4}`).Draw(rt, "close")
					pairs[pair][at.String()] = c
					all = append(all, daily(market.ID("fx:"+pair), at.String(), c))
				}
			}
			all = append(all, daily("bist:DMOST", at.String(), rapid.StringMatching(`[1-9][0-9]{0,3}\.[0-9]{2}`).Draw(rt, "price")))
		}
		s, ctx := charts(all)
		got, err := s.Candles(ctx, "bist:DMOST", market.SeriesArgs{From: date("2025-05-01"), To: date("2025-05-31"), Currency: to(market.EUR)})
		if err != nil || got.Count != 12 {
			rt.Fatalf("%+v, %v", got, err)
		}
		i := 0
		for _, b := range all {
			if b.InstrumentID != "bist:DMOST" {
				continue
			}
			bar, day := got.Bars[i], b.T.String()
			i++
			eurtry, usdtry, eurusd := pairs["EURTRY"][day], pairs["USDTRY"][day], pairs["EURUSD"][day]
			want := "" // TRY to EUR: the inverse of EURTRY, else USDTRY and EURUSD turned round
			switch {
			case eurtry != "":
				want = valuetest.Significant(new(big.Rat).Inv(valuetest.Rational(eurtry)), 12)
			case usdtry != "" && eurusd != "":
				want = valuetest.Significant(new(big.Rat).Inv(new(big.Rat).Mul(valuetest.Rational(usdtry), valuetest.Rational(eurusd))), 12)
			}
			if bar.FxRate.String() != want || (want == "") != bar.Close.IsNull() {
				rt.Fatalf("%s: rate %q, want %q (EURTRY %s, USDTRY %s, EURUSD %s)", day, bar.FxRate, want, eurtry, usdtry, eurusd)
			}
		}
	})
}

// A long series has no objects and still has columns.
func TestColumns(t *testing.T) {
	n := 5001
	series := &market.CandleSeries{}
	for i := range n {
		series.Bars = append(series.Bars, &market.Bar{T: value.At(time.UnixMilli(int64(i))), Close: value.MustDecimal("1.50"), TradeCount: &n})
	}
	if _, err := series.Objects(); kindOf(err) != "too-many-values" {
		t.Errorf("%d objects: %v", n, err)
	}
	c := series.Columns()
	if len(c.T) != n || len(c.FxRate) != n || c.Close[n-1].String() != "1.50" || !c.Open[0].IsNull() || *c.TradeCount[7] != n || c.T[3] != series.Bars[3].T {
		t.Error("the columns are not the bars")
	}
	series.Bars = series.Bars[:5000]
	if bars, err := series.Objects(); err != nil || len(bars) != 5000 {
		t.Errorf("%d objects, %v", len(bars), err)
	}
}

// A day of Sydney is shown from its opening on, when it is still the day before
// in Greenwich, and it ends the usual window.
func TestWindowsOfSessions(t *testing.T) {
	bars := memory{daily("index:AU", "2025-03-18T00:00:00Z", "1"), daily("index:AU", "2025-03-19T00:00:00Z", "2"), daily("index:AU", "2026-03-17T00:00:00Z", "3"), daily("index:AU", "2026-03-18T00:00:00Z", "4")}
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
		if err != nil {
			t.Fatal(err)
		}
		var closes []string
		for _, r := range eod.Records {
			closes = append(closes, r.Close.String())
		}
		if got := strings.Join(closes, " "); got != want {
			t.Errorf("at %s: %s, want %s", at, got, want)
		}
	}
	s.Now = func() value.Instant { return value.MustInstant("2026-03-17T23:30:00Z") }
	if eod, err := s.Eod(ctx, "index:AU", market.SeriesArgs{From: date("2026-03-18")}); err != nil || eod.Count != 1 || eod.Records[0].Date.String() != "2026-03-18" {
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

// An empty answer whose whole window lies before the history that is shown says
// from when on there is some; no other answer does.
func TestAvailableFrom(t *testing.T) {
	all := memory{
		daily("bist:DMOST", "2019-12-29T21:00:00Z", "1"), daily("bist:DMOST", "2024-02-01T21:00:00Z", "1"),
		daily("fx:USDTRY", "2010-01-04T22:00:00Z", "1"), daily("fx:USDTRY", "2020-01-01T21:00:00Z", "1"),
		daily("us:DMAP", "2021-05-06T00:00:00Z", "1"), daily("crypto:1", "2025-06-03T00:00:00Z", "1"),
	}
	s, ctx := charts(all)
	listed := func(id market.ID, from string) {
		in := record(id)
		in.CoverageFrom = value.MustDate(from)
		s.Live.PutCatalog([]*market.Instrument{in}, nil)
	}
	listed("bist:DMOST", "2019-12-01")
	listed("fx:EURTRY", "2022-03-04")
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		id       string
		r        *market.Resolution
		from, to string
		candles  string
		eod      string
	}{
		{"bist:DMOST", nil, "2019-01-01", "2019-11-30", "2019-12-01", "2024-01-01"},
		{"bist:DMOST", nil, "2019-12-01", "2019-12-02", "", "2024-01-01"},
		{"bist:DMOST", nil, "", "2019-12-30", "", "2024-01-01"},
		{"bist:DMOST", nil, "2024-01-01", "2024-01-05", "", ""}, // a hole
		{"bist:DMOST", nil, "", "", "", ""},
		{"bist:DMBNK", nil, "2019-01-01", "2019-11-30", "", "2024-01-01"}, // nothing is stored, and the record says nothing
		{"fx:USDTRY", nil, "2010-01-01", "2019-12-31", "2020-01-01", "2020-01-01"},
		{"fx:USDTRY", nil, "2010-01-01", "2020-01-01", "", ""},
		{"fx:EURTRY", nil, "2021-01-01", "2022-03-03", "2022-03-04", "2022-03-04"},
		{"index:SPX", nil, "", "2019-12-31", "2020-01-01", "2020-01-01"},
		{"us:DMAP", nil, "", "2021-05-05", "2021-05-06", "2021-05-06"},
		{"us:DMAP", nil, "", "2021-05-06", "", ""},
		{"crypto:1", nil, "", "2025-05-31", "2025-06-01", "2025-06-01"},
		{"crypto:1", nil, "", "2025-06-01", "", ""},
		{"crypto:1", &two, "", "2025-05-31", "2025-06-01", ""},
		{"bist:DMOST", &five, "2026-02-01", "2026-03-11", "2026-03-12", ""},
		{"bist:DMOST", &five, "2026-02-01", "2026-03-12", "", ""},
		{"index:SPX", &five, "2026-02-01", "2026-03-11", "2026-03-12", ""},
	} {
		if c.id == "bist:DMBNK" {
			s.Live.PutCatalog([]*market.Instrument{record("bist:DMBNK")}, nil)
		}
		args := market.SeriesArgs{Resolution: c.r, From: date(c.from), To: date(c.to)}
		for _, currency := range []*market.Currency{nil, to(market.TRY)} {
			args.Currency = currency
			candles, err := s.Candles(ctx, c.id, args)
			if err != nil || candles.AvailableFrom.String() != c.candles || (candles.Count > 0 && c.candles != "") {
				t.Errorf("candles of %s %s..%s: %+v, %v, want %q", c.id, c.from, c.to, candles, err, c.candles)
			}
			if c.r != nil {
				continue
			}
			eod, err := s.Eod(ctx, c.id, args)
			if err != nil || eod.AvailableFrom.String() != c.eod {
				t.Errorf("eod of %s %s..%s: %+v, %v, want %q", c.id, c.from, c.to, eod, err, c.eod)
			}
		}
	}
}
