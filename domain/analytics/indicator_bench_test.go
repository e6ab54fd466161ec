package analytics_test

import (
	"testing"

	"piyasa/domain/analytics"
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
