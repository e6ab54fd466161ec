package fundamentals_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/fundamentals"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// books are filings, one a line: label, first day or -, last day, net profit, then what is
// unusual: CS or NC, adjusted, bank. Each is filed 40 days after its last day.
func books(id, lines string) []*fundamentals.Statement {
	var all []*fundamentals.Statement
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		f := strings.Fields(line)
		var year, month int
		if _, err := fmt.Sscanf(f[0], "%d-%d", &year, &month); err != nil {
			panic(err)
		}
		s := filed(fmt.Sprint(id, " ", year, " ", month), "np "+f[3], "profit "+f[3], "da 1", "parent 1000")
		if s.EndDate, s.Basis = value.MustDate(f[2]), fundamentals.Nominal; f[1] != "-" {
			s.StartDate = value.MustDate(f[1])
		}
		s.FiledAt = s.EndDate.AddDays(40).TurkeyStart()
		for _, word := range f[4:] {
			switch word {
			case "CS", "NC":
				s.Consolidation = word
			case "adjusted":
				s.Basis = fundamentals.InflationAdjusted
			case "bank":
				s.Template = fundamentals.Bank
			default:
				s.FiledAt = value.MustInstant(word)
			}
		}
		all = append(all, s)
	}
	return all
}

// told is a period in short: its last day, name, net profit or reason, and sources.
func told(p *fundamentals.FinancialPeriod) string {
	words := []string{p.EndDate.String(), p.FiscalPeriod}
	for _, i := range p.Items {
		if i.Code == "np" {
			words = append(words, shown(i.Value))
		}
	}
	if p.NullReason != nil {
		words = append(words, "!"+*p.NullReason)
	}
	if c := p.MeaningChanged; c != nil {
		words = append(words, changed(c))
	}
	return strings.Join(append(words, p.SourcePeriods...), " ")
}

func changed(c *segment.Change) string {
	return fmt.Sprintf("(%s %s>%s %s)", c.What, or(c.From), or(c.To), c.On)
}

// The fiscal year of 2021 and a quarter more.
const december = `
	2021-3 - 2021-03-31 10
	2021-6 - 2021-06-30 21
	2021-9 - 2021-09-30 33
	2021-12 - 2021-12-31 46
	2022-3 - 2022-03-31 14`

