package fundamentals_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// statementStore is a store of statements in memory.
type statementStore map[fundamentals.HistoryKey][]*fundamentals.Filed

// Statements implements fundamentals.StatementStore.
func (s statementStore) Statements(_ context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	all := map[fundamentals.HistoryKey][]*fundamentals.Filed{}
	for _, k := range keys {
		all[k] = s[k]
	}
	return all, 0, nil
}

// shelve are statements as a store keeps them: of those with one period and
// filing time, the last.
func shelve(statements ...*fundamentals.Statement) statementStore {
	s := statementStore{}
	for _, one := range statements {
		k := fundamentals.HistoryKey{Company: one.InstrumentID, Currency: one.Currency}
		f := &fundamentals.Filed{Heading: one.Heading, Layout: fundamentals.NewLayout(one.Lines()), Figures: one.Figures()}
		s[k] = append(slices.DeleteFunc(s[k], func(g *fundamentals.Filed) bool {
			return g.Period() == f.Period() && g.FiledAt == f.FiledAt && g.Consolidation == f.Consolidation
		}), f)
	}
	return s
}

// reads lets the fixture read from another store of statements.
func (a *fixture) reads(s fundamentals.StatementStore) {
	a.Histories = fundamentals.NewHistoryCache(s, 0, nil)
}

// decimals are figures of up to 100 characters.
var decimals = rapid.Custom(func(t *rapid.T) value.Decimal {
	switch rapid.IntRange(0, 9).Draw(t, "size") {
	case 0:
		return value.MustDecimal("0")
	case 1:
		return value.MustDecimal("0.00")
	case 2: // as long as a figure may be
		digits := strings.Repeat("9", rapid.IntRange(1, 49).Draw(t, "whole"))
		return value.MustDecimal("-" + digits + "." + strings.Repeat("0", rapid.IntRange(0, 48).Draw(t, "zeros")) + "1")
	}
	text := fmt.Sprint(rapid.IntRange(-2_000_000, 2_000_000).Filter(func(n int) bool { return n != 0 }).Draw(t, "units"))
	if rapid.Bool().Draw(t, "fraction") {
		text += "." + rapid.StringMatching(`[0-9]{0,3}[05]0?`).Draw(t, "digits")
	}
	return value.MustDecimal(text)
})

// anyStatement is a filing of bist:DMOST of any kind, mostly of the usual one.
func anyStatement(id market.ID, currency string) *rapid.Generator[*fundamentals.Statement] {
	seldom := func(t *rapid.T, what string) bool { return rapid.IntRange(0, 11).Draw(t, what) == 0 }
	codes := slices.Sorted(maps.Keys(kinds))
	return rapid.Custom(func(t *rapid.T) *fundamentals.Statement {
		s := filed(fmt.Sprint(id, " ", rapid.IntRange(2022, 2025).Draw(t, "year"), " ", 3*rapid.IntRange(1, 4).Draw(t, "quarter")))
		s.Currency = currency
		s.FiledAt = s.FiledAt.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "filed")) * time.Hour)
		if seldom(t, "other template") {
			s.Template = rapid.SampledFrom([]fundamentals.Template{fundamentals.Bank, fundamentals.Insurer}).Draw(t, "template")
		}
		if seldom(t, "other basis") {
			s.Basis = rapid.SampledFrom([]fundamentals.AccountingBasis{fundamentals.Nominal,
				fundamentals.InflationAdjusted}).Draw(t, "basis")
		}
		for _, code := range rapid.Permutation(codes).Draw(t, "lines") {
			if seldom(t, "hole") {
				continue
			}
			i := item(code, "-")
			if !seldom(t, "null") {
				i.Value = decimals.Draw(t, "value")
			}
			if seldom(t, "other kind") {
				i.Kind = rapid.SampledFrom([]fundamentals.LineKind{fundamentals.Flow, fundamentals.Stock,
					fundamentals.PerShare}).Draw(t, "kind")
			}
			if seldom(t, "other role") {
				i.Role = rapid.Ptr(rapid.SampledFrom([]fundamentals.Role{fundamentals.OperatingProfit, fundamentals.NetProfitParent,
					fundamentals.EquityParent}), true).Draw(t, "role")
			}
			if i.Group == fundamentals.BalanceSheet && seldom(t, "labelled") {
				i.LabelTr = rapid.SampledFrom([]string{"ÖZKAYNAKLAR", "Azınlık Payları", "ana ortaklığa ait özkaynaklar"}).Draw(t, "label")
			}
			s.Items = append(s.Items, i)
		}
		return s
	})
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// summand is a filing that a derived period is made of, by the wording of the
// rule.
type summand struct {
	year, month int
	factor      int64
}

