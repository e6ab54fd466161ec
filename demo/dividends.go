package demo

import (
	"github.com/shopspring/decimal"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// payout is the dividend policy of a company.
type payout struct {
	company market.ID
	first   int   // days from now to the newest ex date
	every   int   // days between two dividends
	times   int   // number of dividends
	parts   int   // installments of each dividend; 1: paid at once
	share   int64 // percentage of a year's profit that each pays
}

var payouts = []payout{
	{Sample, 24, 364, 3, 1, 40},
	{market.BistID("DMBNK"), -12, 364, 3, 1, 25},
	{market.BistID("DMPET"), -21, 364, 2, 2, 60}, // the second installment is still to come
	{market.BistID("DMMRK"), 52, 364, 2, 1, 30},
	{market.BistID("DMSIG"), -160, 364, 2, 1, 35},
	{usID("DMST"), 9, 91, 6, 1, 8},
	{usID("DMAP"), -19, 91, 6, 1, 10},
}

// Days between the installments of a dividend, and from an ex date to the payment.
const (
	betweenParts = 63
	untilPayment = 2
	untilPaidUS  = 14
)

// appendDividends appends paid and announced dividends: a part of the profit of the last full
// year before.
func (s *Simulation) appendDividends(lines []byte) []byte {
	today := value.TurkeyDay(s.clock())
	for _, p := range payouts {
		b := s.financialsOf(p.company)
		for n := range p.times {
			ex := today.AddDays(p.first - n*p.every)
			profit := b.year(ex.TurkeyStart())
			for part := range p.parts {
				if profit > 0 { // otherwise the year has no statements
					lines = appendRecord(lines, "dividend", p.record(s.tradingDay(ex.AddDays(part*betweenParts)), part+1, profit, b.shares))
				}
			}
		}
	}
	return lines
}

// record returns one payment of a year's profit.
func (p payout) record(ex value.Date, part int, profit, shares int64) *fundamentals.DividendRecord {
	gross := decimal.NewFromInt(profit*p.share/100/int64(p.parts)).DivRound(decimal.NewFromInt(shares), 4)
	r := &fundamentals.DividendRecord{
		InstrumentID: p.company, ExDate: ex, PaymentDate: weekday(ex.AddDays(untilPayment)), GrossPerShare: exact(gross, 4),
		Currency: string(market.TRY),
	}
	if p.parts > 1 {
		r.Installment = &part
	}
	if p.company.Market() == market.US { // the tax withheld depends on the holder
		r.PaymentDate, r.Currency = weekday(ex.AddDays(untilPaidUS)), string(market.USD)
		return r
	}
	r.NetPerShare = exact(gross.Mul(decimal.New(85, -2)).Round(4), 4)
	return r
}

// tradingDay returns the day, or the next trading day of the Istanbul exchange.
func (s *Simulation) tradingDay(d value.Date) value.Date {
	for {
		if _, _, trades := market.BistSession(s.days, d); trades {
			return d
		}
		d = d.AddDays(1)
	}
}
