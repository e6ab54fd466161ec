package market_test

import (
	"fmt"
	"testing"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A converted chart of about 1,400 days, of a stock and of a coin, from memory.
func BenchmarkConvertedChart(b *testing.B) {
	var all memory
	first := value.MustInstant("2021-06-01T21:00:00Z")
	for i := range 1740 {
		t := first.Add(time.Duration(i) * 24 * time.Hour)
		if !value.TurkeyDay(t).IsWeekend() {
			all = append(all, daily("bist:DMOST", t.String(), "300.25"), daily("fx:USDTRY", t.String(), fmt.Sprintf("%d.25", 10+i%30)))
		}
		if t := t.Add(3 * time.Hour); i > 340 {
			all = append(all, daily("crypto:1", t.String(), "68250.12"))
		}
	}
	for _, c := range []struct {
		id string
		to market.Currency
	}{{"bist:DMOST", market.USD}, {"crypto:1", market.TRY}} {
		b.Run(c.id, func(b *testing.B) {
			s, ctx := charts(all)
			s.ByID("crypto:1").CoverageFrom = value.MustDate("2020-01-01")
			s.History = market.NewHistoryCache(all, 64<<20, func() bool { return true })
			args := market.SeriesArgs{From: date("2020-06-01"), Currency: to(c.to)}
			for b.Loop() {
				series, err := s.Candles(ctx, c.id, args)
				need.NoError(b, err)
				series.Rows()
			}
		})
	}
}
