package market_test

import (
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

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
		b := market.Bar{InstrumentID: c.id, Resolution: c.r, T: value.MustInstant(c.t), Open: d("1"), High: d("2"), Low: d("3"),
			Close: d("4"), Volume: d("5"), Turnover: d("6"), TradeCount: &one}
		s, ctx := charts(memory{b})
		series, err := s.Candles(ctx, string(c.id), market.SeriesArgs{Resolution: &c.r, From: date("2026-01-01"), To: date("2026-03-18")})
		if err != nil || len(series.Bars()) != 1 {
			t.Fatalf("%s %s: %+v, %v", c.id, c.r, series, err)
		}
		got, bar := "", series.Bars()[0]
		for i, there := range []bool{!bar.Open.IsNull(), !bar.High.IsNull(), !bar.Low.IsNull(), !bar.Close.IsNull(), !bar.Volume.IsNull(),
			!bar.Turnover.IsNull(), bar.TradeCount != nil} {
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

// The root takes ids as the batch of quotes does, and refuses all or nothing.
func TestCandlesBatch(t *testing.T) {
	s, _ := charts(aFewDays())
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		ids  []string
		args market.SeriesArgs
		want string // the ids of the series, the misses, or the problem
	}{
		{[]string{"us:dmap", "bist:NOPE", "bist:DMOST", "us:DMAP", "bist:NOPE"}, market.SeriesArgs{}, "us:DMAP bist:DMOST !bist:NOPE"},
		{[]string{"foo:BAR"}, market.SeriesArgs{}, "!foo:BAR"},
		{nil, market.SeriesArgs{}, "invalid-parameter"},
		{make([]string, 101), market.SeriesArgs{}, "too-many-values"},
		{make([]string, 100), market.SeriesArgs{}, "!"},
		{[]string{"bist:DMOST", "us:NOPE"}, market.SeriesArgs{Resolution: &five}, "unsupported-resolution"},
		{[]string{"bist:DMOST", "us:DMAP"}, market.SeriesArgs{Resolution: &five, From: date("2026-03-02"), To: date("2026-03-01")},
			"unsupported-resolution"},
		{[]string{"bist:NOPE", "us:DMAP"}, market.SeriesArgs{From: date("2026-03-02"), To: date("2026-03-01")}, "inverted-window"},
		{[]string{"crypto:1"}, market.SeriesArgs{Resolution: &two, From: date("2025-01-01")}, "window-too-long"},
		{[]string{"bist:DMOST", "cmdty:TEA"}, market.SeriesArgs{Currency: to(market.EUR)}, "fx-rate-unavailable"},
	} {
		ctx := calls.Caller(access.History)
		call := access.CallOf(ctx)
		batch, err := s.CandlesBatch(ctx, c.ids, c.args)
		got, units := string(calls.KindOf(err)), int64(0)
		if err == nil {
			for _, series := range batch.Series {
				got += " " + string(series.InstrumentID)
			}
			for _, n := range batch.NotFound {
				got += " !" + n.ID
			}
			got, units = got[1:], int64(batch.Count)
		}
		if got != c.want || call.Units() != units {
			t.Errorf("%q %+v: %s for %d units, want %s", c.ids, c.args, got, call.Units(), c.want)
		}
	}
}
