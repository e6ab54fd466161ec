package server_test

import (
	"context"
	"sync/atomic"
	"testing"

	"piyasa/db"
	"piyasa/domain/analytics"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/server"
	"piyasa/value"
)

// countedEconomy counts the reads of the calendar, of holdings and of indices;
// one is one statement.
type countedEconomy struct {
	macro.Store
	funds    funds.Store
	analytic analytics.Store
	reads    *atomic.Int64
}

// CalendarRecords implements macro.Store.
func (c countedEconomy) CalendarRecords(ctx context.Context, first, last value.Instant, ids []int) ([]*macro.CalendarRecord, error) {
	c.reads.Add(1)
	return c.Store.CalendarRecords(ctx, first, last, ids)
}

// Flows implements funds.Store.
func (c countedEconomy) Flows(ctx context.Context, code string, first, last value.Date) ([]*funds.Flow, error) {
	c.reads.Add(1)
	return c.funds.Flows(ctx, code, first, last)
}

// NewestFlow implements funds.Store.
func (c countedEconomy) NewestFlow(ctx context.Context, code string, last value.Date) (value.Date, error) {
	c.reads.Add(1)
	return c.funds.NewestFlow(ctx, code, last)
}

// Holders implements funds.Store.
func (c countedEconomy) Holders(ctx context.Context, ids []market.ID) (map[market.ID][]*funds.Holding, error) {
	c.reads.Add(1)
	return c.funds.Holders(ctx, ids)
}

// IndexBars implements analytics.Store.
func (c countedEconomy) IndexBars(ctx context.Context, codes []string) ([][]*market.IndexBar, error) {
	c.reads.Add(1)
	return c.analytic.IndexBars(ctx, codes)
}

// counting makes the servers of c count what they read of the economy.
func counting(reads *atomic.Int64) func(*server.Config) {
	return func(c *server.Config) {
		store := countedEconomy{c.Macro.Store, c.Funds.Store, c.Analytics.Store, reads}
		c.Macro.Store, c.Funds.Store, c.Analytics.Store = store, store, store
	}
}

// The events of the fixture.
func calendarEvents() []*macro.CalendarEvent {
	turkey, usa := macro.Country{Name: "Türkiye", Code: "TR"}, macro.Country{Name: "Amerika Birleşik Devletleri", Code: "US"}
	return []*macro.CalendarEvent{
		{EventID: 10, Name: "TÜFE <Yıllık>", Country: turkey, Currency: "TRY", Importance: 3},
		{EventID: 11, Name: "Tarım Dışı İstihdam", Country: usa, Currency: "USD", Importance: 1},
		{EventID: 12, Name: "TCMB Başkanı Konuşması", Country: turkey, Currency: "TRY", Importance: 2, IsSpeaking: true},
	}
}

