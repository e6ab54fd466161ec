package demo

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// sum adds figures of a statement up.
func sum(t *testing.T, s *fundamentals.Statement, codes ...string) *big.Rat {
	t.Helper()
	total := new(big.Rat)
	for _, code := range codes {
		found := false
		for _, item := range s.Items {
			if item.Code == code {
				total.Add(total, number(t, item.Value))
				found = true
			}
		}
		if !found {
			t.Fatalf("%s %s has no line %s", s.InstrumentID, s.Period(), code)
		}
	}
	return total
}

// adds are lines that others add up to, by template.
var adds = map[fundamentals.Template]map[string][]string{
	fundamentals.Industrial: {
		"1A": {"1AA", "1AB", "1AC", "1AF"}, "1BL": {"1A", "1AK"}, "2A": {"2AA", "2AAGAA"}, "2ODB": {"2A", "2B", "2N"}, "2N": {"2O", "2ODA"},
		"2O": {"2OA", "2OCE", "2OCF"}, "3D": {"3C", "3CA"}, "3DF": {"3D", "3DB"}, "3I": {"3DF", "3HC"}, "3L": {"3I", "3IA"}, "3Z": {"2OCF"},
		"4CBI": {"4C", "4CAK", "4CBE"},
	},
	fundamentals.Bank: {
		"B19": {"B10", "B11", "B12"}, "B29": {"B20", "B21", "B22"}, "B35": {"B30", "B31", "B32", "B33", "B34"}, "B37": {"B35", "B36"},
	},
	fundamentals.Insurer: {"S19": {"S10", "S11"}, "S29": {"S20", "S21"}, "S33": {"S30", "S31", "S32"}},
}

// statementsOf is everything that companies filed.
func statementsOf(t *testing.T, s *Simulation) []*fundamentals.Statement {
	t.Helper()
	var lines []byte
	for _, p := range s.series {
		if p.financials != nil {
			lines = p.financials.appendStatements(lines)
		}
	}
	return recordsOf[fundamentals.Statement](t, "statement", lines)
}

func TestStatementsAddUp(t *testing.T) {
	for _, at := range []string{"2026-03-18T12:00:00.250Z", "2026-05-05T12:00:00Z", "2027-01-02T09:00:00Z"} {
		now := value.MustInstant(at)
		newest, series := map[string]*fundamentals.Statement{}, map[string]int{}
		all := statementsOf(t, New(fixed(now)))
		for _, s := range all {
			for line, parts := range adds[s.Template] {
				if whole := sum(t, s, line); whole.Cmp(sum(t, s, parts...)) != 0 {
					t.Errorf("%s %s in %s: %s is not %v", s.InstrumentID, s.Period(), s.Currency, line, parts)
				}
			}
			if adjusted := s.FiscalYear >= 2024 &&
				s.InstrumentID.Market() == market.BIST; adjusted != (s.Basis == fundamentals.InflationAdjusted) {
				t.Errorf("%s %s is %s", s.InstrumentID, s.Period(), s.Basis)
			}
			if !s.FiledAt.After(s.EndDate.AddDays(1).TurkeyStart()) || !s.FiledAt.Before(now) {
				t.Errorf("%s %s was filed at %s", s.InstrumentID, s.Period(), s.FiledAt)
			}
			key := fmt.Sprint(s.InstrumentID, s.Currency)
			newest[key], series[key] = s, series[key]+1
		}
		if len(newest) != 61+8+8 { // in lira, in dollars, and of the US
			t.Errorf("%d series", len(newest))
		}
		for key, s := range newest {
			due := 42 // days after the next period: 40, or 70 of a whole year, and at most two of a weekend
			if s.FiscalMonth == 9 {
				due = 72
			}
			if next := s.EndDate.AddDays(1).AddMonths(3).AddDays(due); !value.TurkeyDay(now).Before(next) {
				t.Errorf("%s ends with %s", key, s.Period())
			}
			if n := series[key]; n < 13 || n > 17 {
				t.Errorf("%s: %d statements", key, n)
			}
		}
	}
}

func TestOneFilingIsRestated(t *testing.T) {
	filings := map[string][]*fundamentals.Statement{}
	for _, s := range statementsOf(t, New(fixed(session))) {
		key := fmt.Sprint(s.InstrumentID, s.Period(), s.Currency)
		filings[key] = append(filings[key], s)
	}
	restated := 0
	for key, all := range filings {
		if len(all) == 1 {
			continue
		}
		restated++
		if all[0].InstrumentID != Sample || len(all) != 2 || !all[0].FiledAt.Before(all[1].FiledAt) ||
			sum(t, all[0], "3Z").Cmp(sum(t, all[1], "3Z")) <= 0 {
			t.Errorf("%s has %d filings", key, len(all))
		}
	}
	if restated != 2 { // in lira and in dollars
		t.Errorf("%d periods are restated", restated)
	}
}

