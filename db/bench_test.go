package db_test

import (
	"fmt"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A set of stocks with years of days, as a table that is not all cached.
const (
	benchStocks = 150
	benchDays   = 1400
)

func fillHistory(b *testing.B, url string) *db.Store {
	s, err := db.Open(b.Context(), url)
	need.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	d, trades, batch, outcomes := value.MustDecimal, 51234, new(db.Batch), make([]db.Outcome, benchStocks*benchDays)
	for i := range outcomes {
		db.Put(batch, &market.Bar{
			InstrumentID: benchStock(i / benchDays), Resolution: market.Day, T: benchDay(i % benchDays),
			High: d("302.50"), Low: d("298.75"), Close: d("300.00"), Volume: d("3310000"), Turnover: d("998877665.44"), TradeCount: &trades,
		}, &outcomes[i])
	}
	need.NoError(b, s.Store(b.Context(), batch))
	return s
}

func benchStock(i int) market.ID { return market.ID(fmt.Sprintf("bist:S%03d", i)) }

func benchDay(i int) value.Instant {
	return value.At(value.MustInstant("2022-05-18T21:00:00Z").Time().AddDate(0, 0, i))
}

// BenchmarkBars reads all days of one stock, and the last 90 of a watchlist of
// 100: one statement each.
func BenchmarkBars(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s := fillHistory(b, url)
		for _, c := range []struct{ stocks, days int }{{1, benchDays}, {100, 90}} {
			b.Run(fmt.Sprintf("%dx%d", c.stocks, c.days), func(b *testing.B) {
				spans := make([]market.Span, c.stocks)
				for i := range spans {
					spans[i] = market.Span{ID: benchStock(i), First: benchDay(benchDays - c.days), Last: benchDay(benchDays)}
				}
				b.ReportAllocs()
				for b.Loop() {
					got, err := s.Bars(b.Context(), market.Day, spans)
					if err != nil || len(got[c.stocks-1].Bars) != c.days {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
