package market_test

import (
	"fmt"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// BenchmarkPricesOfEveryInstrument tells of a new price of 2,000 instruments whose
// bars are kept.
func BenchmarkPricesOfEveryInstrument(b *testing.B) {
	store, live := newShelf(), market.NewLive()
	var all []*market.Instrument
	var changes []market.BarChange
	for i := range 2000 {
		id := market.ID(fmt.Sprintf("us:S%04d", i))
		all = append(all, &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: market.US, Currency: "USD"})
		store.put(id, "2026-03-10 1", "2026-03-11 2")
		changes = append(changes, store.put(id, "2026-03-11 3"))
	}
	live.PutCatalog(all, nil)
	s := &market.Service{Live: live, History: market.NewHistoryCache(store, 64<<20, func() bool { return true }),
		Now: func() value.Instant {
			return value.MustInstant("2026-03-18T12:00:00Z")
		}}
	if _, errs := s.CandlesOf(calls.Caller(access.History), all, market.SeriesArgs{}); errs[0] != nil {
		b.Fatal(errs[0])
	}
	for b.Loop() {
		s.History.Changed(changes)
	}
}
