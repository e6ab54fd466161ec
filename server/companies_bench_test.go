package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/server"
	"piyasa/value"
)

// How much the companies of the benchmarks have filed and paid: as many lines
// and quarters as real ones.
const (
	benchCompanies = 100
	benchQuarters  = 24
	benchLines     = 110
	benchDividends = 40
)

// addCompanies adds stocks with statements, metrics and dividends and returns
// their ids.
func (a *api) addCompanies(newest *fundamentals.Live) []string {
	a.t.Helper()
	d := value.MustDecimal
	var ids []string
	var stocks []*market.Instrument
	var metrics []*fundamentals.Metrics
	batch := new(db.Batch)
	for i := range benchCompanies {
		id := market.ID(fmt.Sprintf("bist:F%03d", i))
		ids = append(ids, string(id))
		stock := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: market.BIST, AssetType: market.Stock, Currency: "TRY"}
		stocks = append(stocks, stock)
		batch.Put(stock, new(db.Outcome))
		m := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-18"), MarketCap: d("52500000000"), PeRatio: d("12.4"), AsOf: now}
		metrics = append(metrics, m)
		batch.Put(m, new(db.Outcome))
		for q := range benchQuarters {
			text := []string{"2O 30250000000", "2AA 2400000000", "2BA 3900000000", "1AA 1850000000", "1AB 450000000", "3C 21000000000", "3DF 3150000000", "3Z 640000000", "4B 1260000000"}
			for n := len(text); n < benchLines; n++ {
				text = append(text, fmt.Sprintf("%d%03d %d", 1+n%4, n, 1000000000+n*i))
			}
			batch.Put(statement(id, fmt.Sprintf("%d-%02d", 2025-q/4, 12-q%4*3), "TRY", fmt.Sprintf("%d-05-01T10:00:00Z", 2026-q/4), strings.Join(text, ", ")), new(db.Outcome))
		}
		for n := range benchDividends {
			ex := value.MustDate("2026-05-20").AddDays(-n*150 - i)
			batch.Put(&fundamentals.DividendRecord{InstrumentID: id, ExDate: ex, PaymentDate: ex.AddDays(2), GrossPerShare: d("1.25"), NetPerShare: d("1.0625"), Currency: "TRY"}, new(db.Outcome))
		}
	}
	if err := a.store.Store(a.t.Context(), batch); err != nil {
		a.t.Fatal(err)
	}
	a.live.PutCatalog(stocks, nil)
	newest.PutMetrics(metrics)
	return ids
}

// BenchmarkCompaniesREST is what companies are asked for: cold reads their
// statements, warm has them.
func BenchmarkCompaniesREST(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		var figures *fundamentals.Service
		a := newAPIOn(b, url, func(c *server.Config) { figures = c.Fundamentals })
		ids := a.addCompanies(figures.Live)
		for _, r := range []struct{ name, target string }{
			{"valuation-100", "/v1/valuation?ids=" + strings.Join(ids, ",")},
			{"valuation-1", "/v1/stocks/bist:F000/valuation"},
			{"financials-annual", "/v1/stocks/bist:F000/financials"},
			{"financials-ttm-20", "/v1/stocks/bist:F000/financials?timeframe=ttm&limit=20"},
		} {
			for _, books := range []struct {
				name string
				keep time.Duration
			}{{"cold", 0}, {"warm", time.Hour}} {
				figures.Histories = fundamentals.NewHistoryCache(a.store, books.keep)
				b.Run(r.name+"/"+books.name, func(b *testing.B) { a.benchmark(b, "GET", r.target, "") })
			}
		}
		b.Run("dividends-page-100", func(b *testing.B) { a.benchmark(b, "GET", "/v1/dividends?from=2025-06-01&to=2026-05-31", "") })
		b.Run("dividends-of-one", func(b *testing.B) { a.benchmark(b, "GET", "/v1/stocks/bist:F000/dividends", "") })
		b.Run("valuation-history", func(b *testing.B) { a.benchmark(b, "GET", "/v1/stocks/bist:DMOST/valuation/history", "") })
		b.Run("watchlist-100", func(b *testing.B) {
			figures.Histories = fundamentals.NewHistoryCache(a.store, time.Hour)
			a.benchmark(b, "POST", "/graphql", fmt.Sprintf(`{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId quote { last } valuation { peRatio { value } pbRatio { value } } dividends(first: 3) { exDate grossPerShare } } }", "variables": {"ids": ["%s"]}}`, strings.Join(ids, `", "`)))
		})
	})
}
