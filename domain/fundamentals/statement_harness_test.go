package fundamentals_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// fixture is the service under test with statements, market metrics and rates,
// on a real store.
type fixture struct{ *dividendFixture }

// newAnalyst knows the companies of newPayer and the rates of the worked
// figures. Nothing was filed yet, and nothing is kept between two questions.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	a := &fixture{newDividendFixture(t)}
	a.Histories, a.Live, a.Lines = fundamentals.NewHistoryCache(a.db, 0, nil), fundamentals.NewLive(), fundamentals.ShippedLines()
	a.Market.FXMaxAge = time.Hour
	a.list(t, "fx:USDTRY", market.Pair)
	a.list(t, "fx:EURTRY", market.Pair)
	a.rate("fx:USDTRY", "2026-03-18T11:44:30Z", "41.25")
	a.rate("fx:EURTRY", "2026-03-18T11:44:20Z", "44.82")
	return a
}

// rate lets a pair be observed.
func (a *fixture) rate(id, asOf, last string) {
	a.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: market.ID(id), AsOf: value.MustInstant(asOf),
		Last: value.MustDecimal(last)}})
}

// files stores statements in one batch.
func (a *fixture) files(t rapid.TB, statements ...*fundamentals.Statement) []db.Outcome {
	t.Helper()
	b, out := new(db.Batch), make([]db.Outcome, len(statements))
	for i, s := range statements {
		db.Put(b, s, &out[i])
	}
	need.NoError(t, a.db.Store(context.Background(), b))
	return out
}

// hears stores what the distributor says, as "id date market_cap pe_ratio"; a
// figure may be -.
func (a *fixture) hears(t rapid.TB, rows ...string) {
	t.Helper()
	b := new(db.Batch)
	var all []*fundamentals.Metrics
	for _, row := range rows {
		f := strings.Fields(row)
		m := &fundamentals.Metrics{InstrumentID: market.ID(f[0]), Date: value.MustDate(f[1]), MarketCap: figure(f[2]),
			PeRatio: figure(f[3]), Source: new("distributor")}
		m.AsOf = value.MustInstant(f[1] + "T11:45:00Z")
		db.Put(b, m, new(db.Outcome))
		all = append(all, m)
	}
	need.NoError(t, a.db.Store(context.Background(), b))
	a.Live.PutMetrics(all)
}

// series are the statements of a company that the test is sure of.
func (a *fixture) series(t rapid.TB, id string, args fundamentals.FinancialsArgs) *fundamentals.Financials {
	t.Helper()
	ctx, _ := holder()
	f, err := a.Financials(ctx, id, args)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return f
}

// value is the valuation of a company that the test is sure of, unconverted or
// in a currency.
func (a *fixture) value(t rapid.TB, id string, currency ...market.Currency) *fundamentals.Valuation {
	t.Helper()
	ctx, _ := holder()
	var target *market.Currency
	if len(currency) > 0 {
		target = &currency[0]
	}
	v, err := a.Valuation(ctx, id, target)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return v
}

// figure is the Decimal of text; - is null.
func figure(text string) value.Decimal {
	if text == "-" {
		return value.Decimal{}
	}
	return value.MustDecimal(text)
}

// shown is a figure, - when it is null.
func shown(d value.Decimal) string {
	if d.IsNull() {
		return "-"
	}
	return d.String()
}

