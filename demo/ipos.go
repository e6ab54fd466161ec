package demo

import (
	"github.com/shopspring/decimal"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

// scheduledIPO is an IPO. Days count from today; 0: not known yet.
type scheduledIPO struct {
	id, company, symbol string
	price               string // once it is set
	low, high           string
	lots                int64
	from, to, trades    int      // book-building, and the first trade date
	method, purpose     string   // Turkish
	discount, float     string   // in percent
	documents           []string // names
}

const (
	equal       = "Eşit dağıtım"
	proportions = "Oransal dağıtım"
)

// ipoTable has IPOs in every state. Two of the trading ones are stocks of the exchange that
// were listed before their history here begins.
var ipoTable = []scheduledIPO{
	{
		id: "dmfrn", company: "Demo Fırın ve Unlu Mamuller", symbol: "DMFRN",
		low: "18.00", high: "21.50", lots: 32_000_000,
		purpose: "Yeni üretim tesisi",
	},
	{
		id: "dmsey", company: "Demo Seyahat", symbol: "DMSEY",
		low: "40.00", high: "46.00", lots: 24_500_000,
		from: 6, to: 8, method: proportions,
		purpose:  "Filo yatırımı, işletme sermayesi",
		discount: "22.40", float: "28.00",
	},
	{
		id: "dmdep", company: "Demo Depolama ve Lojistik", symbol: "DMDEP",
		price: "27.30", lots: 45_000_000,
		from: -2, to: 1, method: equal,
		purpose:  "Depo yatırımı",
		discount: "25.00", float: "30.50",
		documents: []string{"İzahname", "Fiyat Tespit Raporu", "Satış Duyurusu"},
	},
	{
		id: "dmthm", company: "Demo Tohum", symbol: "DMTHM",
		price: "12.85", lots: 60_000_000,
		from: -9, to: -7, trades: 4, method: equal,
		purpose:  "İşletme sermayesi",
		discount: "20.10", float: "25.00",
		documents: []string{"İzahname"},
	},
	{
		id: "dmrzg", company: "Demo Rüzgâr Enerjisi", symbol: "DMRZG",
		price: "31.40", lots: 52_000_000,
		from: -410, to: -408, trades: -402, method: equal,
		purpose:  "Yeni santral",
		discount: "24.00", float: "27.50",
	},
	{
		id: "dmbul", company: "Demo Bulut Bilişim", symbol: "DMBUL",
		price: "264.00", lots: 9_500_000,
		from: -520, to: -518, trades: -511, method: proportions,
		purpose:  "Veri merkezi",
		discount: "18.75", float: "33.00",
	},
}

// appendIPOs appends the IPOs, and the status of their source, which is up.
func (s *Simulation) appendIPOs(lines []byte) []byte {
	now := value.At(observed(s.clock(), 0))
	today := value.TurkeyDay(now)
	for _, o := range ipoTable {
		r := &ipo.Record{Facts: ipo.Facts{
			ID: o.id, Company: o.company + " A.Ş.", Symbol: &o.symbol, Currency: string(market.TRY), Lots: whole(o.lots),
			LeadUnderwriter: new("Demo Yatırım Menkul Değerler"), AsOf: now, UseOfProceeds: &o.purpose,
		}, Documents: []attachment.Document{}}
		if o.price != "" {
			r.Price = value.MustDecimal(o.price)
			r.OfferSize = exact(decimal.RequireFromString(o.price).Mul(decimal.NewFromInt(o.lots)), 2)
		} else {
			r.PriceLow, r.PriceHigh = value.MustDecimal(o.low), value.MustDecimal(o.high)
		}
		if o.from != 0 {
			r.DemandStart, r.DemandEnd = weekday(today.AddDays(o.from)), weekday(today.AddDays(o.to))
			r.DistributionMethod, r.DiscountPct, r.FreeFloatPct = &o.method, value.MustDecimal(o.discount), value.MustDecimal(o.float)
		}
		if o.trades != 0 {
			r.FirstTradeDate = s.tradingDay(today.AddDays(o.trades))
		}
		for i, name := range o.documents {
			r.Documents = append(r.Documents, attachment.Document{Name: name + ".pdf", ContentType: new("application/pdf"),
				Location: o.documentLocation(i + 1)})
		}
		lines = appendRecord(lines, "ipo", r)
	}
	return appendRecord(lines, "source_status", &market.SourceStatus{Source: "ipo", Up: true, AsOf: now})
}
