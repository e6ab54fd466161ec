package demo

import (
	"math/big"
	"testing"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// gain is by how much a figure is above a base, in percent.
func gain(t *testing.T, d value.Decimal, base *big.Rat) *big.Rat {
	t.Helper()
	rise := new(big.Rat).Quo(new(big.Rat).Sub(number(t, d), base), base)
	return rise.Mul(rise, big.NewRat(100, 1))
}

// closeOn is the last close of an instrument up to a day.
func closeOn(t *testing.T, bars []*barLine, id market.ID, day value.Date) value.Decimal {
	t.Helper()
	for _, b := range bars { // of an instrument the newest first
		if b.InstrumentID == id && !day.TurkeyEnd().Before(b.T) {
			return b.Close
		}
	}
	t.Fatalf("%s has no close up to %s", id, day)
	return value.Decimal{}
}

func TestFundsReportWhatTheirPricesSay(t *testing.T) {
	for _, at := range []string{"2026-03-18T12:00:00.250Z", "2026-10-31T23:30:00Z"} {
		lines := recordsAt(value.MustInstant(at))
		bars := recordsOf[barLine](t, "bar", lines)
		prices := map[market.ID]*market.Observation{}
		for _, q := range quotesOf(t, lines) {
			prices[q.InstrumentID] = q
		}
		young := 0
		all := recordsOf[funds.Fund](t, "fund", lines)
		for _, f := range all {
			q := prices[f.InstrumentID]
			if q == nil || f.Price != q.Last || f.AsOf != q.AsOf {
				t.Errorf("%s: %+v, and its quote is %+v", at, f.Profile, q)
			}
			if size := new(big.Rat).Mul(number(t, f.Price), number(t, f.ShareCount)); size.Cmp(number(t, f.PortfolioSize)) != 0 {
				t.Errorf("%s: %s shares at %s are not %s", f.Code, f.ShareCount, f.Price, f.PortfolioSize)
			}
			for since, stated := range map[value.Date]value.Decimal{
				f.PriceDate.AddDays(-7): f.Returns.W1, f.PriceDate.AddDays(-14): f.Returns.W2, f.PriceDate.AddMonths(-1): f.Returns.M1,
				f.PriceDate.AddMonths(-3): f.Returns.M3, f.PriceDate.AddMonths(-6): f.Returns.M6, f.PriceDate.AddMonths(-12): f.Returns.Y1,
			} {
				off := gain(t, f.Price, number(t, closeOn(t, bars, f.InstrumentID, since)))
				off.Sub(off, number(t, stated))
				if off.Abs(off).Cmp(big.NewRat(1, 200)) > 0 {
					t.Errorf("%s: %s since %s", f.Code, stated, since)
				}
			}
			if f.Returns.Y3.IsNull() != f.PriceDate.AddMonths(-36).Before(f.InceptionDate) ||
				f.Returns.Y5.IsNull() != f.PriceDate.AddMonths(-60).Before(f.InceptionDate) {
				t.Errorf("%s of %s states %s and %s", f.Code, f.InceptionDate, f.Returns.Y3, f.Returns.Y5)
			}
			if f.Returns.Y3.IsNull() {
				young++
			}
		}
		if len(all) != 6 || young != 1 {
			t.Errorf("%s: %d funds, %d of them young", at, len(all), young)
		}
	}
}

func TestFundFlowsAddUp(t *testing.T) {
	days, netOnly := map[string]int{}, map[string]bool{}
	for _, f := range recordsOf[funds.Flow](t, "fund_flow", recordsAt(session)) {
		days[f.Code]++
		if f.Inflow.IsNull() {
			netOnly[f.Code] = true
			continue
		}
		if net := new(big.Rat).Sub(number(t, f.Inflow), number(t, f.Outflow)); net.Cmp(number(t, f.NetFlow)) != 0 {
			t.Errorf("%s on %s: %s in, %s out, net %s", f.Code, f.Date, f.Inflow, f.Outflow, f.NetFlow)
		}
	}
	if len(days) != 6 || len(netOnly) != 1 {
		t.Errorf("flows of %v, net only of %v", days, netOnly)
	}
	for code, n := range days {
		if n < 18 || n > 23 {
			t.Errorf("%s: %d days", code, n)
		}
	}
}

func TestFundsHoldDemoStocks(t *testing.T) {
	s := New(fixed(session))
	listed := map[market.ID]bool{}
	for _, p := range s.series {
		listed[p.InstrumentID] = p.financials != nil
	}
	weights, held := map[string]*big.Rat{}, map[market.ID]int{}
	for _, h := range recordsOf[funds.Holding](t, "fund_holding", recordsAt(session)) {
		if !listed[h.InstrumentID] {
			t.Errorf("%s holds %s", h.FundCode, h.InstrumentID)
		}
		report := h.FundCode + " " + h.ReportMonth.String()
		if weights[report] == nil {
			weights[report] = new(big.Rat)
		}
		weights[report].Add(weights[report], number(t, h.WeightPct))
		if h.ReportMonth == value.MustMonth("2026-02") {
			held[h.InstrumentID]++
		}
	}
	for report, weight := range weights {
		if weight.Cmp(big.NewRat(100, 1)) > 0 {
			t.Errorf("%s weighs %s %%", report, weight.FloatString(2))
		}
	}
	if len(weights) != 4*2 || held[Sample] != 3 || held["bist:DMKRG"] != 0 {
		t.Errorf("reports %v, the sample is held by %d", weights, held[Sample])
	}
}