// recipe is what the rule makes a period of.
func recipe(t fundamentals.Timeframe, year, month int) []summand {
	switch {
	case month == 12 && t == fundamentals.TTM, month == 3 && t == fundamentals.QuarterlyStandalone:
		return []summand{{year, month, 1}}
	case t == fundamentals.QuarterlyStandalone:
		return []summand{{year, month, 1}, {year, month - 3, -1}}
	}
	return []summand{{year - 1, 12, 1}, {year, month, 1}, {year - 1, month, -1}}
}

// money is the money that filings of a year count in, by the wording of the rule: where the
// year says it, and where the basis does.
func money(year, month int, basis fundamentals.AccountingBasis) (byYear, byBasis string) {
	byYear, byBasis = "nominal", "nominal"
	if year >= 2024 {
		byYear = fmt.Sprint(month == 12, year)
	}
	if basis != fundamentals.Nominal {
		byBasis = fmt.Sprint(month == 12, year)
	}
	return byYear, byBasis
}

// standing are the latest filings by period.
func standing(all []*fundamentals.Statement) map[[2]int]*fundamentals.Statement {
	known := map[[2]int]*fundamentals.Statement{}
	for _, s := range all {
		at := [2]int{s.FiscalYear, s.FiscalMonth}
		if old := known[at]; old == nil || !s.FiledAt.Before(old.FiledAt) {
			known[at] = s
		}
	}
	return known
}

// lineOf is a line of a statement.
func lineOf(s *fundamentals.Statement, code string) (fundamentals.Item, bool) {
	i := slices.IndexFunc(s.Items, func(i fundamentals.Item) bool { return i.Code == code })
	if i < 0 {
		return fundamentals.Item{}, false
	}
	return s.Items[i], true
}

// checkDerived checks every derived period of filings against the wording of
// the rule: reasons, sources, and each line.
func checkDerived(t rapid.TB, f *fundamentals.Financials, all []*fundamentals.Statement) {
	known := standing(all)
	if len(f.Periods) != len(known) || f.Count != len(known) {
		t.Fatalf("%d periods of %d filings", f.Count, len(known))
	}
	for _, p := range f.Periods {
		var quarter int
		if _, err := fmt.Sscanf(p.FiscalPeriod, "Q%d", &quarter); err != nil {
			t.Fatalf("%s: %v", p.FiscalPeriod, err)
		}
		name := fmt.Sprint(f.Timeframe, " ", p.FiscalPeriod, " ", p.FiscalYear)
		terms := recipe(f.Timeframe, p.FiscalYear, 3*quarter)
		newest := known[[2]int{p.FiscalYear, 3 * quarter}]
		var inputs []*fundamentals.Statement
		hole := false
		years, units, bases, templates := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, term := range terms {
			s := known[[2]int{term.year, term.month}]
			if inputs = append(inputs, s); s == nil {
				hole = true
				continue
			}
			byYear, byBasis := money(term.year, term.month, s.Basis)
			years[byYear], units[byBasis], bases[string(s.Basis)], templates[string(s.Template)] = true, true, true, true
		}
		want := ""
		switch {
		case hole:
			want = "missing_input_period"
		case len(years) > 1 && bases["inflation_adjusted"]:
			want = "measuring_unit_mismatch"
		case len(bases) > 1:
			want = "accounting_basis_mismatch"
		case len(units) > 1:
			want = "measuring_unit_mismatch"
		case len(templates) > 1:
			want = "template_mismatch"
		}
		if got := strings.TrimPrefix(or(p.NullReason), "-"); got != want {
			t.Fatalf("%s: reason %q, want %q", name, got, want)
		}
		sources := len(slices.DeleteFunc(slices.Clone(inputs), func(s *fundamentals.Statement) bool { return s == nil }))
		if p.Formula == nil || len(p.SourcePeriods) != sources || p.EndDate != newest.EndDate || p.Basis != newest.Basis {
			t.Fatalf("%s: %+v", name, *p)
		}
		if want != "" {
			if len(p.Items) > 0 {
				t.Fatalf("%s: %s and %d items", name, want, len(p.Items))
			}
			continue
		}
		checkItems(t, name, p, terms, inputs, newest)
	}
}