// parentProfit is the line with the profit of the parent.
var parentProfit = map[fundamentals.Template]string{fundamentals.Industrial: "3Z", fundamentals.Bank: "B38", fundamentals.Insurer: "S33"}

func TestMetricsFitPricesAndProfits(t *testing.T) {
	s := New(fixed(session))
	lines := recordsAt(session)
	closes := map[string]value.Decimal{}
	for _, b := range recordsOf[barLine](t, "bar", lines) {
		day := value.NewDate(b.T.Time().Add(12 * time.Hour).Date())
		closes[fmt.Sprint(b.InstrumentID, day)] = b.Close
	}
	earned := map[market.ID]*big.Rat{} // of the whole year that was filed last
	for _, f := range statementsOf(t, s) {
		if f.Period() == (fundamentals.Period{Year: 2025, Month: 12}) &&
			f.Currency == market.EquityMarket(f.InstrumentID.Market()).Currency() {
			earned[f.InstrumentID] = sum(t, f, parentProfit[f.Template])
		}
	}
	last := map[market.ID]*market.Observation{}
	for _, q := range quotesOf(t, lines) {
		last[q.InstrumentID] = q
	}
	days, stated, lossy := map[market.ID]int{}, 0, 0
	for _, m := range recordsOf[fundamentals.Metrics](t, "market_metrics", lines) {
		price, shares := closes[fmt.Sprint(m.InstrumentID, m.Date)], big.NewRat(s.financialsOf(m.InstrumentID).shares, 1)
		if days[m.InstrumentID]++; days[m.InstrumentID] == 1 { // the current one
			price = last[m.InstrumentID].Last
			if m.AsOf != last[m.InstrumentID].AsOf {
				t.Errorf("%s: as of %s", m.InstrumentID, m.AsOf)
			}
			profit := earned[m.InstrumentID]
			if m.PeRatio.Sign() == 0 != (profit.Sign() <= 0) {
				t.Errorf("%s: P/E %s of a profit of %s", m.InstrumentID, m.PeRatio, profit)
			} else if m.PeRatio.Sign() > 0 {
				off := new(big.Rat).Sub(number(t, m.PeRatio), new(big.Rat).Quo(number(t, m.MarketCap), profit))
				if off.Abs(off).Cmp(big.NewRat(1, 200)) > 0 {
					t.Errorf("%s: P/E %s of a profit of %s", m.InstrumentID, m.PeRatio, profit)
				}
			}
		}
		worth := shares.Mul(shares, number(t, price))
		if m.InstrumentID == splitShare && m.Date.Before(splitOn(exchange(s.days), session)) { // a tick is more there
			worth.Quo(worth, big.NewRat(splitNew, 1))
			off := new(big.Rat).Quo(number(t, m.MarketCap), worth)
			worth = number(t, m.MarketCap)
			if off.Cmp(big.NewRat(1, 1)) < 0 || off.Cmp(big.NewRat(1002, 1000)) > 0 {
				t.Errorf("%s on %s: %s at a price of %s before the split", m.InstrumentID, m.Date, m.MarketCap, price)
			}
		}
		if price.IsNull() || number(t, m.MarketCap).Cmp(worth) != 0 {
			t.Errorf("%s on %s: %s at a price of %s", m.InstrumentID, m.Date, m.MarketCap, price)
		}
		if m.PeRatio.Sign() == 0 {
			lossy++
		} else if stated++; number(t, m.PeRatio).Cmp(big.NewRat(3, 1)) < 0 || number(t, m.PeRatio).Cmp(big.NewRat(80, 1)) > 0 {
			t.Errorf("%s on %s: P/E %s", m.InstrumentID, m.Date, m.PeRatio)
		}
	}
	if len(days) != 61+8 || lossy == 0 || stated < 50*lossy/3 {
		t.Errorf("%d companies, P/E stated %d times and not %d times", len(days), stated, lossy)
	}
	for id, n := range days {
		if n < 245 {
			t.Errorf("%s: %d days", id, n)
		}
	}
}