// or is text, - when there is none.
func or(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

// kinds are the lines that statements of the tests are made of: group, kind,
// and the role that the line names itself.
var kinds = map[string]struct {
	group fundamentals.Group
	kind  fundamentals.LineKind
	role  fundamentals.Role
}{
	"rev":      {fundamentals.IncomeStatement, fundamentals.Flow, fundamentals.Revenue},
	"fx_gain":  {fundamentals.IncomeStatement, fundamentals.Flow, ""},
	"profit":   {fundamentals.IncomeStatement, fundamentals.Flow, fundamentals.OperatingProfit},
	"np":       {fundamentals.IncomeStatement, fundamentals.Flow, fundamentals.NetProfitParent},
	"eps":      {fundamentals.IncomeStatement, fundamentals.PerShare, fundamentals.EPS},
	"da":       {fundamentals.CashFlow, fundamentals.Flow, fundamentals.DepreciationAndAmortisation},
	"cash":     {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.CashAndEquivalents},
	"invest":   {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.ShortTermFinancialInvestments},
	"ta":       {fundamentals.BalanceSheet, fundamentals.Stock, ""},
	"short":    {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.ShortTermFinancialDebt},
	"long":     {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.LongTermFinancialDebt},
	"leases":   {fundamentals.BalanceSheet, fundamentals.Stock, ""},
	"equity":   {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.TotalEquity},
	"parent":   {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.EquityParent},
	"minority": {fundamentals.BalanceSheet, fundamentals.Stock, fundamentals.MinorityInterest},
}

// item is a line of kinds, or one that kinds lacks: then it is a line of the
// balance sheet with this label and no role.
func item(code, value string) fundamentals.Item {
	k, ok := kinds[code]
	if !ok {
		return fundamentals.Item{Line: fundamentals.Line{Code: "X" + code, LabelTr: code, Group: fundamentals.BalanceSheet,
			Kind: fundamentals.Stock}, Value: figure(value)}
	}
	i := fundamentals.Item{Line: fundamentals.Line{Code: code, LabelTr: "Satır " + code, Group: k.group, Kind: k.kind},
		Value: figure(value)}
	if k.role != "" {
		i.Role = &k.role
	}
	return i
}

// filed is a statement in lira by the industrial template, written as
// "id year month"; each item as "code value", of which the value may be -.
// Basis and filing time are what they usually are.
func filed(heading string, items ...string) *fundamentals.Statement {
	s := new(fundamentals.Statement)
	var id string
	if _, err := fmt.Sscan(heading, &id, &s.FiscalYear, &s.FiscalMonth); err != nil {
		panic(err)
	}
	s.InstrumentID, s.Currency, s.Basis, s.Template = market.ID(id), "TRY", fundamentals.Nominal, fundamentals.Industrial
	if s.InstrumentID.Market() == market.US {
		s.Currency = "USD"
	} else if s.FiscalYear >= 2024 {
		s.Basis = fundamentals.InflationAdjusted
	}
	s.EndDate = value.NewDate(s.FiscalYear, time.Month(s.FiscalMonth)+1, 1).AddDays(-1)
	s.FiledAt = s.EndDate.AddDays(40).TurkeyStart()
	for _, text := range items {
		at := strings.LastIndexByte(text, ' ')
		s.Items = append(s.Items, item(text[:at], text[at+1:]))
	}
	return s
}

// with is a statement after changes.
func with(s *fundamentals.Statement, changes ...func(*fundamentals.Statement)) *fundamentals.Statement {
	for _, change := range changes {
		change(s)
	}
	return s
}

// Changes of a statement.
func in(currency string) func(*fundamentals.Statement) {
	return func(s *fundamentals.Statement) { s.Currency = currency }
}

func by(template fundamentals.Template) func(*fundamentals.Statement) {
	return func(s *fundamentals.Statement) { s.Template = template }
}

func at(filedAt string) func(*fundamentals.Statement) {
	return func(s *fundamentals.Statement) { s.FiledAt = value.MustInstant(filedAt) }
}

func on(basis fundamentals.AccountingBasis) func(*fundamentals.Statement) {
	return func(s *fundamentals.Statement) { s.Basis = basis }
}

// worked are the filings of the worked figures: cumulative, in lira.
func worked() []*fundamentals.Statement {
	const table = `
		2022 3 800000000 60000000 5100000000 0.30
		2022 6 1750000000 150000000 5400000000 0.75
		2022 9 2900000000 265000000 5750000000 1.33
		2022 12 4200000000 410000000 6200000000 2.05
		2023 3 1250000000 95000000 6900000000 0.48
		2023 6 2980000000 240500000 7800000000 1.20
		2023 9 5105500000 200250000 8650000000 1.00
		2023 12 7640250000.75 385750000 9900000000 1.93
		2024 3 3100000000 110000000 14200000000 0.55
		2024 6 6750000000 180000000 15100000000 0.90
		2024 9 10900000000 130000000 16400000000 0.65
		2024 12 16400000000 295000000 18050000000 1.48
		2025 3 4000000000 90000000 19000000000 0.45
		2025 6 8600000000 260000000 20300000000 1.30
		2025 9 13700000000 420000000 21800000000 2.10
		2025 12 21000000000 640000000 24000000000 3.20`
	var all []*fundamentals.Statement
	for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
		f := strings.Fields(row)
		all = append(all, filed("bist:DMOST "+f[0]+" "+f[1], "rev "+f[2], "np "+f[3], "ta "+f[4], "eps "+f[5]))
	}
	return all
}

// periods are periods in one line each: name, items, formula, sources, reason.
func periods(f *fundamentals.Financials) []string {
	lines := []string{}
	for _, p := range f.Periods {
		lines = append(lines, period(p))
	}
	return lines
}

func period(p *fundamentals.FinancialPeriod) string {
	words := []string{fmt.Sprint(p.FiscalPeriod, " ", p.FiscalYear, ":")}
	for _, i := range p.Items {
		words = append(words, i.Code+"="+shown(i.Value))
	}
	if len(p.Items) == 0 {
		words = append(words, "empty")
	}
	return strings.Join(words, " ") + " | " + or(p.Formula) + " | " + strings.Join(p.SourcePeriods, " ") + " | " + or(p.NullReason)
}

// metric is a metric in one line: its figure or reason, its source, its inputs,
// its note.
func metric(m *fundamentals.Metric) string {
	text := shown(m.Value)
	if m.NullReason != nil {
		text = "!" + *m.NullReason
		if !m.Value.IsNull() {
			text += " and " + m.Value.String()
		}
	}
	text += " | " + or(m.SourcePeriod) + " " + m.PeriodEnd.String() + " |"
	for _, i := range m.Inputs {
		text += " " + i.Name + "=" + shown(i.Value)
	}
	return text + " | " + or(m.Note)
}

// answer is the figure of a metric, or ! and its reason.
func answer(m *fundamentals.Metric) string {
	text, _, _ := strings.Cut(metric(m), " | ")
	return text
}
