package demo

import (
	"slices"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// portfolio is what a fund reports besides its price.
type portfolio struct {
	code          string
	shares        int64
	investors     int64
	fee           string // per year, in percent
	risk          int
	participation bool
	months        int  // age of the fund, in months
	netOnly       bool // states only the net flow
	stocks        []string
	sold          string // a stock that it held until before the newest report
}

var portfolioTable = []portfolio{
	{code: "DMB", shares: 410_000_000, investors: 18_420, fee: "1.25", risk: 2, months: 143},
	{code: "DMD", shares: 64_500_000, investors: 9_310, fee: "2.10", risk: 5, months: 118, netOnly: true,
		stocks: []string{"DMOST", "DMPET", "DMSIG", "DMCAY", "DMHLD"}},
	{code: "DMF", shares: 152_000_000, investors: 27_650, fee: "2.20", risk: 6, months: 96,
		stocks: []string{"DMOST", "DMBNK", "DMHVY", "DMPET", "DMCEL", "DMMRK", "DMTEK", "DMGUB", "DMCAM"}, sold: "DMKRG"},
	{code: "DMP", shares: 2_300_000_000, investors: 131_900, fee: "0.95", risk: 1, months: 87},
	{code: "DMS", shares: 38_700_000, investors: 4_180, fee: "1.80", risk: 6, participation: true, months: 26,
		stocks: []string{"DMRZG", "DMGNS", "DMHID", "DMOST", "DMRAY", "DMBUL"}, sold: "DMISK"},
	{code: "DMX", shares: 91_200_000, investors: 12_750, fee: "1.90", risk: 4, months: 74,
		stocks: []string{"DMBNK", "DMKAB", "DMHVY", "DMYZL"}, sold: "DMLIM"},
}

// reportDays is the latest number of days after the end of a month at which its report of
// holdings exists.
const reportDays = 9

// appendFund appends the reports of a fund: its profile and returns, the flows of a month, and
// its holdings at the ends of the last two months.
func (s *series) appendFund(lines []byte, closes []settled) []byte {
	p := portfolioTable[slices.IndexFunc(portfolioTable, func(p portfolio) bool { return p.code == s.Symbol })]
	random := seeded(string(s.InstrumentID) + " portfolio")
	between := func(low, high int64) int64 { return low + random.Int64N(high-low+1) }
	today := s.times.day(s.asOf)

	f := &funds.Fund{Profile: funds.Profile{
		InstrumentID: s.InstrumentID, Code: s.Symbol, Name: s.Name, Founder: s.Founder, Category: s.Category, Currency: s.Currency,
		Price: s.priced(s.last), PriceDate: today, PortfolioSize: s.money(s.last * p.shares), InvestorCount: new(int(p.investors)),
		ShareCount: whole(p.shares), ManagementFeePct: value.MustDecimal(p.fee), RiskLevel: &p.risk, IsParticipation: &p.participation,
		InceptionDate: weekday(today.AddMonths(-p.months)), AsOf: value.At(s.asOf),
	}}
	f.Returns = &funds.Returns{
		W1: gained(closes, today.AddDays(-7)), W2: gained(closes, today.AddDays(-14)), M1: gained(closes, today.AddMonths(-1)),
		M3: gained(closes, today.AddMonths(-3)), M6: gained(closes, today.AddMonths(-6)), Y1: gained(closes, today.AddMonths(-12)),
	}
	if p.months >= 3*12 {
		f.Returns.Y3 = hundredths(between(90_00, 210_00))
	}
	if p.months >= 5*12 {
		f.Returns.Y5 = hundredths(between(260_00, 480_00))
	}
	lines = appendRecord(lines, "fund", f)

	investors, since := p.investors, today.AddMonths(-1)
	for _, c := range closes {
		if !since.Before(c.day) {
			break
		}
		size := s.cents(c.price * p.shares)
		in, out := size/10_000*between(5, 60), size/10_000*between(5, 50)
		flow := &funds.Flow{Code: p.code, Date: c.day, NetFlow: hundredths(in - out), InvestorCount: new(int(investors))}
		if !p.netOnly {
			flow.Inflow, flow.Outflow = hundredths(in), hundredths(out)
		}
		lines = appendRecord(lines, "fund_flow", flow)
		investors -= p.investors * between(-8, 12) / 10_000
	}

	reported := today.AddDays(-reportDays)
	for back, size := 1, s.cents(s.last*p.shares); back <= 2; back, size = back+1, size*97/100 {
		month := value.MustMonth(reported.AddMonths(-back).String()[:len("2003-01")])
		held := p.stocks
		if back == 2 && p.sold != "" {
			held = append(slices.Clone(held), p.sold)
		}
		for _, symbol := range held {
			weight := between(2_50, 9_00)
			lines = appendRecord(lines, "fund_holding", &funds.Holding{
				FundCode: p.code, InstrumentID: market.BistID(symbol), ReportMonth: month,
				WeightPct: hundredths(weight), MarketValue: hundredths(size / 10_000 * weight),
			})
		}
	}
	return lines
}

// gained returns by what percentage the price rose since the last close up to a day; null if
// the day is before all closes. closes are the newest first.
func gained(closes []settled, since value.Date) value.Decimal {
	for _, c := range closes {
		if !since.Before(c.day) {
			return percent(closes[0].price-c.price, c.price)
		}
	}
	return value.Decimal{}
}

// cents converts an amount to hundredths.
func (s *series) cents(units int64) int64 {
	for range s.digits - 2 {
		units /= 10
	}
	return units
}