func TestDividendsPastAndToCome(t *testing.T) {
	s := New(fixed(session))
	today := value.TurkeyDay(session)
	past, upcoming, parts := map[market.Market]int{}, map[market.Market]int{}, map[int]int{}
	for _, d := range recordsOf[fundamentals.DividendRecord](t, "dividend", s.appendDividends(nil)) {
		m := d.InstrumentID.Market()
		if d.ExDate.Before(today) {
			past[m]++
		} else {
			upcoming[m]++
		}
		parts[d.Number()]++
		if d.PaymentDate.Before(d.ExDate) || d.GrossPerShare.Sign() <= 0 || d.NetPerShare.IsNull() != (m == market.US) {
			t.Errorf("%+v", *d)
		}
		if !d.NetPerShare.IsNull() && d.NetPerShare.Cmp(d.GrossPerShare) >= 0 {
			t.Errorf("net of %+v", *d)
		}
		worth := last(t, s, d.InstrumentID)
		if yield := new(big.Rat).Quo(number(t, d.GrossPerShare), worth); yield.Cmp(big.NewRat(1, 1000)) < 0 ||
			yield.Cmp(big.NewRat(1, 8)) > 0 {
			t.Errorf("%s pays %s at a price of %s", d.InstrumentID, d.GrossPerShare, worth.FloatString(2))
		}
	}
	for _, m := range []market.Market{market.BIST, market.US} {
		if past[m] < 4 || upcoming[m] == 0 {
			t.Errorf("%s: %d past and %d upcoming ones", m, past[m], upcoming[m])
		}
	}
	if parts[1] == 0 || parts[1] != parts[2] || parts[0] == 0 {
		t.Errorf("installments: %v", parts)
	}
}

// last is the price of an instrument.
func last(t *testing.T, s *Simulation, id market.ID) *big.Rat {
	t.Helper()
	for _, p := range s.series {
		if p.InstrumentID == id {
			return number(t, p.observation().Last)
		}
	}
	t.Fatalf("%s is unknown", id)
	return nil
}

func TestIndexBarsOfAYear(t *testing.T) {
	bars := map[string][]*market.IndexBar{}
	lines := recordsAt(value.MustInstant("2026-03-18T23:30:00Z"))
	for _, b := range recordsOf[struct {
		Code string `json:"code"`
		market.IndexBar
	}](t, "index_bar", lines) {
		bars[b.Code] = append(bars[b.Code], &b.IndexBar)
	}
	if len(bars) != 3 {
		t.Errorf("bars of %d indices", len(bars))
	}
	for code, all := range bars {
		if newest := all[len(all)-1].Date; newest != value.MustDate("2026-03-18") || len(all) < 250 {
			t.Errorf("%s: %d bars, the newest of %s", code, len(all), newest)
		}
		for i, b := range all {
			if level := number(t, b.Close); level.Cmp(big.NewRat(8000, 1)) < 0 || level.Cmp(big.NewRat(12000, 1)) > 0 || i > 0 &&
				!all[i-1].Date.Before(b.Date) {
				t.Errorf("%s: %+v", code, *b)
			}
		}
	}
}

// The feed ends a day with the bars that nobody records, and goes on with the
// market metrics.
func TestFeedClosesTheDay(t *testing.T) {
	now := value.MustInstant("2026-03-18T14:40:00Z")
	s := New(func() value.Instant { return now })
	days, metrics, levels := map[market.ID]*barLine{}, map[market.ID]int{}, 0
	for end := value.MustInstant("2026-03-18T15:20:00Z"); now.Before(end); now = now.Add(time.Second) {
		lines := s.turn()
		for _, b := range recordsOf[barLine](t, "bar", lines) {
			if days[b.InstrumentID] != nil {
				t.Errorf("%s closes twice", b.InstrumentID)
			}
			days[b.InstrumentID] = b
		}
		for _, m := range recordsOf[fundamentals.Metrics](t, "market_metrics", lines) {
			metrics[m.InstrumentID]++
		}
		for _, b := range recordsOf[market.IndexBar](t, "index_bar", lines) {
			if levels++; b.Date != value.MustDate("2026-03-18") || len(days) < 61 {
				t.Errorf("%+v, when %d have closed", *b, len(days))
			}
		}
	}
	if levels != 3 {
		t.Errorf("%d indices have closed", levels)
	}
	for _, p := range s.series {
		if p.Market != market.BIST && p.Market != market.Fund {
			if days[p.InstrumentID] != nil {
				t.Errorf("%s has a bar of an open day", p.InstrumentID)
			}
			continue
		}
		b := days[p.InstrumentID]
		if b == nil || b.Close != p.observation().Last || b.T.String() != p.begins().UTC().Format(time.RFC3339) {
			t.Errorf("%s at %s closes with %+v", p.InstrumentID, p.observation().Last, b)
		}
		if n := metrics[p.InstrumentID]; p.financials != nil && (n < 1 || n > 9) {
			t.Errorf("%s has metrics %d times in 40 minutes", p.InstrumentID, n)
		}
	}
}
