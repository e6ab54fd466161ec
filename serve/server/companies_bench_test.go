package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// How much the companies of the benchmarks have filed and paid: as many lines
// and quarters as real ones.
const (
	benchCompanies = 100
	benchQuarters  = 24
	benchLines     = 110
	benchDividends = 40

	benchDisclosures = 40
)

// addCompanies adds stocks with statements, metrics and dividends and returns
// their ids.
func addCompanies(a *fixture.Server) []string {
	a.T.Helper()
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
		db.Put(batch, stock, new(db.Outcome))
		m := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-18"), MarketCap: d("52500000000"), PeRatio: d("12.4"),
			AsOf: fixture.Now}
		metrics = append(metrics, m)
		db.Put(batch, m, new(db.Outcome))
		for q := range benchQuarters {
			text := []string{"2O 30250000000", "2AA 2400000000", "2BA 3900000000", "1AA 1850000000", "1AB 450000000", "3C 21000000000",
				"3DF 3150000000", "3Z 640000000", "4B 1260000000"}
			for n := len(text); n < benchLines; n++ {
				text = append(text, fmt.Sprintf("%d%03d %d", 1+n%4, n, 1000000000+n*i))
			}
			db.Put(batch, fixture.Statement(id, fmt.Sprintf("%d-%02d", 2025-q/4, 12-q%4*3), "TRY",
				fmt.Sprintf("%d-05-01T10:00:00Z", 2026-q/4), strings.Join(text, ", ")), new(db.Outcome))
		}
		for n := range benchDividends {
			ex := value.MustDate("2026-05-20").AddDays(-n*150 - i)
			db.Put(batch, &fundamentals.DividendRecord{InstrumentID: id, ExDate: ex, PaymentDate: ex.AddDays(2), GrossPerShare: d("1.25"),
				NetPerShare: d("1.0625"), Currency: "TRY"}, new(db.Outcome))
		}
	}
	var companies []*kap.CompanyRecord
	var observations []*market.Observation
	for i, stock := range stocks {
		companyID := fmt.Sprintf("C%03d", i)
		companies = append(companies, &kap.CompanyRecord{CompanyID: companyID, Codes: []string{stock.Symbol}})
		observations = append(observations, &market.Observation{
			InstrumentID: stock.InstrumentID, Last: d("302.50"), PrevClose: d("300.00"), Change: d("2.50"), ChangePct: d("0.83"),
			High: d("305.25"), Low: d("298.00"), Volume: d("3310000"), Turnover: d("998877665.44"), AsOf: fixture.Now,
		})
		for n := range benchDisclosures {
			db.Put(batch, &kap.Record{Disclosure: kap.Disclosure{
				DisclosureIndex: 1_000_000 + 100*n + i, Type: kap.ODA, Class: "ODA", Symbols: []string{stock.Symbol},
				FilerCodes: []string{stock.Symbol}, CompanyID: &companyID,
				PublishedAt: fixture.Now.Add(-time.Duration(n) * time.Hour), FilerTitle: new("BENCH SANAYİ VE TİCARET A.Ş."),
				Subject: &kap.Localized{TR: new("Özel Durum Açıklaması (Genel)"), EN: new("Material Event Disclosure (General)")},
				Summary: &kap.Localized{TR: new("Yeni iş ilişkisi hakkında")}, Link: new("https://kap.example.test/Bildirim/1000000"),
			}}, new(db.Outcome))
		}
	}
	need.NoError(a.T, a.Store.Store(a.T.Context(), batch))
	m, err := a.Store.Look(a.T.Context())
	need.NoError(a.T, err)
	for _, feed := range []string{db.FeedDisclosures, db.FeedStatements} {
		need.NoError(a.T, a.Services.Feeds()[feed](a.T.Context(), stream.Rows{Head: m.Heads[feed], Epochs: m.Epochs}))
	}
	a.Services.KAP.Live.PutCompanies(companies)
	a.Services.Market.Live.PutQuotes(observations)
	a.Services.Market.Live.PutCatalog(stocks, nil)
	a.Services.Fundamentals.Live.PutMetrics(metrics)
	return ids
}

// keeping has a server keep so many bytes of statements.
func keeping(statements int) func(*fixture.Setup) {
	return func(s *fixture.Setup) { s.Settings.StatementCache = statements }
}

// BenchmarkCompaniesREST is what companies are asked for: cold reads their
// statements, warm has them.
func BenchmarkCompaniesREST(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		cold, warm := fixture.New(b, fixture.On(url), keeping(0)), fixture.New(b, fixture.On(url), keeping(64<<20))
		addCompanies(cold)
		ids := addCompanies(warm)
		for _, r := range []struct{ name, target string }{
			{"valuation-100", "/v1/valuation?ids=" + strings.Join(ids, ",")},
			{"valuation-1", "/v1/stocks/bist:F000/valuation"},
			{"financials-annual", "/v1/stocks/bist:F000/financials"},
			{"financials-ttm-20", "/v1/stocks/bist:F000/financials?timeframe=ttm&limit=20"},
		} {
			b.Run(r.name+"/cold", func(b *testing.B) { benchmarkOf(b, cold, "GET", r.target, "") })
			b.Run(r.name+"/warm", func(b *testing.B) { benchmarkOf(b, warm, "GET", r.target, "") })
		}
		b.Run("dividends-page-100", func(b *testing.B) { benchmarkOf(b, warm, "GET", "/v1/dividends?from=2025-06-01&to=2026-05-31", "") })
		b.Run("dividends-of-one", func(b *testing.B) { benchmarkOf(b, warm, "GET", "/v1/stocks/bist:F000/dividends", "") })
		b.Run("valuation-history", func(b *testing.B) { benchmarkOf(b, warm, "GET", "/v1/stocks/bist:DMOST/valuation/history", "") })
		b.Run("watchlist-100", func(b *testing.B) {
			benchmarkOf(b, warm, "POST", "/graphql",
				fmt.Sprintf(`{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId quote { last } valuation { peRatio { value } pbRatio { value } } dividends(first: 3) { exDate grossPerShare } } }", "variables": {"ids": ["%s"]}}`, strings.Join(ids, `", "`)))
		})
		b.Run("dashboard-100", func(b *testing.B) {
			benchmarkOf(b, warm, "POST", "/graphql",
				fmt.Sprintf(`{"query": "query($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId quote { last changePct change high low volume turnover asOf } valuation { peRatio { value } pbRatio { value } evEbitda { value } marketCap { value } ebitda { value } } disclosures(first: 5) { disclosureIndex type publishedAt subject { tr } link } } }", "variables": {"ids": ["%s"]}}`, strings.Join(ids, `", "`)))
		})
		b.Run("disclosures-of-one", func(b *testing.B) {
			benchmarkOf(b, warm, "GET", "/v1/kap-feed/disclosures?symbol=F007", "")
		})
		b.Run("disclosures-of-one-graphql", func(b *testing.B) {
			benchmarkOf(b, warm, "POST", "/graphql",
				`{"query": "{ disclosures(symbol: \"F007\") { items { disclosureIndex type publishedAt subject { tr } link } nextCursor } }"}`)
		})
	})
}
