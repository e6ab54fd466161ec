package fundamentals_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/fundamentals"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// life is what a company filed, counted in months: the first day of a filing's flows is that
// of its first month, whether it says so or not.
type life struct {
	filings []filing
	profit  map[string]int64 // of a month, by what a figure means
}

type filing struct {
	first, last int // months since the year 0
	closes      bool
	*fundamentals.Statement
}

// means names everything that figures must have in common to be added.
func (f filing) means() string {
	unit := "nominal"
	if f.Basis != fundamentals.Nominal {
		unit = fmt.Sprint(f.Basis, f.FiscalYear, f.closes)
	}
	return fmt.Sprint(unit, " ", f.Template)
}

// lasts is the last day of a month.
func lasts(month int) value.Date {
	return value.NewDate(month/12, time.Month(month%12+2), 1).AddDays(-1)
}

// begins is the first day of a month.
func begins(month int) value.Date { return value.NewDate(month/12, time.Month(month%12+1), 1) }

// sum is the true profit of some months, which differs with what the figure means.
func (l *life) sum(t *rapid.T, first, last int, means string) int64 {
	var sum int64
	for month := first; month <= last; month++ {
		key := fmt.Sprint(month, means)
		if _, ok := l.profit[key]; !ok {
			l.profit[key] = rapid.Int64Range(1, 1_000_000_000).Draw(t, "profit")
		}
		sum += l.profit[key]
	}
	return sum
}

// lives are companies whose fiscal year moves, by short and long years, and whose filings
// change in basis, template and consolidation, are restated, and are missing. Either each
// says on which day it begins, or none does; then no year misses its end.
var lives = rapid.Custom(func(t *rapid.T) *life {
	l := &life{profit: map[string]int64{}}
	seldom := func(what string) bool { return rapid.IntRange(0, 5).Draw(t, what) == 0 }
	stated, hours := rapid.Bool().Draw(t, "stated"), 0
	first := 2019*12 + rapid.IntRange(0, 11).Draw(t, "begins")
	basis, template, consolidations := fundamentals.Nominal, fundamentals.Industrial, []string{"CS"}
	for year := range rapid.IntRange(2, 6).Draw(t, "years") {
		length := 12
		if year > 0 && seldom("moves") {
			length = rapid.IntRange(1, 23).Draw(t, "length")
		}
		if seldom("other basis") {
			basis = rapid.SampledFrom([]fundamentals.AccountingBasis{fundamentals.Nominal, fundamentals.InflationAdjusted}).Draw(t, "basis")
		}
		if seldom("other template") {
			template = rapid.SampledFrom([]fundamentals.Template{fundamentals.Industrial, fundamentals.Bank}).Draw(t, "template")
		}
		if seldom("other consolidation") {
			consolidations = rapid.SampledFrom([][]string{{"CS"}, {"NC"}, {""}, {"CS", "NC"}}).Draw(t, "consolidations")
		}
		for months := 3; months < length+3; months += 3 {
			closes := months >= length
			if months = min(months, length); months > 9 && !closes || seldom("missing") && (stated || !closes) {
				continue
			}
			label := months
			if closes && (!stated || rapid.Bool().Draw(t, "label of a year")) {
				label = 12
			}
			for _, c := range consolidations {
				for range rapid.IntRange(1, 2).Draw(t, "filings") {
					last := first + months - 1
					s := filed(fmt.Sprint("bist:DMOST ", (first+length-1)/12, " ", label))
					s.EndDate, s.Basis, s.Template, s.Consolidation = lasts(last), basis, template, c
					if stated {
						s.StartDate = begins(first)
					}
					hours++
					s.FiledAt = s.EndDate.AddDays(40).TurkeyStart().Add(time.Duration(hours) * time.Hour)
					f := filing{first, last, label == 12 || label%3 != 0 || label > 12, s}
					profit := l.sum(t, first, last, f.means()+c)
					s.Items = []fundamentals.Item{item("np", fmt.Sprint(profit))}
					l.filings = append(l.filings, f)
				}
			}
		}
		first += length
	}
	return l
})

// filed is the current filing of some months: the group's, unless the company's own is
// preferred and there is one.
func (l *life) filed(first, last int, own bool) *filing {
	var all []filing
	for _, f := range l.filings {
		if f.first == first && f.last == last {
			all = append(all, f)
		}
	}
	has := func(c string) bool {
		return slices.ContainsFunc(all, func(f filing) bool { return f.Consolidation == c })
	}
	var current *filing
	for _, f := range all {
		if has("CS") && has("NC") && (f.Consolidation == "NC") != own {
			continue
		}
		if current == nil || current.FiledAt.Before(f.FiledAt) {
			current = &f
		}
	}
	return current
}

// of is what a filing is of: as it says, or others of its days, or the nearest before and after;
// "?" if these differ.
func (l *life) of(f *filing) string {
	if f.Consolidation != "" {
		return f.Consolidation
	}
	var older, newer *filing
	for _, g := range l.filings {
		if g.Consolidation == "" {
			continue
		}
		group := g.Consolidation == "CS"
		if g.last <= f.last && (older == nil || older.last < g.last || older.last == g.last && group) {
			older = &g
		}
		if g.last >= f.last && (newer == nil || g.last < newer.last || newer.last == g.last && group) {
			newer = &g
		}
	}
	switch {
	case older == nil && newer == nil:
		return ""
	case older == nil:
		return newer.Consolidation
	case newer == nil || older.Consolidation == newer.Consolidation:
		return older.Consolidation
	}
	return "?"
}

// mixes reports whether one filing is, or may be, of something else than another.
func (l *life) mixes(f, g *filing) bool {
	return f.Statement != g.Statement && (l.of(f) != l.of(g) || l.of(f) == "?")
}