// checkItems checks the lines of a derived period.
func checkItems(t rapid.TB, name string, p *fundamentals.FinancialPeriod, terms []summand, inputs []*fundamentals.Statement,
	newest *fundamentals.Statement) {
	expected := map[string]bool{} // codes
	for _, i := range newest.Items {
		expected[i.Code] = i.Kind != fundamentals.PerShare
	}
	for _, s := range inputs {
		for _, i := range s.Items {
			if _, known := expected[i.Code]; !known && i.Kind == fundamentals.Flow {
				expected[i.Code] = true
			}
		}
	}
	shown := map[string]bool{}
	for _, got := range p.Items {
		if shown[got.Code] || !expected[got.Code] {
			t.Fatalf("%s: line %s stands there twice or should not", name, got.Code)
		}
		shown[got.Code] = true
		line, ok := lineOf(newest, got.Code)
		if ok && line.Kind == fundamentals.Stock {
			if got.Value != line.Value {
				t.Fatalf("%s: %s is %q, and %q stands in the balance sheet", name, got.Code, got.Value, line.Value)
			}
			continue
		}
		sum, stated := new(big.Rat), true
		for n, s := range inputs {
			i, ok := lineOf(s, got.Code)
			if !ok || i.Kind != fundamentals.Flow || i.Value.IsNull() {
				stated = false
				break
			}
			sum.Add(sum, new(big.Rat).Mul(valuetest.Rational(i.Value.String()), big.NewRat(terms[n].factor, 1)))
		}
		if stated == got.Value.IsNull() {
			t.Fatalf("%s: %s is %q; every input states it: %v", name, got.Code, got.Value, stated)
		}
		if !stated {
			continue
		}
		if valuetest.Rational(got.Value.String()).Cmp(sum) != 0 || !plainNumber.MatchString(got.Value.String()) {
			t.Fatalf("%s: %s is %q, want %s", name, got.Code, got.Value, sum.RatString())
		}
		if _, fraction, ok := strings.Cut(got.Value.String(), "."); ok && len(terms) > 1 && strings.HasSuffix(fraction, "0") {
			t.Fatalf("%s: %s is computed and is %q", name, got.Code, got.Value)
		}
	}
	for code, there := range expected {
		if there != shown[code] {
			t.Fatalf("%s: line %s: %v, want %v", name, code, shown[code], there)
		}
	}
	groups := slices.Concat(p.IncomeStatement, p.BalanceSheet, p.CashFlow)
	if len(groups) != len(p.Items) {
		t.Fatalf("%s: %d lines in groups of %d", name, len(groups), len(p.Items))
	}
}

// checkYears checks that the quarters of a nominal year add up to it.
func checkYears(t rapid.TB, quarters *fundamentals.Financials, all []*fundamentals.Statement) (sums int) {
	known := standing(all)
	derived := map[string]map[string]value.Decimal{}
	for _, p := range quarters.Periods {
		lines := map[string]value.Decimal{}
		for _, i := range p.Items {
			lines[i.Code] = i.Value
		}
		derived[fmt.Sprint(p.FiscalPeriod, " ", p.FiscalYear)] = lines
	}
	for at, annual := range known {
		if at[0] >= 2024 || at[1] != 12 {
			continue
		}
		for _, i := range annual.Items {
			sum, four := new(big.Rat), i.Kind == fundamentals.Flow && !i.Value.IsNull()
			for q := 1; q <= 4 && four; q++ {
				part := derived[fmt.Sprint("Q", q, " ", at[0])][i.Code]
				if four = !part.IsNull(); four {
					sum.Add(sum, valuetest.Rational(part.String()))
				}
				// A quarter takes its line from filings that state a flow only.
				if s := known[[2]int{at[0], 3 * q}]; four {
					line, _ := lineOf(s, i.Code)
					four = line.Kind == fundamentals.Flow
				}
			}
			if !four {
				continue
			}
			sums++
			if sum.Cmp(valuetest.Rational(i.Value.String())) != 0 {
				t.Fatalf("%d %s: the quarters are %s, the year %s", at[0], i.Code, sum.RatString(), i.Value)
			}
		}
	}
	return sums
}

