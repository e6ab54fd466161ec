package market_test

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// G-26, V-66: each bar converts at the rate of its time.
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
		daily("crypto:1", "2026-03-17T00:00:00Z", "68250.12"), daily("cmdty:PALM", "2026-03-16T00:00:00Z", "4125"),
		daily("index:SPX", "2026-03-16T00:00:00Z", "5700"),
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
		{"bist:DMOST", market.Day, "2026-03-16", "2026-03-18", market.USD,
			[]string{"7.29927007 at 0.0243309002433", "7.2815534 at 0.0242718446602", "7.4 at 0.0242424242424"}},
		{"bist:DMOST", market.FiveMinutes, "2026-03-17", "2026-03-17", market.USD,
			[]string{"2.42718447 at 0.0242718446602", "2.43902439 at 0.0243902439024", "2.43902439 at 0.0243902439024",
				"2.42718447 at 0.0242718446602"}},
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
		for _, b := range series.Bars() {
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
	series, err := s.Candles(ctx, "bist:DMOST", market.SeriesArgs{From: date("2026-03-16"), To: date("2026-03-16"),
		Currency: to(market.USD)})
	need.NoError(t, err)
	if b := series.Bars()[0]; b.High.String() != "7.32360097" || b.Low.String() != "7.1350365" || b.Turnover.String() != "28710462.29" ||
		b.Volume.String() != "3950000" || series.Currency != "USD" || !series.Converted {
		t.Errorf("V-66: %+v", b)
	}
	if _, err := s.Candles(ctx, "cmdty:TEA", market.SeriesArgs{Currency: to(market.USD)}); calls.KindOf(err) != "fx-rate-unavailable" {
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
			if !value.TurkeyDay(at).IsWeekend() {
				all = append(all, daily("bist:DMOST", at.String(), rapid.StringMatching(`[1-9][0-9]{0,3}\.[0-9]{2}`).Draw(rt, "price")))
			}
		}
		s, ctx := charts(all)
		got, err := s.Candles(ctx, "bist:DMOST", market.SeriesArgs{From: date("2025-05-01"), To: date("2025-05-31"),
			Currency: to(market.EUR)})
		if err != nil || got.Count != 8 {
			rt.Fatalf("%+v, %v", got, err)
		}
		i := 0
		for _, b := range all {
			if b.InstrumentID != "bist:DMOST" {
				continue
			}
			bar, day := got.Bars()[i], b.T.String()
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

// A rate is used that is not shown any more: a bar of the week before has the one that it
// had then.
func TestRatesOfTheWeekBefore(t *testing.T) {
	bar := func(id market.ID, r market.Resolution, at, closing string) market.Bar {
		b := daily(id, at, closing)
		b.Resolution = r
		return b
	}
	s, ctx := charts(memory{
		bar("crypto:1", market.TwoHours, "2026-03-11T01:00:00Z", "100"), bar("crypto:1", market.TwoHours, "2026-03-12T01:00:00Z", "100"),
		bar("fx:USDTRY", market.FiveMinutes, "2026-03-11T00:55:00Z", "40"),
		bar("fx:USDTRY", market.FiveMinutes, "2026-03-12T00:55:00Z", "41"),
		daily("fx:USDTRY", "2026-03-10T21:00:00Z", "40.50"),
	})
	two := market.TwoHours
	series, err := s.Candles(ctx, "crypto:1", market.SeriesArgs{Resolution: &two, From: date("2026-03-11"), Currency: to(market.TRY)})
	if err != nil || len(series.Bars()) != 2 || series.Bars()[0].FxRate.String() != "40" || series.Bars()[1].FxRate.String() != "41" {
		t.Errorf("%+v, %v", series, err)
	}
}
