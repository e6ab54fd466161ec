package server_test

import (
	"encoding/json"
	"testing"

	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/news"
	"piyasa/value"
)

// fillKAP stores some disclosures with what belongs to them, and news.
func fillKAP(t testing.TB, store *db.Store, companies *kap.Live, inflation *macro.Live) {
	d, at := value.MustDecimal, value.MustInstant
	companies.PutCompanies([]*kap.CompanyRecord{
		{
			CompanyID: "K0001", Codes: []string{"DMOST", "DMOSR"}, Identity: &kap.CompanyIdentity{Title: "Demo Otomotiv A.Ş.", FoundedAt: value.MustDate("1970-05-01")},
			Capital: &kap.CompanyCapital{PaidIn: d("200000000"), Currency: "TRY"}, FreeFloat: &kap.FreeFloat{Pct: d("34.51")},
			Shareholders: []*kap.Shareholder{{Name: "Demo Holding A.Ş.", SharePct: d("55")}}, ShareGroups: []*kap.ShareGroup{{Group: "A", Traded: ptr(false)}},
			Board: []*kap.Person{{Name: "Ayşe Demo", IsIndependent: ptr(true)}}, AsOf: at("2026-03-17T18:00:00Z"),
		},
		{CompanyID: "K0003", Codes: []string{"DMSIG"}},
	})
	points := []*macro.Point{
		{SeriesID: macro.YIUFE, Month: value.MustMonth("2025-06"), Value: d("4320.15")},
		{SeriesID: macro.YIUFE, Month: value.MustMonth("2025-12"), Value: d("4783.12")},
		{SeriesID: macro.TUFE, Month: value.MustMonth("2026-02"), Value: d("3500.10")},
	}
	inflation.PutPoints(points)
	batch, outcomes := new(db.Batch), make([]db.Outcome, 20)
	next := func() *db.Outcome {
		outcomes = outcomes[1:]
		return &outcomes[0]
	}
	fr := func(index int, published string, reason kap.Reason) kap.Disclosure {
		return kap.Disclosure{
			DisclosureIndex: index, Type: kap.FR, Class: "FR", Symbols: []string{"DMOST"}, FilerCodes: []string{"DMOST"}, PublishedAt: at(published), Reason: &reason,
			Year: ptr("2025"), Period: ptr("Annual"), Consolidation: ptr("CS"),
		}
	}
	annual, interim, code := fr(1505, "2026-03-18T06:00:00Z", kap.New), fr(1444, "2025-08-11T15:00:00.500Z", kap.New), "DMOST"
	annual.AttachmentCount, annual.CompanyID = 1, ptr("K0001")
	for _, r := range []*kap.Record{
		{Disclosure: interim},
		{Disclosure: kap.Disclosure{DisclosureIndex: 1501, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{}, Subject: &kap.Localized{TR: ptr("Pay <Alım> Satım")}}, Body: &kap.Content{
			SourceFormat: "flatData", FileType: "data", Content: json.RawMessage(`[{"key":"date","label":{"tr":"Tarih"},"value":{"tr":"17.03.2026"},"group":"t","row":0},{"key":"n","label":{"en":"N"},"value":{"tr":"2.50"}}]`),
		}},
		{
			Disclosure: annual, Attachments: []kap.Document{{Name: "report.pdf", Location: "/report.pdf", SizeBytes: ptr(7)}},
			Facts:    []*kap.Fact{{Concept: "Revenue", Value: ptr("21000000000"), ContextID: "c1"}},
			Contexts: []*kap.Context{{ID: "c1", PeriodType: "instant", Instant: value.MustDate("2025-12-31"), Dimensions: []*kap.Dimension{{Axis: "a", Member: "b"}}}},
		},
	} {
		batch.Put(r, next())
	}
	line := func(code, value, of string) *kap.FilingLine {
		l := &kap.FilingLine{Code: code, Label: kap.Localized{TR: ptr("Hasılat & <şey>")}, ValueType: of}
		if value != "" {
			l.Value = d(value)
		}
		return l
	}
	for index, period := range map[int]string{1444: "6 Months", 1505: "Annual"} {
		end, measured := value.MustDate("2025-06-30"), value.MustMonth("2025-06")
		if index == 1505 {
			end, measured = value.MustDate("2025-12-31"), value.MustMonth("2025-11") // of which no index is known
		}
		batch.Put(&kap.FilingRecord{Symbol: code, Filing: kap.Filing{
			DisclosureIndex: index, Year: "2025", Period: period, EndDate: end, Consolidation: "CS", Currency: "TRY", Template: "industrial", Tms29Applied: true, MeasuringMonth: measured,
			BalanceSheet:    []*kap.FilingLine{line("share_count", "200000000", "non_monetary")},
			IncomeStatement: []*kap.FilingLine{line("revenue", "1000000.00", "monetary"), line("eps", "1.30", "per_share")},
			CashFlow:        []*kap.FilingLine{line("net_cash_operating", "", "monetary")},
		}}, next())
	}
	for _, n := range []*news.Item{
		{NewsID: "n-1", Title: "Piyasa <özeti>", PublishedAt: at("2026-03-16T20:59:59.999Z"), Symbols: []string{}},
		{NewsID: "n-2", Title: "Bankalar", PublishedAt: at("2026-03-16T21:00:00Z"), Symbols: []string{"DMBNK", "DMOST"}, Summary: ptr("Kısa."), Sentiment: &news.Sentiment{Label: "positive", Score: d("0.61")}, Link: ptr("https://news.example.test/n-2")},
		{NewsID: "n-3", Title: "Sonuçlar", PublishedAt: at("2026-03-18T06:05:00Z"), Symbols: []string{"DMOST"}, Sentiment: &news.Sentiment{Label: "neutral"}},
	} {
		batch.Put(n, next())
	}
	if err := store.Store(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}