// derive is what holds for the derived periods of any filings.
func derive(a *fixture) func(*rapid.T) {
	return func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"TRY", "USD"}).Draw(t, "currency")
		all := rapid.SliceOfN(anyStatement("bist:DMOST", currency), 0, 24).Draw(t, "filings")
		a.reads(shelve(all...))
		args := asked(fundamentals.QuarterlyStandalone)
		args.Currency = new(market.Currency(currency))
		quarters := a.series(t, "bist:DMOST", args)
		checkDerived(t, quarters, all)
		checkYears(t, quarters, all)
		args.Timeframe = new(fundamentals.TTM)
		checkDerived(t, a.series(t, "bist:DMOST", args), all)
		// The shorter series is the beginning of the longer one.
		args.Limit = new(rapid.IntRange(1, 5).Draw(t, "limit"))
		whole := a.series(t, "bist:DMOST", limited(args, 100))
		if got, want := periods(a.series(t, "bist:DMOST", args)), periods(whole); !slices.Equal(got, want[:min(*args.Limit, len(want))]) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
}

func limited(args fundamentals.FinancialsArgs, limit int) fundamentals.FinancialsArgs {
	args.Limit = &limit
	return args
}

func TestAnyDerivedPeriod(t *testing.T) { rapid.Check(t, derive(newFixture(t))) }

// FuzzDerive lets the fuzzer choose the filings.
func FuzzDerive(f *testing.F) {
	a := newFixture(f)
	f.Add([]byte("filings"))
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		derive(a)(t)
		anyValuation(a)(t)
	}))
}

