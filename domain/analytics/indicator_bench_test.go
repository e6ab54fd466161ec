package analytics_test

import (
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// Every listed stock of the exchange, five and a half years each.
func BenchmarkDefaultIndicators(b *testing.B) {
	var all []analytics.Prices
	for i := range 649 {
		all = append(all, analytics.Prices{Close: randomWalk(uint64(i), 1400, 500).Close})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range all {
			analytics.Compute(p, analytics.DefaultIndicators, analytics.DefaultPeriods)
		}
	}
}

// All indicators at the newest 1,000 of the 5m bars of a week, over the most periods.
func BenchmarkSeries(b *testing.B) {
	d, ctx := newFixture(), allowed(b, access.History)
	first := value.MustInstant("2026-03-12T00:00:00Z")
	for i, last := range randomWalk(1, 1600, 500).Close {
		d.memory.put(&market.Bar{InstrumentID: "bist:AAA", Resolution: market.FiveMinutes, T: first.Add(time.Duration(i) * 5 * time.Minute),
			Open: cents(int64(200_000 + i%7)), Close: last, Volume: cents(100)})
	}
	args := analytics.IndicatorArgs{Indicators: analytics.Indicators, Periods: []int{2, 5, 10, 20, 50, 100, 200, 250, 300, 400},
		Resolution: new(market.FiveMinutes)}
	set, err := d.Indicators(ctx, "bist:AAA", args)
	need.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		all, errs := d.SeriesOf(ctx, []*analytics.IndicatorSet{set}, new(1000))
		if errs[0] != nil || len(all[0]) != 35 || len(all[0][34].T) != 1000 {
			b.Fatal(errs)
		}
	}
}
