package server_test

import (
	"strconv"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/value"
)

// companies are the fundamentals of the fixture: an industrial company, a bank
// and a US company. The ETF of the catalog has none.
func companies() []*market.Instrument {
	hours := &market.Session{Timezone: "America/New_York", Open: ptr(market.ClockTime("09:30")), Close: ptr(market.ClockTime("16:00"))}
	return []*market.Instrument{
		{InstrumentID: "bist:DMBNK", Symbol: "DMBNK", Name: "Demo Bankası", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"},
		{InstrumentID: "bist:DMNEW", Symbol: "DMNEW", Name: "Demo Yeni", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"},
		{InstrumentID: "us:DMAP", Symbol: "DMAP", Name: "Demo Apparel", Market: market.US, AssetType: market.Stock, Currency: "USD", Session: hours},
		{InstrumentID: "cmdty:XAU", Symbol: "XAU", Name: "Altın", Market: market.Cmdty, AssetType: market.Commodity, Currency: "USD", Unit: ptr("ons")},
	}
}

// lines are the lines of a statement, each "code figure", of which the table of
// lines knows the codes.
func lines(text string) []fundamentals.Item {
	names := map[string]string{"2O": "Ana Ortaklığa Ait Özkaynaklar", "3C": "Hasılat & <satış>", "3DF": "Faaliyet Kârı", "3Z": "Ana Ortaklık Payları", "3ZD": "Hisse Başına Kazanç", "4B": "Amortisman"}
	var items []fundamentals.Item
	for line := range strings.SplitSeq(text, ", ") {
		code, figure, _ := strings.Cut(line, " ")
		item := fundamentals.Item{Line: fundamentals.Line{Code: code, LabelTr: names[code], Group: fundamentals.IncomeStatement, Kind: fundamentals.Flow}}
		switch code[0] {
		case '1', '2':
			item.Group, item.Kind = fundamentals.BalanceSheet, fundamentals.Stock
		case '4':
			item.Group = fundamentals.CashFlow
		}
		if code == "3ZD" {
			item.Kind = fundamentals.PerShare
		}
		if item.LabelTr == "" {
			item.LabelTr = "Satır " + code
		}
		if figure != "-" {
			item.Value = value.MustDecimal(figure)
		}
		items = append(items, item)
	}
	return items
}

// statement is a filing of a period such as 2025-12.
func statement(id market.ID, period, currency, filed, figures string) *fundamentals.Statement {
	begins := value.MustDate(period + "-01")
	year, _ := strconv.Atoi(period[:4])
	month, _ := strconv.Atoi(period[5:])
	s := &fundamentals.Statement{Heading: fundamentals.Heading{
		InstrumentID: id, FiscalYear: year, FiscalMonth: month, Currency: currency, EndDate: begins.AddMonths(1).AddDays(-1),
		Basis: fundamentals.Nominal, Template: fundamentals.Industrial, FiledAt: value.MustInstant(filed),
	}, Items: lines(figures)}
	if s.FiscalYear >= 2024 && id.Market() == market.BIST {
		s.Basis = fundamentals.InflationAdjusted
	}
	if id == "bist:DMBNK" {
		s.Template = fundamentals.Bank
	}
	return s
}

// fillCompanies stores fundamentals, sectors, an index and the days behind
// windows and indicators; it puts into live what a server holds in memory.
func fillCompanies(t testing.TB, store *db.Store, live *market.Live, newest *fundamentals.Live) {
	t.Helper()
	d, day := value.MustDecimal, value.MustDate
	batch := new(db.Batch)
	for _, in := range companies() {
		batch.Put(in, new(db.Outcome))
	}
	batch.Put(&market.Instrument{InstrumentID: "bist:DMOST", Symbol: "DMOST", Name: "Demo Otomotiv Şirketi", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"}, new(db.Outcome))
	const (
		year   = "2O 30250000000, 2AA 2400000000, 2BA 3900000000, 1AA 1850000000, 1AB 450000000, 3C 21000000000, 3DF 3150000000, 3Z 640000000, 3ZD 3.20, 4B 1260000000"
		before = "2O 20000000000, 2AA 1400000000, 2BA 2900000000, 1AA 850000000, 1AB 0, 3C 9000000000, 3DF 1150000000, 3Z 295000000, 3ZD 1.50, 4B 560000000"
	)
	for _, s := range []*fundamentals.Statement{
		statement("bist:DMOST", "2025-12", "TRY", "2026-03-01T10:00:00Z", year),
		statement("bist:DMOST", "2025-09", "TRY", "2025-11-01T10:00:00Z", before),
		statement("bist:DMOST", "2024-12", "TRY", "2025-03-01T10:00:00Z", "3C 8000000000, 3Z -"),
		statement("bist:DMOST", "2024-12", "TRY", "2026-03-01T10:00:00Z", before),
		statement("bist:DMOST", "2023-06", "TRY", "2023-08-01T10:00:00Z", "2O 100, 3C 2730000000, 3Z 5, 3ZD 0.2"),
		statement("bist:DMOST", "2023-03", "TRY", "2023-05-01T10:00:00Z", "2O 90, 3C 1000000000, 3Z -"),
		statement("bist:DMOST", "2025-12", "USD", "2026-03-01T10:00:00Z", "2O 700000000, 3C 500000000"),
		statement("bist:DMBNK", "2025-12", "TRY", "2026-02-15T10:00:00Z", "2O 5000000000, 3Z 700000000"),
		statement("us:DMAP", "2025-12", "USD", "2026-02-01T10:00:00Z", "2O 4000000000, 3Z 900000000, 3C 30000000000"),
	} {
		batch.Put(s, new(db.Outcome))
	}
	metrics := []*fundamentals.Metrics{
		{InstrumentID: "bist:DMOST", Date: day("2026-03-17"), MarketCap: d("51600000000"), PeRatio: d("12.19"), AsOf: value.MustInstant("2026-03-17T15:00:00Z"), Source: ptr("distributor")},
		{InstrumentID: "bist:DMOST", Date: day("2026-03-18"), MarketCap: d("52500000000"), PeRatio: d("12.4"), AsOf: value.MustInstant("2026-03-18T11:45:00Z"), Source: ptr("distributor")},
		{InstrumentID: "bist:DMBNK", Date: day("2026-03-18"), MarketCap: d("10000000000.55"), PeRatio: d("0"), AsOf: value.MustInstant("2026-03-18T11:40:00Z")},
		{InstrumentID: "us:DMAP", Date: day("2026-03-17"), MarketCap: d("18000000000"), AsOf: value.MustInstant("2026-03-17T20:00:00Z")},
	}
	for _, m := range metrics {
		batch.Put(m, new(db.Outcome))
	}
	for _, r := range []*fundamentals.DividendRecord{
		{InstrumentID: "bist:DMOST", ExDate: day("2025-04-10"), PaymentDate: day("2025-04-14"), GrossPerShare: d("3.10"), Currency: "TRY"},
		{InstrumentID: "bist:DMOST", ExDate: day("2026-03-10"), PaymentDate: day("2026-03-12"), GrossPerShare: d("1.25"), NetPerShare: d("1.0625"), Currency: "TRY"},
		{InstrumentID: "bist:DMOST", ExDate: day("2026-04-10"), PaymentDate: day("2026-04-14"), GrossPerShare: d("4.25"), NetPerShare: d("3.6125"), Currency: "TRY", Installment: ptr(1)},
		{InstrumentID: "bist:DMOST", ExDate: day("2026-04-10"), GrossPerShare: d("4.25"), Currency: "TRY", Installment: ptr(2)},
		{InstrumentID: "bist:DMBNK", ExDate: day("2026-03-25"), PaymentDate: day("2026-03-25"), GrossPerShare: d("0.5"), Currency: "TRY"},
		{InstrumentID: "us:DMAP", ExDate: day("2026-03-20"), PaymentDate: day("2026-03-30"), GrossPerShare: d("0.24"), Currency: "USD"},
	} {
		batch.Put(r, new(db.Outcome))
	}
	first := day("2026-03-17").AddDays(-259)
	for i := range 260 {
		date := first.AddDays(i)
		last := d("250").Plus(d("0.25").Times(d([]string{"0", "3", "1", "7", "2"}[i%5]))).Plus(d("0.5").Times(d([]string{"0", "1", "2", "3", "4", "5", "6"}[i/40])))
		high, low := last.Plus(d("1.5")), last.Minus(d("1.25"))
		batch.Put(&market.Bar{InstrumentID: "bist:DMBNK", Resolution: market.Day, T: date.TurkeyStart(), High: high, Low: low, Close: last, Volume: d("1000")}, new(db.Outcome))
		at := value.MustInstant(date.String() + "T00:00:00Z")
		batch.Put(&market.Bar{InstrumentID: "us:DMAP", Resolution: market.Day, T: at, High: high, Low: low, Close: last, Volume: d("1000")}, new(db.Outcome))
		batch.Put(&market.Bar{InstrumentID: "cmdty:XAU", Resolution: market.Day, T: at, Close: last.Times(d("10"))}, new(db.Outcome))
		batch.Put(&market.IndexBar{Code: "XU100", Date: date, High: high.Times(d("36")), Low: low.Times(d("36")), Close: last.Times(d("36"))}, new(db.Outcome))
	}
	if err := store.Store(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	newest.PutMetrics(metrics)
	live.PutCatalog(companies(), nil)
	live.PutSectors([]*market.Sector{
		{Code: "bankacilik", Name: "Bankacılık", Members: []market.ID{"bist:DMBNK"}},
		{Code: "eski-oto", Name: "Eski", Successors: []string{"otomotiv"}},
		{Code: "otomotiv", Name: "Otomotiv", NameEn: ptr("Automotive"), Members: []market.ID{"bist:DMOST", "bist:DMBNK", "us:DMAP", "bist:GONE"}},
	})
	live.PutIndices([]*market.BistIndex{{Code: "XU100", Name: "BIST 100", Verified: true, Members: []market.IndexMember{{Symbol: "DMOST"}}}})
}