func TestFiscalYearsThatMove(t *testing.T) {
	const standalone, ttm = fundamentals.QuarterlyStandalone, fundamentals.TTM
	const annual, quarterly = fundamentals.Annual, fundamentals.Quarterly
	const toMay, toJune = "(fiscal_calendar 12-31>05-31 2022-01-01)", "(fiscal_calendar 12-31>06-30 2022-01-01)"
	const may = december + `
		2022-12 - 2022-05-31 24
		2023-3 - 2022-08-31 15
		2023-6 - 2022-11-30 31
		2023-9 - 2023-02-28 48
		2023-12 - 2023-05-31 66
		2024-3 - 2023-08-31 19`
	for _, c := range []struct {
		name, filed string
		timeframe   fundamentals.Timeframe
		want        []string // of the newest periods
	}{
		{"five months between", may, annual, []string{"2023-05-31 FY 66", "2022-05-31 5M 24", "2021-12-31 FY 46"}},
		{"as filed", may, quarterly, []string{"2023-08-31 Q1 19", "2023-05-31 Q4 66", "2023-02-28 Q3 48", "2022-11-30 Q2 31",
			"2022-08-31 Q1 15", "2022-05-31 5M 24", "2022-03-31 Q1 14", "2021-12-31 Q4 46"}},
		{"quarters", may, standalone, []string{
			"2023-08-31 Q1 19 quarterly#2024-03", "2023-05-31 Q4 18 quarterly#2023-12 quarterly#2023-09",
			"2023-02-28 Q3 17 quarterly#2023-09 quarterly#2023-06", "2022-11-30 Q2 16 quarterly#2023-06 quarterly#2023-03",
			"2022-08-31 Q1 15 quarterly#2023-03", "2022-05-31 5M !meaning_changed " + toMay + " quarterly#2022-12",
			"2022-03-31 Q1 14 quarterly#2022-03", "2021-12-31 Q4 13 quarterly#2021-12 quarterly#2021-09",
		}},
		{"twelve months", may, ttm, []string{
			"2023-08-31 Q1 70 annual#2023-12 quarterly#2024-03 quarterly#2023-03", "2023-05-31 Q4 66 annual#2023-12",
			"2023-02-28 Q3 !meaning_changed " + toMay + " quarterly#2023-09",
			"2022-11-30 Q2 !meaning_changed " + toMay + " quarterly#2023-06",
			"2022-08-31 Q1 !meaning_changed " + toMay + " quarterly#2023-03",
			"2022-05-31 5M !meaning_changed " + toMay + " annual#2021-12 quarterly#2022-12",
			"2022-03-31 Q1 50 annual#2021-12 quarterly#2022-03 quarterly#2021-03", "2021-12-31 Q4 46 annual#2021-12",
		}},
		{"six months between are twelve with what was before", december + `
			2022-12 - 2022-06-30 29
			2023-3 - 2022-09-30 16`, ttm, []string{
			"2022-09-30 Q1 !meaning_changed " + toJune + " quarterly#2023-03",
			"2022-06-30 Q2 54 annual#2021-12 quarterly#2022-12 quarterly#2021-06",
		}},
		{"and have a second quarter", december + `
			2022-12 - 2022-06-30 29`, standalone, []string{"2022-06-30 Q2 15 quarterly#2022-12 quarterly#2022-03"}},
		{"what could have been filed is missing", strings.Replace(december, "\t2021-6 - 2021-06-30 21\n", "", 1) + `
			2022-12 - 2022-06-30 29`, ttm, []string{
			"2022-06-30 Q2 !missing_input_period annual#2021-12 quarterly#2022-12"}},
		{"the label of the half year", december + `
			2022-6 - 2022-06-30 29
			2023-3 - 2022-09-30 16`, ttm, []string{"2022-09-30 Q1 !meaning_changed " + toJune + " quarterly#2023-03"}},
		{"a month between", strings.Replace(december, "\n\t2022-3 - 2022-03-31 14", "", 1) + `
			2022-12 - 2022-01-31 4
			2023-3 - 2022-04-30 15`, ttm, []string{
			"2022-04-30 Q1 !meaning_changed (fiscal_calendar 12-31>01-31 2022-01-01) quarterly#2023-03",
			"2022-01-31 1M !meaning_changed (fiscal_calendar 12-31>01-31 2022-01-01) annual#2021-12 quarterly#2022-12",
		}},
		{"stated, by its months", december + `
			2022-5 2022-01-01 2022-05-31 24`, annual, []string{"2022-05-31 5M 24", "2021-12-31 FY 46"}},
		{"stated, without anything before", `
			2022-12 2022-01-01 2022-05-31 24`, ttm, []string{
			"2022-05-31 5M !meaning_changed (fiscal_calendar 12-31>05-31 2022-01-01) quarterly#2022-12"}},
		{"a year of seventeen months", december + `
			2022-17 2022-01-01 2023-05-31 80
			2024-3 - 2023-08-31 15`, ttm, []string{
			"2023-08-31 Q1 !meaning_changed (fiscal_calendar 12-31>05-31 2023-01-01) quarterly#2024-03",
			"2023-05-31 17M !meaning_changed (fiscal_calendar 12-31>05-31 2023-01-01) quarterly#2022-17",
		}},
		{"of fifteen, by the label of the year", december + `
			2022-6 - 2022-06-30 28
			2022-9 - 2022-09-30 43
			2022-12 2022-01-01 2023-03-31 75`, annual, []string{"2023-03-31 15M 75", "2021-12-31 FY 46"}},
		{"two moves", may + `
			2024-12 - 2023-12-31 44
			2025-3 - 2024-03-31 20`, ttm, []string{
			"2024-03-31 Q1 !meaning_changed (fiscal_calendar 05-31>12-31 2023-06-01) quarterly#2025-03",
			"2023-12-31 7M !meaning_changed (fiscal_calendar 05-31>12-31 2023-06-01) annual#2023-12 quarterly#2024-12",
			"2023-08-31 Q1 70 annual#2023-12 quarterly#2024-03 quarterly#2023-03",
		}},
		{"a year whose length nothing tells is not twelve months", `
			2019-12 - 2019-12-31 40
			2022-12 - 2022-05-31 24`, ttm, []string{
			"2022-05-31 Q4 !meaning_changed (fiscal_calendar 12-31>05-31 2022-01-01) quarterly#2022-12"}},
		{"its quarters tell it", `
			2019-12 - 2019-12-31 40
			2022-3 - 2021-08-31 5
			2022-12 - 2022-05-31 24`, ttm, []string{"2022-05-31 Q4 24 annual#2022-12"}},
		{"one year that was not filed", `
			2019-12 - 2019-12-31 40
			2021-12 - 2021-12-31 24`, ttm, []string{"2021-12-31 Q4 24 annual#2021-12"}},
		{"fifty-two and fifty-three weeks", `
			2022-3 - 2021-12-25 10
			2022-12 - 2022-09-24 46
			2023-3 - 2022-12-31 14
			2023-6 - 2023-04-01 27
			2023-12 - 2023-09-30 50
			2024-3 - 2023-12-30 12`, ttm, []string{
			"2023-12-30 Q1 48 annual#2023-12 quarterly#2024-03 quarterly#2023-03", "2023-09-30 Q4 50 annual#2023-12",
			"2023-04-01 Q2 !missing_input_period annual#2022-12 quarterly#2023-06",
			"2022-12-31 Q1 50 annual#2022-12 quarterly#2023-03 quarterly#2022-03",
		}},
		{"June since ever", `
			2022-6 - 2021-12-31 20
			2022-12 - 2022-06-30 45
			2023-3 - 2022-09-30 12
			2023-6 - 2022-12-31 26`, ttm, []string{
			"2022-12-31 Q2 51 annual#2022-12 quarterly#2023-06 quarterly#2022-06",
			"2022-09-30 Q1 !missing_input_period annual#2022-12 quarterly#2023-03", "2022-06-30 Q4 45 annual#2022-12",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.reads(shelve(books("bist:DMOST", c.filed)...))
			var got []string
			for _, p := range a.series(t, "bist:DMOST", asked(c.timeframe)).Periods {
				got = append(got, told(p))
			}
			if got = got[:min(len(got), len(c.want))]; !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// What is shown of the days that a period covers.
func TestDaysOfPeriods(t *testing.T) {
	a := newFixture(t)
	a.reads(shelve(books("bist:DMOST", december+`
		2022-12 - 2022-06-30 29
		2023-3 2022-07-01 2022-09-30 16
		2023-6 2022-07-01 2022-12-31 31
		2023-12 2022-07-01 2023-06-30 60
		2024-3 2023-07-01 2023-09-30 20`)...))
	for timeframe, want := range map[fundamentals.Timeframe]string{
		fundamentals.Annual: "2022-07-01/2023-06-30 2022-01-01/2022-06-30 /2021-12-31",
		fundamentals.QuarterlyStandalone: "2023-07-01/2023-09-30 /2023-06-30 2022-10-01/2022-12-31 2022-07-01/2022-09-30 " +
			"2022-04-01/2022-06-30",
		fundamentals.TTM: "2022-10-01/2023-09-30 2022-07-01/2023-06-30 /2022-12-31 /2022-09-30 2021-07-01/2022-06-30 /2022-03-31",
	} {
		var got []string
		for _, p := range a.series(t, "bist:DMOST", asked(timeframe)).Periods {
			got = append(got, p.StartDate.String()+"/"+p.EndDate.String())
		}
		if got := strings.Join(got, " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", timeframe, got, want)
		}
	}
}

// A valuation needs twelve months, and growth twelve months before them.
func TestValuationsOfFiscalYearsThatMove(t *testing.T) {
	const june = december + `
		2020-12 - 2020-12-31 40
		2020-6 - 2020-06-30 18
		2022-12 - 2022-06-30 29`
	const may = december + "\n2022-12 - 2022-05-31 24\n2023-12 - 2023-05-31 66"
	for _, c := range []struct{ name, filed, earned, growth, peg string }{
		{"December", december + "\n2020-12 - 2020-12-31 40\n2020-3 - 2020-03-31 9", "50", "21.9512", "0.5694"},
		{"May, five months", december + "\n2022-12 - 2022-05-31 24", "!meaning_changed", "!meaning_changed", "!meaning_changed"},
		{"May, a quarter later", december + "\n2022-12 - 2022-05-31 24\n2023-3 - 2022-08-31 15", "!meaning_changed", "!meaning_changed",
			"!meaning_changed"},
		{"May, a year later", may, "66", "!meaning_changed", "!meaning_changed"},
		{"May, two years later", may + "\n2024-12 - 2024-05-31 99", "99", "50", "0.25"},
		{"June, six months", june, "54", "25.5814", "0.4886"},
		{"June, a year later", june + "\n2023-12 - 2023-06-30 81", "81", "50", "0.25"},
		{"June, a year later, without the half year", december + "\n2023-12 2022-07-01 2023-06-30 81", "81", "!meaning_changed",
			"!meaning_changed"},
		{"the group after the company alone", "2021-12 - 2021-12-31 10 NC\n2022-12 - 2022-12-31 90 CS", "90", "!meaning_changed",
			"!meaning_changed"},
		{"a company that does not say", "2021-12 - 2021-12-31 10\n2022-12 - 2022-12-31 90 CS", "90", "800", "0.0156"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.reads(shelve(books("bist:DMOST", c.filed)...))
			a.Live.PutMetrics([]*fundamentals.Metrics{{InstrumentID: "bist:DMOST", Date: value.MustDate("2026-03-18"),
				MarketCap: figure("5000"), PeRatio: figure("12.5")}})
			v := a.value(t, "bist:DMOST")
			profit := "-"
			for _, p := range a.series(t, "bist:DMOST", asked(fundamentals.TTM)).Periods[:1] {
				for _, i := range p.Items {
					if i.Code == "np" {
						profit = shown(i.Value)
					}
				}
				if p.NullReason != nil {
					profit = "!" + *p.NullReason
				}
			}
			if profit != c.earned {
				t.Errorf("twelve months %s, want %s", profit, c.earned)
			}
			answers(t, v, map[string]string{"eps_growth_pct": c.growth, "peg": c.peg})
			if strings.HasPrefix(c.earned, "!") {
				answers(t, v, map[string]string{"ebitda_ttm": c.earned, "ev_ebitda": c.earned})
			}
			for name, m := range named(v) {
				if (answer(m) == "!meaning_changed") != (m.MeaningChanged != nil) {
					t.Errorf("%s: %s, changed %v", name, metric(m), m.MeaningChanged)
				}
			}
			checkMetrics(t, v)
		})
	}
}

// The P/E of a us company counts twelve months.
func TestPricesOverTwelveMonths(t *testing.T) {
	for filings, want := range map[string]string{
		december:                               "100",
		december + "\n2022-12 - 2022-06-30 29": "92.5926",
		december + "\n2022-12 - 2022-05-31 24": "!meaning_changed",
	} {
		a := newFixture(t)
		var all []*fundamentals.Statement
		for _, s := range books("us:DMAP", filings) {
			all = append(all, with(s, in("USD")))
		}
		a.reads(shelve(all...))
		a.Live.PutMetrics([]*fundamentals.Metrics{{InstrumentID: "us:DMAP", Date: value.MustDate("2026-03-18"), MarketCap: figure("5000")}})
		if got := answer(a.value(t, "us:DMAP").PeRatio); got != want {
			t.Errorf("%s\nP/E %s, want %s", filings, got, want)
		}
	}
}

// The measuring unit is that of the accounting basis.
func TestMeasuringUnits(t *testing.T) {
	for _, c := range []struct {
		name, filed string
		timeframe   fundamentals.Timeframe
		want        string
	}{
		{"a nominal bank has a fourth quarter",
			"2024-9 - 2024-09-30 30 bank\n2024-12 - 2024-12-31 50 bank",
			fundamentals.QuarterlyStandalone,
			"2024-12-31 Q4 20 quarterly#2024-12 quarterly#2024-09"},
		{"and twelve months", "2024-3 - 2024-03-31 10 bank\n2024-12 - 2024-12-31 50 bank\n2025-3 - 2025-03-31 15 bank", fundamentals.TTM,
			"2025-03-31 Q1 55 annual#2024-12 quarterly#2025-03 quarterly#2024-03"},
		{"adjusted ones have none", "2024-9 - 2024-09-30 30 adjusted\n2024-12 - 2024-12-31 50 adjusted", fundamentals.QuarterlyStandalone,
			"2024-12-31 Q4 !measuring_unit_mismatch quarterly#2024-12 quarterly#2024-09"},
		{"nor before the standard", "2022-9 - 2022-09-30 30 adjusted\n2022-12 - 2022-12-31 50 adjusted", fundamentals.QuarterlyStandalone,
			"2022-12-31 Q4 !measuring_unit_mismatch quarterly#2022-12 quarterly#2022-09"},
		{"but interim ones add up", "2022-6 - 2022-06-30 30 adjusted\n2022-9 - 2022-09-30 50 adjusted", fundamentals.QuarterlyStandalone,
			"2022-09-30 Q3 20 quarterly#2022-09 quarterly#2022-06"},
		{"one of two is adjusted", "2024-6 - 2024-06-30 30\n2024-9 - 2024-09-30 50 adjusted", fundamentals.QuarterlyStandalone,
			"2024-09-30 Q3 !accounting_basis_mismatch quarterly#2024-09 quarterly#2024-06"},
		{"June: the number of the year says nothing about nominal ones",
			"2023-6 - 2022-12-31 20\n2023-12 - 2023-06-30 45\n2024-6 - 2023-12-31 26", fundamentals.TTM,
			"2023-12-31 Q2 51 annual#2023-12 quarterly#2024-06 quarterly#2023-06"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.reads(shelve(books("bist:DMOST", c.filed)...))
			if got := told(a.series(t, "bist:DMOST", asked(c.timeframe)).Periods[0]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Statements of the group and of the company alone never combine, and both are there.
func TestConsolidations(t *testing.T) {
	const solo = "2025-3 - 2025-03-31 10 NC\n2025-6 - 2025-06-30 22 NC 2025-08-01T15:00:00Z"
	const group = "2025-6 - 2025-06-30 900 CS 2025-08-01T15:00:00Z\n2025-9 - 2025-09-30 990 CS"
	const change = "(consolidation NC>CS 2025-04-01)"
	for _, c := range []struct {
		name, filed string
		timeframe   fundamentals.Timeframe
		choice      string
		want        []string
	}{
		{"the first of the group", "2025-3 - 2025-03-31 10 NC\n" + group, fundamentals.QuarterlyStandalone, "", []string{
			"2025-09-30 Q3 90 quarterly#2025-09 quarterly#2025-06",
			"2025-06-30 Q2 !meaning_changed " + change + " quarterly#2025-06 quarterly#2025-03", "2025-03-31 Q1 10 quarterly#2025-03"}},
		{"nothing is known of one", "2025-3 - 2025-03-31 10\n" + group, fundamentals.QuarterlyStandalone, "", []string{
			"2025-09-30 Q3 90 quarterly#2025-09 quarterly#2025-06", "2025-06-30 Q2 890 quarterly#2025-06 quarterly#2025-03",
			"2025-03-31 Q1 10 quarterly#2025-03"}},
		{"one between two kinds does not say", "2025-3 - 2025-03-31 100 NC\n2025-6 - 2025-06-30 5000\n2025-9 - 2025-09-30 6000 CS",
			fundamentals.QuarterlyStandalone, "", []string{
				"2025-09-30 Q3 !meaning_changed (consolidation ->CS 2025-07-01) quarterly#2025-09 quarterly#2025-06",
				"2025-06-30 Q2 !meaning_changed (consolidation NC>- 2025-04-01) quarterly#2025-06 quarterly#2025-03",
				"2025-03-31 Q1 100 quarterly#2025-03"}},
		{"two between two kinds do not say",
			"2025-3 - 2025-03-31 1 NC\n2025-6 - 2025-06-30 2\n2025-9 - 2025-09-30 4\n2025-12 - 2025-12-31 8 CS",
			fundamentals.QuarterlyStandalone, "", []string{
				"2025-12-31 Q4 !meaning_changed (consolidation ->CS 2025-10-01) quarterly#2025-12 quarterly#2025-09",
				"2025-09-30 Q3 !meaning_changed (consolidation ->- 2025-07-01) quarterly#2025-09 quarterly#2025-06",
				"2025-06-30 Q2 !meaning_changed (consolidation NC>- 2025-04-01) quarterly#2025-06 quarterly#2025-03",
				"2025-03-31 Q1 1 quarterly#2025-03"}},
		{"one after two kinds does not say", "2025-3 - 2025-03-31 1 NC\n2025-6 - 2025-06-30 900 CS\n2025-9 - 2025-09-30 990",
			fundamentals.QuarterlyStandalone, "", []string{
				"2025-09-30 Q3 90 quarterly#2025-09 quarterly#2025-06",
				"2025-06-30 Q2 !meaning_changed " + change + " quarterly#2025-06 quarterly#2025-03", "2025-03-31 Q1 1 quarterly#2025-03"}},
		{"one before two kinds does not say", "2025-3 - 2025-03-31 1\n2025-6 - 2025-06-30 3 NC\n2025-9 - 2025-09-30 990 CS",
			fundamentals.QuarterlyStandalone, "", []string{
				"2025-09-30 Q3 !meaning_changed (consolidation NC>CS 2025-07-01) quarterly#2025-09 quarterly#2025-06",
				"2025-06-30 Q2 2 quarterly#2025-06 quarterly#2025-03", "2025-03-31 Q1 1 quarterly#2025-03"}},
		{"its period has both",
			"2025-3 - 2025-03-31 10 NC\n" + group + "\n2025-6 - 2025-06-30 22 NC\n2025-6 - 2025-06-30 901 2025-09-01T15:00:00Z",
			fundamentals.QuarterlyStandalone, "", []string{
				"2025-09-30 Q3 89 quarterly#2025-09 quarterly#2025-06",
				"2025-06-30 Q2 !meaning_changed " + change + " quarterly#2025-06 quarterly#2025-03", "2025-03-31 Q1 10 quarterly#2025-03"}},
		{"both of one moment", solo + "\n" + group, fundamentals.Quarterly, "", []string{
			"2025-09-30 Q3 990", "2025-06-30 Q2 900", "2025-03-31 Q1 10"}},
		{"the company's own", solo + "\n" + group, fundamentals.QuarterlyStandalone, "solo", []string{
			"2025-09-30 Q3 90 quarterly#2025-09 quarterly#2025-06", "2025-06-30 Q2 12 quarterly#2025-06 quarterly#2025-03",
			"2025-03-31 Q1 10 quarterly#2025-03"}},
		{"only the group's", solo + "\n" + group, fundamentals.Quarterly, "CS", []string{"2025-09-30 Q3 990", "2025-06-30 Q2 900"}},
		{"only the company's", solo + "\n" + group, fundamentals.Quarterly, "NC", []string{"2025-06-30 Q2 22", "2025-03-31 Q1 10"}},
		{"each is restated by its own kind", solo + "\n" + group + "\n2025-6 - 2025-06-30 23 NC 2025-09-01T15:00:00Z",
			fundamentals.Quarterly, "consolidated", []string{"2025-09-30 Q3 990", "2025-06-30 Q2 900", "2025-03-31 Q1 10"}},
		{"each is restated by its own kind: the company's", solo + "\n" + group + "\n2025-6 - 2025-06-30 23 NC 2025-09-01T15:00:00Z",
			fundamentals.Quarterly, "solo", []string{"2025-09-30 Q3 990", "2025-06-30 Q2 23", "2025-03-31 Q1 10"}},
		{"what does not say counts as the group's", group + "\n2025-6 - 2025-06-30 901 2025-09-01T15:00:00Z", fundamentals.Quarterly, "",
			[]string{"2025-09-30 Q3 990", "2025-06-30 Q2 901"}},
		{"unless there is none", solo + "\n2025-6 - 2025-06-30 21 2025-07-01T15:00:00Z", fundamentals.Quarterly, "",
			[]string{"2025-06-30 Q2 22", "2025-03-31 Q1 10"}},
		{"a filing that comes again with its kind", solo + "\n2025-6 - 2025-06-30 21 2025-08-01T15:00:00Z", fundamentals.Quarterly, "",
			[]string{"2025-06-30 Q2 22", "2025-03-31 Q1 10"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.reads(shelve(books("bist:DMOST", c.filed)...))
			args := asked(c.timeframe)
			if c.choice != "" {
				args.Consolidation = &c.choice
			}
			var got []string
			for _, p := range a.series(t, "bist:DMOST", args).Periods {
				got = append(got, told(p))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}