// fillEconomy stores a calendar, funds and public offerings, and puts into the
// services of c what a server holds in memory.
func fillEconomy(t testing.TB, store *db.Store, c *server.Config) {
	t.Helper()
	d, at, day := value.MustDecimal, value.MustInstant, value.MustDate
	batch := new(db.Batch)
	for _, r := range []*macro.CalendarRecord{
		{EventID: 10, Time: at("2026-03-17T21:30:00Z"), Actual: "2.50", Forecast: "3.10", Previous: "1e3", Unit: "%"},
		{EventID: 10, Time: at("2026-03-19T07:00:00Z"), Actual: "-0.0", Previous: "12345678901234567890.123456789"},
		{EventID: 11, Time: at("2026-03-19T07:00:00Z"), Previous: "-7.12", Unit: "B"},
		{EventID: 12, Time: at("2026-03-19T12:00:00.500Z"), Actual: "1", Unit: "%"},
		{EventID: 99, Time: at("2026-03-19T12:00:00Z"), Actual: "1"}, // defined by nothing
	} {
		batch.Put(r, new(db.Outcome))
	}
	c.Macro.Live.PutEvents(calendarEvents())

	for i, net := range []string{"250000", "1000000.5", "-12"} {
		f := &funds.Flow{Code: "DMF", Date: day("2026-03-17").AddDays(-3 * i), NetFlow: d(net)}
		if i < 2 {
			f.Inflow, f.Outflow, f.InvestorCount = d("1500000.25"), d("750000"), ptr(10250-i)
		}
		batch.Put(f, new(db.Outcome))
	}
	for _, h := range []*funds.Holding{
		{FundCode: "DMF", InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth("2026-01"), MarketValue: d("999")},
		{FundCode: "DMF", InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth("2026-02"), WeightPct: d("4.20"), MarketValue: d("34104000")},
		{FundCode: "DMX", InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth("2026-01"), MarketValue: d("40000000")},
		{FundCode: "DMX", InstrumentID: "bist:DMBNK", ReportMonth: value.MustMonth("2026-01"), WeightPct: d("1")},
		{FundCode: "DMA", InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth("2026-02"), MarketValue: d("1")},
	} {
		batch.Put(h, new(db.Outcome))
	}
	c.Funds.Live.PutFunds([]*funds.Fund{
		{Profile: funds.Profile{
			InstrumentID: "fund:DMF", Code: "DMF", Name: "Demo Hisse & Fonu", Founder: ptr("Demo Portföy"), Category: ptr("Hisse"), Currency: "TRY", Price: d("3.415602"), PriceDate: day("2026-03-17"),
			PortfolioSize: d("812000000"), InvestorCount: ptr(10250), ShareCount: d("237733000"), ManagementFeePct: d("2.10"), RiskLevel: ptr(6), IsParticipation: ptr(false),
			InceptionDate: day("2019-01-02"), AsOf: at("2026-03-17T18:00:00Z"),
		}, Returns: &funds.Returns{M1: d("8.1204"), Y5: d("400")}},
		{Profile: funds.Profile{InstrumentID: "fund:DMX", Code: "DMX", Name: "Demo X", Currency: "TRY"}, Returns: &funds.Returns{M1: d("9.50")}},
		{Profile: funds.Profile{InstrumentID: "fund:DMA", Code: "DMA", Name: "Demo Altın", Currency: "TRY"}, Returns: &funds.Returns{M1: d("99")}},
	})
	c.Market.Live.PutFunds(c.Funds.Live.Instruments())

	c.IPO.Live.PutRecords([]*ipo.Record{
		{Facts: ipo.Facts{
			ID: "dmipo-2026", Company: "Demo Gıda <A.Ş.>", Symbol: ptr("DMGDA"), Price: d("42.50"), Currency: "TRY", Lots: d("25000000"), OfferSize: d("1062500000"), DemandStart: day("2026-03-17"),
			DemandEnd: day("2026-03-19"), LeadUnderwriter: ptr("Demo Yatırım"), AsOf: at("2026-03-18T09:00:00Z"), DistributionMethod: ptr("Eşit"), DiscountPct: d("15.0"),
		}, Documents: []kap.Document{{Name: "izahname.pdf", ContentType: ptr("application/pdf"), SizeBytes: ptr(5), Location: "one"}, {Name: "ek", Location: "two"}}},
		{Facts: ipo.Facts{ID: "dmipo-old", Company: "Demo Eski", Symbol: ptr("DMOST"), Currency: "TRY", FirstTradeDate: day("2025-12-10"), AsOf: at("2026-01-01T09:00:00Z")}},
		{Facts: ipo.Facts{ID: "dmipo-next", Company: "Demo Sıra", Currency: "TRY", DemandStart: day("2026-03-19")}},
	})

	if err := store.Store(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	c.Market.Live.PutIndices([]*market.BistIndex{
		{Code: "XU100", Name: "BIST 100", Verified: true, SyncedAt: at("2026-03-18T05:00:00Z"), Members: []market.IndexMember{{Symbol: "DMOST", Sector: ptr("Automotive")}, {Symbol: "DMOLD"}, {Symbol: "DMBNK"}}},
		{Code: "XUNVR", Name: "BIST Doğrulanmamış", SyncedAt: at("2026-03-18T05:00:00Z"), Members: []market.IndexMember{{Symbol: "DMOST"}}},
		{Code: "XKUCK", Name: "BIST Küçük", Verified: true, SyncedAt: at("2026-03-18T05:00:00Z"), Members: []market.IndexMember{{Symbol: "DMBNK"}}},
	})
}
