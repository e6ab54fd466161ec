package demo

import (
	"time"

	"github.com/shopspring/decimal"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// totals are the figures from which all lines of a statement follow: flows from the start of
// the year, and the state at the end.
type totals struct {
	sales, profit, equity int64 // profit and equity are the parent's
	opening               int64 // cash at the start of the year
	capital               int64 // paid in
}

// dollars converts totals from lira to dollars.
func (t totals) dollars() totals {
	rate, digits := units(liraPerDollar)
	for range digits {
		t.sales, t.profit, t.equity, t.opening, t.capital = t.sales*10, t.profit*10, t.equity*10, t.opening*10, t.capital*10
	}
	return totals{t.sales / rate, t.profit / rate, t.equity / rate, t.opening / rate, t.capital / rate}
}

// Lines that others consist of. The rest of each group is in its last line, so that everything
// adds up.
func (t totals) minorityProfit() int64 { return t.profit * 3 / 100 }
func (t totals) net() int64            { return t.profit + t.minorityProfit() }
func (t totals) tax() int64            { return max(0, t.net()/3) }
func (t totals) pretax() int64         { return t.net() + t.tax() }
func (t totals) financing() int64      { return t.sales * 25 / 1000 }
func (t totals) operating() int64      { return t.pretax() + t.financing() }
func (t totals) gross() int64          { return t.operating() + t.sales*8/100 }
func (t totals) depreciation() int64   { return t.sales * 4 / 100 }
func (t totals) operations() int64     { return t.net() + t.depreciation() - t.sales*15/1000 }
func (t totals) investments() int64    { return -t.depreciation() * 13 / 10 }
func (t totals) minority() int64       { return t.equity * 3 / 100 }
func (t totals) total() int64          { return t.equity + t.minority() }
func (t totals) assets() int64         { return t.total() * 2 }
func (t totals) cash() int64           { return t.assets() * 12 / 100 }
func (t totals) current() int64        { return t.assets() * 55 / 100 }
func (t totals) shortDebt() int64      { return t.total() * 30 / 100 }
func (t totals) longDebt() int64       { return t.total() * 35 / 100 }

// Of a bank, and of an insurer.
func (t totals) fees() int64       { return t.sales * 12 / 100 }
func (t totals) provisions() int64 { return t.sales * 8 / 100 }
func (t totals) staff() int64      { return t.sales * 15 / 100 }
func (t totals) bankAssets() int64 { return t.total() * 10 }

// line is a line of a statement, with its formula from the totals.
type line struct {
	code, label string
	group       fundamentals.Group
	kind        fundamentals.LineKind
	role        fundamentals.Role // empty: by the code, or none
	value       func(totals) int64
}

const (
	income, balance, cashFlow = fundamentals.IncomeStatement, fundamentals.BalanceSheet, fundamentals.CashFlow
	flow, stands              = fundamentals.Flow, fundamentals.Stock
)

// templates are the lines by template. Lines of industrial companies have their roles by their
// codes; the others state a role.
var templates = map[fundamentals.Template][]line{
	fundamentals.Industrial: {
		{"1A", "Dönen Varlıklar", balance, stands, "", totals.current},
		{"1AA", "Nakit ve Nakit Benzerleri", balance, stands, "", totals.cash},
		{"1AB", "Finansal Yatırımlar", balance, stands, "", func(t totals) int64 { return t.assets() * 5 / 100 }},
		{"1AC", "Ticari Alacaklar", balance, stands, "", func(t totals) int64 { return t.assets() * 20 / 100 }},
		{"1AF", "Stoklar", balance, stands, "", func(t totals) int64 {
			return t.current() - t.cash() - t.assets()*5/100 - t.assets()*20/100
		}},
		{"1AK", "Duran Varlıklar", balance, stands, "", func(t totals) int64 { return t.assets() - t.current() }},
		{"1BL", "TOPLAM VARLIKLAR", balance, stands, "", totals.assets},
		{"2A", "Kısa Vadeli Yükümlülükler", balance, stands, "", func(t totals) int64 { return t.assets() - t.total() - t.longDebt() }},
		{"2AA", "Finansal Borçlar", balance, stands, "", totals.shortDebt},
		{"2AAGAA", "Ticari Borçlar", balance, stands, "", func(t totals) int64 {
			return t.assets() - t.total() - t.longDebt() - t.shortDebt()
		}},
		{"2B", "Uzun Vadeli Yükümlülükler", balance, stands, "", totals.longDebt},
		{"2BA", "Finansal Borçlar", balance, stands, "", totals.longDebt},
		{"2N", "Özkaynaklar", balance, stands, "", totals.total},
		{"2O", "Ana Ortaklığa Ait Özkaynaklar", balance, stands, "", func(t totals) int64 { return t.equity }},
		{"2OA", "Ödenmiş Sermaye", balance, stands, "", func(t totals) int64 { return t.capital }},
		{"2OCE", "Geçmiş Yıllar Kar/Zararları", balance, stands, "", func(t totals) int64 { return t.equity - t.capital - t.profit }},
		{"2OCF", "Dönem Net Kar/Zararı", balance, stands, "", func(t totals) int64 { return t.profit }},
		{"2ODA", "Azınlık Payları", balance, stands, "", totals.minority},
		{"2ODB", "TOPLAM KAYNAKLAR", balance, stands, "", totals.assets},
		{"3C", "Satış Gelirleri", income, flow, "", func(t totals) int64 { return t.sales }},
		{"3CA", "Satışların Maliyeti (-)", income, flow, "", func(t totals) int64 { return t.gross() - t.sales }},
		{"3D", "BRÜT KAR (ZARAR)", income, flow, "", totals.gross},
		{"3DB", "Faaliyet Giderleri (-)", income, flow, "", func(t totals) int64 { return t.operating() - t.gross() }},
		{"3DF", "FAALİYET KARI (ZARARI)", income, flow, "", totals.operating},
		{"3HC", "Finansal Giderler (-)", income, flow, "", func(t totals) int64 { return -t.financing() }},
		{"3I", "VERGİ ÖNCESİ KAR (ZARAR)", income, flow, "", totals.pretax},
		{"3IA", "Vergi Geliri (Gideri)", income, flow, "", func(t totals) int64 { return -t.tax() }},
		{"3L", "DÖNEM KARI (ZARARI)", income, flow, "", totals.net},
		{"3LB", "Azınlık Payları", income, flow, "", totals.minorityProfit},
		{"3Z", "Ana Ortaklık Payları", income, flow, "", func(t totals) int64 { return t.profit }},
		{"4B", "Amortisman Giderleri", cashFlow, flow, "", totals.depreciation},
		{"4C", "İşletme Faaliyetlerinden Kaynaklanan Net Nakit", cashFlow, flow, "", totals.operations},
		{"4CAK", "Yatırım Faaliyetlerinden Kaynaklanan Nakit", cashFlow, flow, "", totals.investments},
		{"4CBE", "Finansman Faaliyetlerinden Kaynaklanan Nakit", cashFlow, flow, "", func(t totals) int64 {
			return t.cash() - t.opening - t.operations() - t.investments()
		}},
		{"4CBI", "Nakit ve Benzerlerindeki Değişim", cashFlow, flow, "", func(t totals) int64 { return t.cash() - t.opening }},
	},
	fundamentals.Bank: {
		{"B10", "Nakit Değerler ve Merkez Bankası", balance, stands, "", func(t totals) int64 { return t.bankAssets() * 15 / 100 }},
		{"B11", "Menkul Kıymetler", balance, stands, "", func(t totals) int64 { return t.bankAssets() * 20 / 100 }},
		{"B12", "Krediler", balance, stands, "", func(t totals) int64 {
			return t.bankAssets() - t.bankAssets()*15/100 - t.bankAssets()*20/100
		}},
		{"B19", "Aktif Toplamı", balance, stands, "", totals.bankAssets},
		{"B20", "Mevduat", balance, stands, "", func(t totals) int64 { return t.bankAssets() * 70 / 100 }},
		{"B21", "Diğer Yükümlülükler", balance, stands, "", func(t totals) int64 {
			return t.bankAssets() - t.bankAssets()*70/100 - t.total()
		}},
		{"B22", "Özkaynaklar", balance, stands, "", totals.total},
		{"B23", "Azınlık Payları", balance, stands, "", totals.minority},
		{"B29", "Pasif Toplamı", balance, stands, "", totals.bankAssets},
		{"B30", "Faiz Gelirleri", income, flow, fundamentals.Revenue, func(t totals) int64 { return t.sales }},
		{"B31", "Faiz Giderleri (-)", income, flow, "", func(t totals) int64 {
			return t.pretax() + t.staff() + t.provisions() - t.fees() - t.sales
		}},
		{"B32", "Net Ücret ve Komisyon Gelirleri", income, flow, "", totals.fees},
		{"B33", "Beklenen Zarar Karşılıkları (-)", income, flow, "", func(t totals) int64 { return -t.provisions() }},
		{"B34", "Personel ve Faaliyet Giderleri (-)", income, flow, "", func(t totals) int64 { return -t.staff() }},
		{"B35", "Vergi Öncesi Kar", income, flow, "", totals.pretax},
		{"B36", "Vergi Karşılığı (-)", income, flow, "", func(t totals) int64 { return -t.tax() }},
		{"B37", "Net Dönem Karı", income, flow, "", totals.net},
		{"B38", "Grubun Karı", income, flow, fundamentals.NetProfitParent, func(t totals) int64 { return t.profit }},
	},
	fundamentals.Insurer: { // insurers have no minorities
		{"S10", "Nakit ve Finansal Varlıklar", balance, stands, "", func(t totals) int64 { return t.equity * 3 }},
		{"S11", "Esas Faaliyetlerden Alacaklar", balance, stands, "", func(t totals) int64 { return t.equity }},
		{"S19", "Varlıklar Toplamı", balance, stands, "", func(t totals) int64 { return t.equity * 4 }},
		{"S20", "Teknik Karşılıklar", balance, stands, "", func(t totals) int64 { return t.equity * 3 }},
		{"S21", "Özkaynaklar Toplamı", balance, stands, "", func(t totals) int64 { return t.equity }},
		{"S29", "Yükümlülükler ve Özkaynaklar Toplamı", balance, stands, "", func(t totals) int64 { return t.equity * 4 }},
		{"S30", "Kazanılmış Primler", income, flow, fundamentals.Revenue, func(t totals) int64 { return t.sales }},
		{"S31", "Gerçekleşen Tazminatlar ve Giderler (-)", income, flow, "", func(t totals) int64 {
			return t.profit + max(0, t.profit/3) - t.sales
		}},
		{"S32", "Vergi Karşılığı (-)", income, flow, "", func(t totals) int64 { return -max(0, t.profit/3) }},
		{"S33", "Net Dönem Karı", income, flow, fundamentals.NetProfitParent, func(t totals) int64 { return t.profit }},
	},
}

// appendStatements appends all filings: in lira, for companies that file in dollars also in
// those, and for US companies only in dollars.
func (b *financials) appendStatements(lines []byte) []byte {
	for i, q := range b.quarters {
		if i == 0 {
			continue
		}
		t := b.cumulative(i)
		if q.restated != 0 {
			first := t
			first.profit, first.equity = first.profit+q.restated, first.equity+q.restated
			lines = b.appendFiled(lines, q.period, filedAt(q.period), first)
			lines = b.appendFiled(lines, q.period, filedAt(q.period).Add(40*24*time.Hour), t)
			continue
		}
		lines = b.appendFiled(lines, q.period, filedAt(q.period), t)
	}
	return lines
}

// firstAdjusted is the first year with statements adjusted for inflation.
const firstAdjusted = 2024

func (b *financials) appendFiled(lines []byte, p fundamentals.Period, at value.Instant, t totals) []byte {
	s := &fundamentals.Statement{Heading: fundamentals.Heading{
		InstrumentID: b.company, FiscalYear: p.Year, FiscalMonth: p.Month, Currency: string(market.USD), EndDate: endOf(p),
		Basis: fundamentals.Nominal, Template: b.template, FiledAt: at,
	}}
	if b.company.Market() == market.US {
		s.Items = b.items(t)
		return appendRecord(lines, "statement", s)
	}
	if p.Year >= firstAdjusted {
		s.Basis = fundamentals.InflationAdjusted
	}
	if b.dollars {
		s.Items = b.items(t.dollars())
		lines = appendRecord(lines, "statement", s)
	}
	s.Currency, s.Items = string(market.TRY), b.items(t)
	return appendRecord(lines, "statement", s)
}

// items returns the lines of a statement; the last one is its earnings per share.
func (b *financials) items(t totals) []fundamentals.Item {
	template := templates[b.template]
	items := make([]fundamentals.Item, 0, len(template)+1)
	for _, l := range template {
		item := fundamentals.Item{Line: fundamentals.Line{Code: l.code, LabelTr: l.label, Group: l.group, Kind: l.kind},
			Value: whole(l.value(t))}
		if l.role != "" {
			item.Role = new(l.role)
		}
		items = append(items, item)
	}
	return append(items, fundamentals.Item{
		Line:  fundamentals.Line{Code: "3ZD", LabelTr: "Hisse Başına Kazanç", Group: income, Kind: fundamentals.PerShare},
		Value: exact(decimal.NewFromInt(t.profit).DivRound(decimal.NewFromInt(b.shares), 4), 4),
	})
}