// derived is the profit of the quarter or of the twelve months that end with a filing, with
// the filings that make it up; nil if no filings do.
func (l *life) derived(t fundamentals.Timeframe, newest *filing) (*big.Int, []*filing) {
	type part struct {
		factor      int64
		first, last int
	}
	one, before := part{1, newest.first, newest.last}, newest.last-newest.first+1
	parts := []part{one}
	switch {
	case t == fundamentals.QuarterlyStandalone && before > 3:
		parts = append(parts, part{-1, newest.first, newest.last - 3})
	case t == fundamentals.QuarterlyStandalone && before < 3, t == fundamentals.TTM && before > 12:
		return nil, nil
	case t == fundamentals.TTM && before < 12:
		parts = []part{{1, newest.first - 12, newest.first - 1}, one, {-1, newest.first - 12, newest.last - 12}}
	}
	sum := new(big.Int)
	var inputs []*filing
	for _, p := range parts {
		f := l.filed(p.first, p.last, l.of(newest) == "NC")
		if p == one {
			f = newest
		}
		if f == nil || f.means() != newest.means() || l.mixes(f, newest) {
			return nil, nil
		}
		inputs = append(inputs, f)
		figure, _ := new(big.Int).SetString(f.Items[0].Value.String(), 10)
		sum.Add(sum, figure.Mul(figure, big.NewInt(p.factor)))
	}
	return sum, inputs
}

// profitOf is the profit of a period, or nil.
func profitOf(p *fundamentals.FinancialPeriod) *big.Int {
	for _, i := range p.Items {
		if i.Code == "np" && !i.Value.IsNull() {
			n, _ := new(big.Int).SetString(i.Value.String(), 10)
			return n
		}
	}
	return nil
}

// No derived figure is there unless its inputs make up exactly the days that it claims, in
// one unit, template and consolidation; and where they do, it is.
func TestFiguresOfFiscalYearsThatMove(t *testing.T) {
	a := newFixture(t)
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		l := lives.Draw(t, "life")
		var all []*fundamentals.Statement
		for _, f := range l.filings {
			all = append(all, f.Statement)
		}
		a.reads(shelve(all...))
		newest := map[value.Date]*filing{}
		for _, f := range l.filings {
			newest[f.EndDate] = l.filed(f.first, f.last, false)
		}
		for timeframe, months := range map[fundamentals.Timeframe]int{fundamentals.QuarterlyStandalone: 3, fundamentals.TTM: 12} {
			periods := a.series(t, "bist:DMOST", asked(timeframe)).Periods
			if len(periods) != len(newest) {
				t.Fatalf("%d periods, want %d", len(periods), len(newest))
			}
			for _, p := range periods {
				f := newest[p.EndDate]
				want, inputs := l.derived(timeframe, f)
				got := profitOf(p)
				if (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
					t.Fatalf("%s %s: %v, want %v", timeframe, told(p), got, want)
				}
				if (p.NullReason == nil) != (got != nil) || (p.MeaningChanged != nil) != (or(p.NullReason) == value.MeaningChanged) {
					t.Fatalf("%s %s", timeframe, told(p))
				}
				count[string(timeframe)+or(p.NullReason)]++
				if got == nil || slices.ContainsFunc(inputs, func(f *filing) bool { return f.Consolidation == "" }) {
					continue
				}
				if earned := l.sum(t, f.last-months+1, f.last, f.means()+f.Consolidation); got.Cmp(big.NewInt(earned)) != 0 {
					t.Fatalf("%s %s: %v, and the company earned %d in %d months", timeframe, told(p), got, earned, months)
				}
			}
		}
		checkGrowth(t, a, l, newest, count)
	})
	for _, what := range []string{"quarterly_standalone-", "ttm-", "quarterly_standalonemeaning_changed", "ttmmeaning_changed", "growth",
		"no growth", "ttmmeasuring_unit_mismatch"} {
		if count[what] == 0 {
			t.Errorf("no life has %s: %v", what, count)
		}
	}
}

// checkGrowth checks that growth compares twelve months with the twelve months before.
func checkGrowth(t *rapid.T, a *fixture, l *life, newest map[value.Date]*filing, count map[string]int) {
	var last *filing
	for _, f := range newest {
		if last == nil || last.last < f.last {
			last = f
		}
	}
	if last == nil {
		return
	}
	a.Live = fundamentals.NewLive()
	a.Live.PutMetrics([]*fundamentals.Metrics{{InstrumentID: "bist:DMOST", Date: value.MustDate("2026-03-18"), PeRatio: figure("5")}})
	got := a.value(t, "bist:DMOST").EPSGrowthPct
	now, inputs := l.derived(fundamentals.TTM, last)
	var then *big.Int
	if before := newest[lasts(last.last-12)]; before != nil {
		before = l.filed(before.first, before.last, l.of(last) == "NC")
		var others []*filing
		then, others = l.derived(fundamentals.TTM, before)
		for _, f := range append(inputs, others...) {
			for _, g := range inputs {
				if l.mixes(f, g) {
					then = nil
				}
			}
		}
	}
	if now == nil || then == nil {
		if count["no growth"]++; !got.Value.IsNull() {
			t.Fatalf("growth %s of %v over %v", metric(got), now, then)
		}
		return
	}
	count["growth"]++
	pct := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).Sub(now, then), big.NewInt(100)), then)
	if got.Value.IsNull() {
		t.Fatalf("growth %s, want %s", metric(got), pct.FloatString(6))
	}
	if off := new(big.Rat).Sub(valuetest.Rational(got.Value.String()), pct); off.Abs(off).Cmp(big.NewRat(1, 20000)) > 0 {
		t.Fatalf("growth %s, want %s", metric(got), pct.FloatString(6))
	}
}
