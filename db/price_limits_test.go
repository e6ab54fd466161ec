package db_test

import (
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// What a server reads of price limits is that of the newest days that have any, and what is
// new of them later.
func TestPriceLimitsAfter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		of := func(day value.Date, up string) *market.PriceLimits {
			return &market.PriceLimits{InstrumentID: "bist:DMOST", Date: day, LimitUp: value.MustDecimal(up),
				LimitDown: value.MustDecimal("1")}
		}
		first := value.MustDate("2026-03-01")
		var all []any
		for i := range market.LimitDays + 1 {
			all = append(all, of(first.AddDays(i), "2"))
		}
		put(t, s, all...)
		stored, err := s.PriceLimitsAfter(t.Context(), 0)
		if err != nil || len(stored) != market.LimitDays || stored[0].Date != first.AddDays(1) || stored[0].LimitUp.String() != "2" {
			t.Fatalf("%d, %v", len(stored), err)
		}
		// the second is no longer among them
		put(t, s, of(value.MustDate("2199-12-31"), "2"), of(first.AddDays(1), "3"), of(first.AddDays(9), "3"))
		fresh, err := s.PriceLimitsAfter(t.Context(), market.LimitDays+1)
		if err != nil || len(fresh) != 2 || fresh[0].Date != first.AddDays(9) || fresh[0].LimitUp.String() != "3" {
			t.Errorf("%+v, %v", fresh, err)
		}
	})
}
