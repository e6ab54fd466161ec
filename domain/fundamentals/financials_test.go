package fundamentals_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// asked are arguments from a timeframe.
func asked(t fundamentals.Timeframe) fundamentals.FinancialsArgs {
	return fundamentals.FinancialsArgs{Timeframe: &t, Limit: new(100)}
}

// found is the period of a series that has this name, such as "Q2 2023", and
// its lines without "ta" and "eps" unless they are asked about.
func found(t *testing.T, f *fundamentals.Financials, name string, hidden ...string) string {
	t.Helper()
	for _, p := range f.Periods {
		if fmt.Sprint(p.FiscalPeriod, " ", p.FiscalYear) != name {
			continue
		}
		p.Items = slices.DeleteFunc(p.Items, func(i fundamentals.StatementItem) bool { return slices.Contains(hidden, i.Code) })
		_, line, _ := strings.Cut(period(p), ": ")
		return line
	}
	return "absent"
}

// V-01 to V-04, V-06 to V-23. Those of flows hide the total assets, which every
// derived period states besides.
func TestDerivedPeriods(t *testing.T) {
	const standalone, ttm = fundamentals.QuarterlyStandalone, fundamentals.TTM
	const roll = "FY[prior] + YTD - YTD[prior]"
	without := func(period string) func([]*fundamentals.Statement) []*fundamentals.Statement {
		return func(all []*fundamentals.Statement) []*fundamentals.Statement {
			return slices.DeleteFunc(all, func(s *fundamentals.Statement) bool { return s.Period().String() == period })
		}
	}
	changed := func(period string, change func(*fundamentals.Statement)) func([]*fundamentals.Statement) []*fundamentals.Statement {
		return func(all []*fundamentals.Statement) []*fundamentals.Statement {
			for _, s := range all {
				if strings.HasPrefix(s.Period().String(), period) {
					change(s)
				}
			}
			return all
		}
	}
	more := func(code, value string) func(*fundamentals.Statement) {
		return func(s *fundamentals.Statement) { s.Items = append(s.Items, item(code, value)) }
	}
	a := newFixture(t)
	for _, c := range []struct {
		name      string
		timeframe fundamentals.Timeframe
		period    string
		edit      func([]*fundamentals.Statement) []*fundamentals.Statement
		show      string // a line besides the flows
		want      string
	}{
		{"V-01", standalone, "Q1 2023", nil, "", "rev=1250000000 np=95000000 | 3M | quarterly#2023-03 | -"},
		{"V-02", standalone, "Q2 2023", nil, "", "rev=1730000000 np=145500000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-03", standalone, "Q3 2023", nil, "", "rev=2125500000 np=-40250000 | 9M - 6M | quarterly#2023-09 quarterly#2023-06 | -"},
		{"V-04", standalone, "Q4 2023", nil, "", "rev=2534750000.75 np=185500000 | FY - 9M | quarterly#2023-12 quarterly#2023-09 | -"},
		{"V-06", ttm, "Q2 2023", nil, "", "rev=5430000000 np=500500000 | " + roll +
			" | annual#2022-12 quarterly#2023-06 quarterly#2022-06 | -"},
		{"V-07", ttm, "Q3 2023", nil, "", "rev=6405500000 np=345250000 | " + roll +
			" | annual#2022-12 quarterly#2023-09 quarterly#2022-09 | -"},
		{"V-08", ttm, "Q4 2023", nil, "", "rev=7640250000.75 np=385750000 | FY | annual#2023-12 | -"},
		{"V-08 without the year before", ttm, "Q4 2023", without("2022-12"), "",
			"rev=7640250000.75 np=385750000 | FY | annual#2023-12 | -"},
		{"V-09", standalone, "Q1 2024", nil, "", "rev=3100000000 np=110000000 | 3M | quarterly#2024-03 | -"},
		{"V-10", standalone, "Q2 2024", nil, "", "rev=3650000000 np=70000000 | 6M - 3M | quarterly#2024-06 quarterly#2024-03 | -"},
		{"V-11", standalone, "Q3 2024", nil, "", "rev=4150000000 np=-50000000 | 9M - 6M | quarterly#2024-09 quarterly#2024-06 | -"},
		{"V-12", standalone, "Q4 2024", nil, "ta", "empty | FY - 9M | quarterly#2024-12 quarterly#2024-09 | measuring_unit_mismatch"},
		{"V-13", ttm, "Q3 2024", nil, "ta", "empty | " + roll +
			" | annual#2023-12 quarterly#2024-09 quarterly#2023-09 | measuring_unit_mismatch"},
		{"V-14", ttm, "Q4 2024", nil, "", "rev=16400000000 np=295000000 | FY | annual#2024-12 | -"},
		{"V-15", ttm, "Q1 2025", nil, "ta", "empty | " + roll +
			" | annual#2024-12 quarterly#2025-03 quarterly#2024-03 | measuring_unit_mismatch"},
		{"V-16", standalone, "Q2 2023", without("2023-03"), "ta", "empty | 6M - 3M | quarterly#2023-06 | missing_input_period"},
		{"V-16, the quarter that was not filed", standalone, "Q1 2023", without("2023-03"), "", "absent"},
		{"V-17", ttm, "Q2 2023", without("2022-06"), "ta", "empty | " + roll +
			" | annual#2022-12 quarterly#2023-06 | missing_input_period"},
		{"V-18", ttm, "Q2 2023", changed("2023", by(fundamentals.Bank)), "ta", "empty | " + roll +
			" | annual#2022-12 quarterly#2023-06 quarterly#2022-06 | template_mismatch"},
		{"V-18, by itself", standalone, "Q2 2023", changed("2023", by(fundamentals.Bank)), "",
			"rev=1730000000 np=145500000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-19", standalone, "Q2 2023", changed("2023-03", on(fundamentals.InflationAdjusted)), "ta",
			"empty | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | accounting_basis_mismatch"},
		{"G-11, basis before template", standalone, "Q2 2023", changed("2023-03", func(s *fundamentals.Statement) {
			s.Basis, s.Template = fundamentals.InflationAdjusted, fundamentals.Bank
		}), "ta", "empty | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | accounting_basis_mismatch"},
		{"G-11, a hole before anything", ttm, "Q3 2024", without("2023-12"), "ta", "empty | " + roll +
			" | quarterly#2024-09 quarterly#2023-09 | missing_input_period"},
		{"V-20", standalone, "Q2 2023", nil, "ta",
			"rev=1730000000 np=145500000 ta=7800000000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-20, twelve months", ttm, "Q2 2023", nil, "ta", "rev=5430000000 np=500500000 ta=7800000000 | " + roll +
			" | annual#2022-12 quarterly#2023-06 quarterly#2022-06 | -"},
		{"V-21", standalone, "Q2 2023", nil, "eps", "rev=1730000000 np=145500000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-22", standalone, "Q2 2023", changed("2023-06", more("fx_gain", "12000000")), "",
			"rev=1730000000 np=145500000 fx_gain=- | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-22, in the older input only", standalone, "Q2 2023", changed("2023-03", more("fx_gain", "12000000")), "",
			"rev=1730000000 np=145500000 fx_gain=- | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"V-22, without a value", standalone, "Q2 2023", changed("2023-0", func(s *fundamentals.Statement) {
			s.Items = append(s.Items, item("fx_gain", map[int]string{3: "-", 6: "12000000", 9: "15000000"}[s.FiscalMonth]))
		}), "", "rev=1730000000 np=145500000 fx_gain=- | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"a zero is a figure", standalone, "Q2 2023", changed("2023-0", more("fx_gain", "0")), "",
			"rev=1730000000 np=145500000 fx_gain=0 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"a line that is a flow in one filing only", standalone, "Q2 2023", changed("2023-03", func(s *fundamentals.Statement) {
			s.Items[0].Kind, s.Items[0].Group = fundamentals.Stock, fundamentals.BalanceSheet
		}), "", "rev=- np=145500000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
		{"what is taken over keeps its digits", standalone, "Q1 2023",
			changed("2023-03", func(s *fundamentals.Statement) { s.Items[0].Value = figure("1250000000.50") }), "",
			"rev=1250000000.50 np=95000000 | 3M | quarterly#2023-03 | -"},
		{"what is computed has no closing zeros", standalone, "Q2 2023",
			changed("2023-03", func(s *fundamentals.Statement) { s.Items[0].Value = figure("1250000000.50") }), "",
			"rev=1729999999.5 np=145500000 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := worked()
			if c.edit != nil {
				all = c.edit(all)
			}
			a.reads(shelve(all...))
			hidden := slices.DeleteFunc([]string{"ta", "eps"}, func(code string) bool { return code == c.show })
			if got := found(t, a.series(t, "bist:DMOST", asked(c.timeframe)), c.period, hidden...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// V-05.
func TestQuartersAddUpToTheYear(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	for _, year := range []int{2022, 2023} {
		sums := map[string]value.Decimal{"rev": figure("0"), "np": figure("0")}
		for _, p := range a.series(t, "bist:DMOST", asked(fundamentals.QuarterlyStandalone)).Periods {
			for _, i := range p.Items {
				if sum, ok := sums[i.Code]; ok && p.FiscalYear == year {
					sums[i.Code] = sum.Plus(i.Value)
				}
			}
		}
		want := map[int]string{2022: "4200000000 410000000", 2023: "7640250000.75 385750000"}[year]
		if got := sums["rev"].String() + " " + sums["np"].String(); got != want {
			t.Errorf("%d: %s, want %s", year, got, want)
		}
	}
}

// V-23, FS-05, FS-29: the series in dollars is derived from its own filings.
func TestDerivedInDollars(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	a.files(t, with(filed("bist:DMOST 2023 3", "rev 66250000.1"), in("USD")),
		with(filed("bist:DMOST 2023 6", "rev 141900000.35"), in("USD")),
		with(filed("bist:DMOST 2024 9", "rev 3"), in("USD")), with(filed("bist:DMOST 2024 12", "rev 4"), in("USD")))
	args := asked(fundamentals.QuarterlyStandalone)
	args.Currency = new(market.USD)
	f := a.series(t, "bist:DMOST", args)
	want := []string{
		"Q4 2024: empty | FY - 9M | quarterly#2024-12 quarterly#2024-09 | measuring_unit_mismatch",
		"Q3 2024: empty | 9M - 6M | quarterly#2024-09 | missing_input_period",
		"Q2 2023: rev=75650000.25 | 6M - 3M | quarterly#2023-06 quarterly#2023-03 | -",
		"Q1 2023: rev=66250000.1 | 3M | quarterly#2023-03 | -",
	}
	if got := periods(f); !slices.Equal(got, want) || f.Currency != "USD" {
		t.Errorf("in %s\ngot  %q\nwant %q", f.Currency, got, want)
	}
}

// FS-15 and FS-16 for every period of the worked filings.
func TestWhichPeriodsAreDerived(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	const unit, hole = fundamentals.MeasuringUnitMismatch, fundamentals.MissingInputPeriod
	for timeframe, want := range map[fundamentals.Timeframe]map[string]string{
		fundamentals.QuarterlyStandalone: {"Q4 2024": unit, "Q4 2025": unit},
		fundamentals.TTM: {"Q1 2022": hole, "Q2 2022": hole, "Q3 2022": hole, "Q1 2024": unit, "Q2 2024": unit,
			"Q3 2024": unit, "Q1 2025": unit, "Q2 2025": unit, "Q3 2025": unit},
	} {
		f := a.series(t, "bist:DMOST", asked(timeframe))
		if f.Count != 16 || len(f.Periods) != 16 || !f.Derived || f.Methodology == nil {
			t.Errorf("%s: %d of %d periods, derived %v, %v", timeframe, len(f.Periods), f.Count, f.Derived, f.Methodology)
		}
		for _, p := range f.Periods {
			name := fmt.Sprint(p.FiscalPeriod, " ", p.FiscalYear)
			reason := ""
			if p.NullReason != nil {
				reason = *p.NullReason
			}
			if reason != want[name] || (reason == "") != (len(p.Items) > 0) || !p.Derived {
				t.Errorf("%s %s: %q with %d items, want %q", timeframe, name, reason, len(p.Items), want[name])
			}
		}
	}
}

// FS-01 to FS-08, FS-25: what was filed is shown as it was filed, newest first.
func TestFiledPeriods(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	f := a.series(t, "bist:dmost", fundamentals.FinancialsArgs{})
	want := []string{
		"FY 2025: rev=21000000000 np=640000000 ta=24000000000 eps=3.20 | - |  | -",
		"FY 2024: rev=16400000000 np=295000000 ta=18050000000 eps=1.48 | - |  | -",
		"FY 2023: rev=7640250000.75 np=385750000 ta=9900000000 eps=1.93 | - |  | -",
		"FY 2022: rev=4200000000 np=410000000 ta=6200000000 eps=2.05 | - |  | -",
	}
	if got := periods(f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if f.InstrumentID != "bist:DMOST" || f.Currency != "TRY" || f.Timeframe != fundamentals.Annual || f.Basis != fundamentals.Current ||
		f.Derived || f.Methodology != nil || f.Count != 4 {
		t.Errorf("%+v", *f)
	}
	for i, basis := range []fundamentals.AccountingBasis{"inflation_adjusted", "inflation_adjusted", "nominal", "nominal"} {
		if p := f.Periods[i]; p.Basis != basis || p.Derived || p.SourcePeriods == nil ||
			p.EndDate.String() != fmt.Sprintf("%d-12-31", p.FiscalYear) {
			t.Errorf("%+v", *p)
		}
	}
	p := f.Periods[0]
	if !slices.Equal(p.IncomeStatement, []string{"rev", "np", "eps"}) || !slices.Equal(p.BalanceSheet, []string{"ta"}) ||
		p.CashFlow == nil || len(p.CashFlow) > 0 || p.Items[0].LabelTr != "Satır rev" {
		t.Errorf("%+v", *p)
	}
	quarterly := fundamentals.Quarterly
	f = a.series(t, "bist:DMOST", fundamentals.FinancialsArgs{Timeframe: &quarterly, Limit: new(3)})
	want = []string{
		"Q4 2025: rev=21000000000 np=640000000 ta=24000000000 eps=3.20 | - |  | -",
		"Q3 2025: rev=13700000000 np=420000000 ta=21800000000 eps=2.10 | - |  | -",
		"Q2 2025: rev=8600000000 np=260000000 ta=20300000000 eps=1.30 | - |  | -",
	}
	if got := periods(f); !slices.Equal(got, want) || f.Derived {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if f = a.series(t, "bist:DMOST", fundamentals.FinancialsArgs{Timeframe: &quarterly}); f.Count != 8 {
		t.Errorf("%d periods, want 8", f.Count)
	}
	// The groups of an empty period are empty, and no null.
	for _, p := range a.series(t, "bist:DMOST", asked(fundamentals.TTM)).Periods {
		if p.Items == nil || p.IncomeStatement == nil || p.BalanceSheet == nil || p.CashFlow == nil {
			t.Errorf("%+v", *p)
		}
	}
	for _, id := range []string{"bist:DMBNK", "bist:DMALTF"} { // FS-22
		if f := a.series(t, id, fundamentals.FinancialsArgs{}); f.Count != 0 || f.Periods == nil {
			t.Errorf("%s: %+v", id, *f)
		}
	}
}

// FS-17 to FS-20, V-24: a later filing restates, and the first stays.
func TestRestatement(t *testing.T) {
	reported := func(t fundamentals.Timeframe) fundamentals.FinancialsArgs {
		args := asked(t)
		args.Basis = new(fundamentals.AsReported)
		return args
	}
	first := filed("bist:DMOST 2025 12", "rev 100.0", "ta 7", "eps 1")
	middle := with(filed("bist:DMOST 2025 12", "rev 110", "ta 8"), at("2026-03-01T00:00:00Z"))
	last := with(filed("bist:DMOST 2025 12", "rev 120", "np 5"), at("2026-03-02T00:00:00Z"))
	others := []*fundamentals.Statement{filed("bist:DMOST 2025 9", "rev 70"), filed("bist:DMOST 2025 6", "rev 50")}
	a := newFixture(t)
	rapid.Check(t, func(r *rapid.T) {
		a.reads(shelve(rapid.Permutation(append([]*fundamentals.Statement{first, middle, last}, others...)).Draw(r, "order")...))
		for _, c := range []struct {
			args fundamentals.FinancialsArgs
			want string
		}{
			{asked(fundamentals.Annual), "FY 2025: rev=120 np=5 | - |  | -"},
			{asked(fundamentals.TTM), "Q4 2025: rev=120 np=5 | FY | annual#2025-12 | -"},
			{reported(fundamentals.Annual), "FY 2025: rev=100.0 ta=7 eps=1 | - |  | -"},
			{reported(fundamentals.Quarterly), "Q4 2025: rev=100.0 ta=7 eps=1 | - |  | -"},
		} {
			f := a.series(r, "bist:DMOST", c.args)
			if got := periods(f); len(got) == 0 || got[0] != c.want ||
				(f.Methodology == nil) != (f.Timeframe == fundamentals.Annual && f.Basis == fundamentals.Current) {
				r.Fatalf("%s %s: %q, %v; want first %s", f.Timeframe, f.Basis, got, f.Methodology, c.want)
			}
		}
		for _, timeframe := range []fundamentals.Timeframe{fundamentals.QuarterlyStandalone, fundamentals.TTM} {
			if f := a.series(r, "bist:DMOST", reported(timeframe)); f.Periods == nil || f.Count != 0 || !f.Derived ||
				f.Methodology == nil || f.Basis != fundamentals.AsReported {
				r.Fatalf("%+v", *f)
			}
		}
	})
}

// A filing of the same moment with other figures takes the place of the first.
func TestTheSameFilingWithOtherFigures(t *testing.T) {
	a := newFixture(t)
	for _, c := range []struct {
		s    *fundamentals.Statement
		want db.Result
	}{
		{filed("bist:DMOST 2025 12", "rev 100", "np 3"), db.Stored},
		{filed("bist:DMOST 2025 12", "rev 100", "np 3"), db.Unchanged},
		{filed("bist:DMOST 2025 12", "rev 100.0", "np 3"), db.Stored},
		{filed("bist:DMOST 2025 12", "rev 101", "ta 9"), db.Stored},
	} {
		if out := a.files(t, c.s); out[0].Result != c.want {
			t.Errorf("%v, want %v", out[0].Result, c.want)
		}
	}
	for _, basis := range []fundamentals.StatementBasis{fundamentals.Current, fundamentals.AsReported} {
		args := asked(fundamentals.Annual)
		args.Basis = &basis
		if got := periods(a.series(t, "bist:DMOST", args)); !slices.Equal(got, []string{"FY 2025: rev=101 ta=9 | - |  | -"}) {
			t.Errorf("%s: %q", basis, got)
		}
	}
}

// FS-21, FS-23 to FS-25, G-44: what is refused, in which order.
func TestFinancialsRefusals(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	a.files(t, filed("us:DMAP 2025 12", "rev 1"))
	ctx, call := holder()
	args := func(edit func(*fundamentals.FinancialsArgs)) fundamentals.FinancialsArgs {
		var a fundamentals.FinancialsArgs
		edit(&a)
		return a
	}
	none := fundamentals.FinancialsArgs{}
	based := args(func(a *fundamentals.FinancialsArgs) { a.Basis = new(fundamentals.Current) })
	for _, c := range []struct {
		name, id string
		args     fundamentals.FinancialsArgs
		want     problem.Kind
	}{
		{"unknown", "bist:NOPE", none, problem.NotFound},
		{"an alias of an ETF", "bist:DMALT", none, problem.NotFound},
		{"a fund", "fund:DMF", none, problem.NotFound},
		{"a coin", "crypto:1", none, problem.NotFound},
		{"no id", "", none, problem.NotFound},
		{"us without statements", "us:DMETF", none, problem.NotFound},
		{"a basis for us", "us:DMAP", based, problem.BasisNotApplicable},
		{"a basis for an unknown id of us", "us:NOPE", based, problem.BasisNotApplicable},
		{"a derived timeframe for us", "us:DMAP", asked(fundamentals.TTM), problem.InvalidParameter},
		{"lira for us", "us:DMAP", args(func(a *fundamentals.FinancialsArgs) { a.Currency = new(market.TRY) }),
			problem.UnsupportedCurrency},
		{"euros", "bist:DMOST", args(func(a *fundamentals.FinancialsArgs) { a.Currency = new(market.EUR) }), problem.UnsupportedCurrency},
		{"euros for an unknown id", "bist:NOPE", args(func(a *fundamentals.FinancialsArgs) { a.Currency = new(market.EUR) }),
			problem.UnsupportedCurrency},
		{"no periods", "bist:DMOST", args(func(a *fundamentals.FinancialsArgs) { a.Limit = new(0) }), problem.InvalidParameter},
		{"too many periods", "bist:DMOST", args(func(a *fundamentals.FinancialsArgs) { a.Limit = new(101) }), problem.InvalidParameter},
		{"one wrong value before the combination", "us:DMAP",
			args(func(a *fundamentals.FinancialsArgs) { a.Limit, a.Basis = new(0), new(fundamentals.Current) }), problem.InvalidParameter},
	} {
		_, err := a.Financials(ctx, c.id, c.args)
		refusal(t, c.name, err, c.want)
		_, err = a.Financials(stranger(), c.id, c.args)
		refusal(t, c.name+" without the scope", err, problem.MissingScope)
	}
	if call.Units() != 0 {
		t.Errorf("refusals cost %d units", call.Units())
	}
	f, err := a.Financials(ctx, "us:DMAP", none)
	if err != nil || f.Currency != "USD" || f.Count != 1 || call.Units() != 1 {
		t.Errorf("%v, %v for %d units", f, err, call.Units())
	}
	_ = a.db.Close()
	if _, err := a.Financials(ctx, "bist:DMOST", none); err == nil || call.Units() != 1 {
		t.Errorf("a store that does not answer: %v for %d units", err, call.Units())
	}
}

// Of many instruments at once, each by what its market takes.
func TestFinancialsOf(t *testing.T) {
	a := newFixture(t)
	a.files(t, worked()...)
	a.files(t, filed("us:DMAP 2025 12", "rev 1"), filed("bist:DMBNK 2025 12", "rev 2"))
	var all []*market.Instrument
	for _, id := range []market.ID{"us:DMAP", "crypto:1", "bist:DMALTF", "bist:DMBNK", "bist:DMOST", "bist:DMBNK", "us:DMETF"} {
		all = append(all, a.Market.ByID(id))
	}
	ctx, call := holder()
	series, errs := a.FinancialsOf(ctx, all, fundamentals.FinancialsArgs{Limit: new(1)})
	want := []string{`["FY 2025: rev=1 | - |  | -"]`, "nil", "[]", `["FY 2025: rev=2 | - |  | -"]`,
		`["FY 2025: rev=21000000000 np=640000000 ta=24000000000 eps=3.20 | - |  | -"]`, `["FY 2025: rev=2 | - |  | -"]`, "nil"}
	for i, f := range series {
		got := "nil"
		if f != nil {
			got = fmt.Sprintf("%q", periods(f))
		}
		if got != want[i] || errs[i] != nil {
			t.Errorf("%s: %s, %v; want %s", all[i].InstrumentID, got, errs[i], want[i])
		}
	}
	if call.Units() != 5 {
		t.Errorf("%d units, want one for each series", call.Units())
	}
	_, errs = a.FinancialsOf(ctx, all, asked(fundamentals.TTM))
	for i, err := range errs {
		if all[i].Market == market.US {
			refusal(t, "us", err, problem.InvalidParameter)
		} else if err != nil {
			t.Errorf("%s: %v", all[i].InstrumentID, err)
		}
	}
	_, errs = a.FinancialsOf(stranger(), all, fundamentals.FinancialsArgs{})
	for _, err := range errs {
		refusal(t, "without the scope", err, problem.MissingScope)
	}
}

func TestStatementWords(t *testing.T) {
	for _, word := range []string{"annual", "quarterly", "quarterly_standalone", "ttm", "current", "as_reported", "TTM", "", "monthly"} {
		isFrame := slices.Contains([]string{"annual", "quarterly", "quarterly_standalone", "ttm"}, word)
		if _, err := value.Word[fundamentals.Timeframe](word); (err == nil) != isFrame ||
			(err != nil && !strings.Contains(err.Error(), "annual, quarterly, quarterly_standalone, ttm")) {
			t.Errorf("timeframe %q: %v", word, err)
		}
		isBasis := word == "current" || word == "as_reported"
		if _, err := value.Word[fundamentals.StatementBasis](word); (err == nil) != isBasis ||
			(err != nil && !strings.Contains(err.Error(), "current, as_reported")) {
			t.Errorf("basis %q: %v", word, err)
		}
	}
}

func TestStatementValidate(t *testing.T) {
	long := strings.Repeat("x", 101)
	for _, c := range []struct {
		codes []string
		want  string
	}{
		{nil, ""}, {[]string{"1A", "1a", "2A"}, ""}, {[]string{long[:100]}, ""}, {[]string{"1A", "2A", "1A"}, "items[2].code"},
		{[]string{"1A", long}, "items[1].code"},
	} {
		s := &fundamentals.Statement{Heading: fundamentals.Heading{InstrumentID: "bist:DMOST", Currency: "TRY"}}
		for _, code := range c.codes {
			s.Items = append(s.Items, fundamentals.Item{Line: fundamentals.Line{Code: code}})
		}
		if err := s.Validate(); valuetest.InvalidMember(t, err) != c.want {
			t.Errorf("%d codes: %v, want %q", len(c.codes), err, c.want)
		}
	}
}

// A caller that goes away is no answer for the next.
func TestFinancialsOfAnEndedRequest(t *testing.T) {
	a := newFixture(t)
	a.Histories = fundamentals.NewHistoryCache(a.db, 1<<20, always)
	a.Histories.Forget(0)
	a.files(t, worked()...)
	ctx, _ := holder()
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := a.Financials(ended, "bist:DMOST", fundamentals.FinancialsArgs{}); err == nil {
		t.Error("an answer to nobody")
	}
	if f := a.series(t, "bist:DMOST", fundamentals.FinancialsArgs{}); f.Count != 4 {
		t.Errorf("%d periods", f.Count)
	}
}