// Whatever the order in which filings arrive, the answers are the same.
func TestFilingsInAnyOrder(t *testing.T) {
	a := newFixture(t)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(anyStatement("bist:DMOST", "TRY"), 1, 16, func(s *fundamentals.Statement) string {
			return s.Period().String() + s.FiledAt.String()
		}).Draw(t, "filings")
		answers := func(order []*fundamentals.Statement) string {
			a.reads(shelve(order...))
			var lines []string
			for _, timeframe := range []fundamentals.Timeframe{fundamentals.Annual, fundamentals.Quarterly,
				fundamentals.QuarterlyStandalone, fundamentals.TTM} {
				args := asked(timeframe)
				lines = append(lines, periods(a.series(t, "bist:DMOST", args))...)
				args.Basis = new(fundamentals.AsReported)
				lines = append(lines, periods(a.series(t, "bist:DMOST", args))...)
			}
			return strings.Join(append(lines, metrics(a.value(t, "bist:DMOST"))...), "\n")
		}
		want := answers(all)
		if got := answers(rapid.Permutation(all).Draw(t, "order")); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// metrics are the metrics of a valuation in one line each.
func metrics(v *fundamentals.Valuation) []string {
	lines := []string{fmt.Sprintf("market cap %s billions %s category %s reason %s",
		shown(v.MarketCap.Value), shown(v.MarketCap.Billions), or(v.MarketCap.Category), or(v.MarketCap.NullReason))}
	for name, m := range named(v) {
		lines = append(lines, name+" "+metric(m))
	}
	slices.Sort(lines)
	return lines
}

// named are the nine metrics of a valuation.
func named(v *fundamentals.Valuation) map[string]*fundamentals.Metric {
	return map[string]*fundamentals.Metric{
		"pe_ratio": v.PeRatio, "pb_ratio": v.PbRatio, "ebitda": v.EBITDA, "net_debt": v.NetDebt, "ev": v.EV, "ebitda_ttm": v.EBITDATTM,
		"ev_ebitda": v.EVEBITDA, "eps_growth_pct": v.EPSGrowthPct, "peg": v.PEG,
	}
}

// value is what holds for the valuation of any filings and market metrics.
func anyValuation(a *fixture) func(*rapid.T) {
	return func(t *rapid.T) {
		id := rapid.SampledFrom([]market.ID{"bist:DMOST", "us:DMAP"}).Draw(t, "id")
		currency := map[market.ID]string{"bist:DMOST": "TRY", "us:DMAP": "USD"}[id]
		all := rapid.SliceOfN(anyStatement(id, currency), 1, 12).Draw(t, "filings")
		a.reads(shelve(all...))
		a.Live = fundamentals.NewLive()
		if rapid.Bool().Draw(t, "listed") {
			m := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-18"), PeRatio: decimals.Draw(t, "pe")}
			if worth := decimals.Draw(t, "market cap"); worth.Sign() >= 0 {
				m.MarketCap = worth
			}
			a.Live.PutMetrics([]*fundamentals.Metrics{m})
		}
		v := a.value(t, string(id))
		checkMetrics(t, v)
		converted := a.value(t, string(id), rapid.SampledFrom([]market.Currency{"TRY", "USD", "EUR"}).Draw(t, "target"))
		checkMetrics(t, converted)
		checkConverted(t, v, converted)
	}
}

// checkMetrics checks that every metric has a figure or a reason, and not both,
// and that figures are numbers.
func checkMetrics(t rapid.TB, v *fundamentals.Valuation) {
	for name, m := range named(v) {
		if (m.NullReason == nil) == m.Value.IsNull() || m.Inputs == nil {
			t.Fatalf("%s: %s", name, metric(m))
		}
		if !m.Value.IsNull() && !plainNumber.MatchString(m.Value.String()) {
			t.Fatalf("%s: %s", name, metric(m))
		}
		if (m.SourcePeriod == nil) != m.PeriodEnd.IsNull() {
			t.Fatalf("%s: %s", name, metric(m))
		}
		for _, i := range m.Inputs {
			if m.NullReason == nil && i.Value.IsNull() {
				t.Fatalf("%s: %s", name, metric(m))
			}
		}
	}
	if c := v.MarketCap; (c.NullReason == nil) == c.Value.IsNull() || c.Billions.IsNull() != c.Value.IsNull() ||
		(c.Category == nil) != (c.Value.IsNull() || v.Market == market.EquityUS) {
		t.Fatalf("market cap: %+v", *c)
	}
}

// checkConverted checks that only money is converted.
func checkConverted(t rapid.TB, v, converted *fundamentals.Valuation) {
	if converted.FxRate.IsNull() {
		if !slices.Equal(metrics(v), metrics(converted)) || !converted.FxAsOf.IsNull() || converted.Currency != v.Currency {
			t.Fatalf("got\n%q\nwant\n%q", metrics(converted), metrics(v))
		}
		return
	}
	rate := market.Rate{Factor: converted.FxRate}
	before, after := named(v), named(converted)
	for name, m := range before {
		want := m.Value
		if slices.Contains([]string{"ebitda", "net_debt", "ev", "ebitda_ttm"}, name) {
			want = rate.Amount(m.Value)
		}
		if got := after[name]; got.Value != want || or(got.NullReason) != or(m.NullReason) || or(got.SourcePeriod) != or(m.SourcePeriod) ||
			len(got.Inputs) != len(m.Inputs) {
			t.Fatalf("%s: %s, of %s", name, metric(got), metric(m))
		}
		for i, in := range m.Inputs {
			want := rate.Amount(in.Value)
			if in.Name == "pe_ratio" || in.Name == "eps_growth_pct" {
				want = in.Value
			}
			if got := after[name].Inputs[i]; got.Name != in.Name || got.Value != want {
				t.Fatalf("%s: %s, of %s", name, metric(after[name]), metric(m))
			}
		}
	}
	if c := converted.MarketCap; or(c.Category) != or(v.MarketCap.Category) || c.Value != rate.Amount(v.MarketCap.Value) {
		t.Fatalf("market cap: %+v", *c)
	}
}

func TestAnyValuation(t *testing.T) { rapid.Check(t, anyValuation(newFixture(t))) }
