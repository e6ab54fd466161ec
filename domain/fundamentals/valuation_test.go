package fundamentals_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
)

// Annual filings of the worked figures.
var (
	lastYear = []string{"np 295000000"}
	thisYear = []string{
		"profit 3150000000", "np 640000000", "da 1260000000", "cash 1850000000", "invest 450000000", "short 2400000000", "long 3900000000",
		"equity 31000000000", "parent 30250000000", "minority 750000000",
	}
)

// company files two annual statements of bist:DMOST and lets its market
// capitalisation and P/E be known. Each edit replaces a line of the newest
// statement, as "code value", or leaves it out, as "-code".
func (a *fixture) company(t testing.TB, metrics string, edits ...string) {
	t.Helper()
	a.files(t, filed("bist:DMOST 2024 12", lastYear...), filed("bist:DMOST 2025 12", edited(thisYear, edits...)...))
	if metrics != "" {
		a.hears(t, "bist:DMOST 2026-03-18 "+metrics)
	}
}

// edited are lines after edits.
func edited(lines []string, edits ...string) []string {
	lines = slices.Clone(lines)
	for _, e := range edits {
		code, _, replaced := strings.Cut(strings.TrimPrefix(e, "-"), " ")
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, code+" ") })
		switch {
		case i >= 0 && replaced:
			lines[i] = e
		case i >= 0:
			lines = slices.Delete(lines, i, i+1)
		default:
			lines = append(lines, e)
		}
	}
	return lines
}

// answers demands answers of metrics by name.
func answers(t testing.TB, v *fundamentals.Valuation, want map[string]string) {
	t.Helper()
	all := named(v)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got := answer(all[name]); got != want[name] {
			t.Errorf("%s is %s, want %s\n%s", name, got, want[name], metric(all[name]))
		}
	}
}

// V-25 to V-32, V-35 to V-47: one annual statement and one of the year before.
func TestMetrics(t *testing.T) {
	a := newFixture(t)
	for _, c := range []struct {
		name, market string
		edits        []string
		want         map[string]string
	}{
		{"V-25", "52500000000 12.4", nil, map[string]string{"pb_ratio": "1.7355", "pe_ratio": "12.4"}},
		{"V-26", "1000000 1", []string{"parent 1000000000"}, map[string]string{"pb_ratio": "!out_of_range"}},
		{"V-27", "1000001 1", []string{"parent 1000000000"}, map[string]string{"pb_ratio": "0.001"}},
		{"V-28", "52500000000 1", []string{"parent 52500000"}, map[string]string{"pb_ratio": "!out_of_range"}},
		{"V-29", "52499000000 1", []string{"parent 52500000"}, map[string]string{"pb_ratio": "999.981"}},
		{"G-49, in range and printed as its bound", "99999999600 1", []string{"parent 100000000"}, map[string]string{"pb_ratio": "1000"}},
		{"V-30", "52500000000 1", []string{"parent -2000000000"}, map[string]string{"pb_ratio": "!out_of_range"}},
		{"no equity", "52500000000 1", []string{"-parent"}, map[string]string{"pb_ratio": "!missing_input"}},
		{"equity of zero", "52500000000 1", []string{"parent 0"}, map[string]string{"pb_ratio": "!missing_input"}},
		{"equity without a value", "52500000000 1", []string{"parent -"}, map[string]string{"pb_ratio": "!missing_input"}},
		{"V-31", "0 1", nil, map[string]string{"pb_ratio": "!missing_input", "ev": "!missing_input", "ev_ebitda": "!missing_input",
			"ebitda": "4410000000", "net_debt": "4000000000", "ebitda_ttm": "4410000000", "pe_ratio": "1"}},
		{"V-31, and nothing said", "- 1", nil, map[string]string{"pb_ratio": "!missing_input", "ev": "!missing_input",
			"ev_ebitda": "!missing_input", "ebitda": "4410000000", "net_debt": "4000000000"}},
		{"V-32", "52500000000 0.00", nil, map[string]string{"pe_ratio": "!zero_in_source", "peg": "!missing_input",
			"eps_growth_pct": "116.9492"}},
		{"V-32, and nothing said", "52500000000 -", nil, map[string]string{"pe_ratio": "!not_provided_by_source", "peg": "!missing_input"}},
		{"the P/E of a loss", "1 -3.40", nil, map[string]string{"pe_ratio": "!non_positive_base", "peg": "!missing_input"}},
		{"V-33", "1 1", nil, map[string]string{"ebitda": "4410000000", "ebitda_ttm": "4410000000"}},
		{"V-35", "52500000000 1", []string{"da 0"}, map[string]string{"ebitda": "!missing_input", "ebitda_ttm": "!missing_input",
			"ev_ebitda": "!missing_input", "ev": "56500000000"}},
		{"V-36", "1 1", nil, map[string]string{"net_debt": "4000000000"}},
		{"V-36, leases shown apart", "1 1", []string{"leases 900000000"}, map[string]string{"net_debt": "4000000000"}},
		{"V-37", "1 1", []string{"short 100000000", "long 150000000", "cash 900000000", "invest 300000000"},
			map[string]string{"net_debt": "-950000000"}},
		{"V-38", "52500000000 1", []string{"invest 0"},
			map[string]string{"net_debt": "!missing_input", "ev": "!missing_input", "ev_ebitda": "!missing_input", "ebitda": "4410000000"}},
		{"V-39", "52500000000 1", nil, map[string]string{"ev": "56500000000", "ev_ebitda": "12.8118"}},
		{"V-40", "800000000 1", []string{"short 100000000", "long 150000000", "cash 900000000", "invest 300000000", "profit 150000000",
			"da 60000000"}, map[string]string{"net_debt": "-950000000", "ev": "-150000000", "ebitda_ttm": "210000000",
			"ev_ebitda": "!non_positive_ev"}},
		{"V-41", "950000000 1", []string{"short 100000000", "long 150000000", "cash 900000000", "invest 300000000"},
			map[string]string{"ev": "0", "ev_ebitda": "!non_positive_ev"}},
		{"V-42", "52500000000 1", []string{"profit -500000000", "da 320000000"},
			map[string]string{"ev": "56500000000", "ebitda": "-180000000", "ebitda_ttm": "-180000000",
				"ev_ebitda": "!non_positive_ebitda_ttm"}},
		{"V-42, exactly zero", "52500000000 1", []string{"profit -320000000", "da 320000000"},
			map[string]string{"ebitda_ttm": "0", "ev_ebitda": "!non_positive_ebitda_ttm"}},
		{"V-43", "1 12.4", nil, map[string]string{"eps_growth_pct": "116.9492", "peg": "0.106"}},
		{"V-44", "1 12.4", []string{"np 221250000"}, map[string]string{"eps_growth_pct": "-25", "peg": "!non_positive_growth"}},
		{"V-45", "1 12.4", []string{"np 295000000"}, map[string]string{"eps_growth_pct": "0", "peg": "!non_positive_growth"}},
		{"V-46", "1 12.4", []string{"np -44250000"}, map[string]string{"eps_growth_pct": "-115", "peg": "!non_positive_growth"}},
		{"growth that is rounded to nothing is still growth", "1 12.4", []string{"np 295000000.01"},
			map[string]string{"eps_growth_pct": "0", "peg": "3658000000"}},
		{"no profit stated", "1 12.4", []string{"np 0"}, map[string]string{"eps_growth_pct": "!missing_input", "peg": "!missing_input"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.company(t, c.market, c.edits...)
			answers(t, a.value(t, "bist:DMOST"), c.want)
		})
	}
}

// V-44 to V-48: growth by two profits; V-48 across the change of accounting.
func TestGrowth(t *testing.T) {
	const plain = "nominal, includes inflation"
	const across = plain + "; the two years are in different measuring units (inflation_adjusted, nominal)"
	for _, c := range []struct {
		name, before, now         string
		growth, peg, inputs, note string
	}{
		{"V-43", "2024 12 295000000", "2025 12 640000000", "116.9492", "0.106", "640000000 295000000", plain},
		{"V-44", "2024 12 200000000", "2025 12 150000000", "-25", "!non_positive_growth", "150000000 200000000", plain},
		{"V-45", "2024 12 200000000", "2025 12 200000000", "0", "!non_positive_growth", "200000000 200000000", plain},
		{"V-46", "2024 12 200000000", "2025 12 -30000000", "-115", "!non_positive_growth", "-30000000 200000000", plain},
		{"V-47", "2024 12 -50000000", "2025 12 30000000", "!non_positive_base", "!missing_input", "30000000 -50000000", "-"},
		{"V-48", "2023 12 385750000", "2024 12 295000000", "-23.5256", "!non_positive_growth", "295000000 385750000", across},
		{"two nominal years", "2022 12 100", "2023 12 150", "50", "0.248", "150 100", plain},
		{"nothing filed a year before", "2023 12 1", "2025 12 640000000", "!missing_input_period", "!missing_input", "", "-"},
		{"nothing stated a year before", "2024 12 -", "2025 12 640000000", "!missing_input", "!missing_input", "640000000 -",
			"missing or zero: net_profit_parent_ttm_prior"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			for _, text := range []string{c.before, c.now} {
				at := strings.LastIndexByte(text, ' ')
				a.files(t, filed("bist:DMOST "+text[:at], "np "+text[at+1:]))
			}
			a.hears(t, "bist:DMOST 2026-03-18 1 12.4")
			v := a.value(t, "bist:DMOST")
			answers(t, v, map[string]string{"eps_growth_pct": c.growth, "peg": c.peg})
			var inputs []string
			for i, in := range v.EPSGrowthPct.Inputs {
				if want := []string{"net_profit_parent_ttm", "net_profit_parent_ttm_prior"}[i]; in.Name != want {
					t.Errorf("input %s, want %s", in.Name, want)
				}
				inputs = append(inputs, shown(in.Value))
			}
			if got := strings.Join(inputs, " "); got != c.inputs || or(v.EPSGrowthPct.Note) != c.note {
				t.Errorf("inputs %q, note %q; want %q, %q", got, or(v.EPSGrowthPct.Note), c.inputs, c.note)
			}
		})
	}
}

// The whole of a valuation: inputs by name, sources, notes (VAL-01 to VAL-06,
// V-33, V-54).
func TestValuationShape(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	v := a.value(t, "bist:DMOST")
	want := []string{
		"ebitda 4410000000 | quarterly#2025-12 2025-12-31 | operating_profit=3150000000 depreciation_and_amortisation=1260000000 | -",
		"ebitda_ttm 4410000000 | ttm#2025-12 2025-12-31 | operating_profit=3150000000 depreciation_and_amortisation=1260000000 | -",
		"eps_growth_pct 116.9492 | ttm#2025-12 2025-12-31 | net_profit_parent_ttm=640000000 net_profit_parent_ttm_prior=295000000 | " +
			"nominal, includes inflation",
		"ev 56500000000 | quarterly#2025-12 2025-12-31 | market_cap=52500000000 net_debt=4000000000 | -",
		"ev_ebitda 12.8118 | ttm#2025-12 2025-12-31 | ev=56500000000 ebitda_ttm=4410000000 | -",
		"market cap 52500000000 billions 52.5 category large reason -",
		"net_debt 4000000000 | quarterly#2025-12 2025-12-31 | short_term_financial_debt=2400000000 long_term_financial_debt=3900000000 " +
			"cash_and_equivalents=1850000000 short_term_financial_investments=450000000 | -",
		"pb_ratio 1.7355 | quarterly#2025-12 2025-12-31 | market_cap=52500000000 equity_attributable_to_parent=30250000000 | -",
		"pe_ratio 12.4 | -  | | -",
		"peg 0.106 | ttm#2025-12 2025-12-31 | pe_ratio=12.4 eps_growth_pct=116.9492 | -",
	}
	if got := metrics(v); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if v.InstrumentID != "bist:DMOST" || v.Market != market.EquityBIST || v.Currency != "TRY" || or(v.Source) != "distributor" ||
		v.AsOf.String() != "2026-03-18T11:45:00Z" ||
		v.DataDate.String() != "2026-03-18" || v.CoverageFrom.String() != "2025-09-20" || v.Disclaimer != "Not investment advice." ||
		!v.FxRate.IsNull() || !v.FxAsOf.IsNull() {
		t.Errorf("%+v", *v)
	}
	text, err := json.Marshal(v.MarketCap)
	if want := `{"value":"52500000000","billions":"52.5","category":"large","null_reason":null}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	// V-38: the note names what is missing, and the inputs show the zero.
	a.company(t, "", "invest 0.0")
	if got, want := metric(a.value(t, "bist:DMOST").NetDebt),
		"!missing_input | quarterly#2025-12 2025-12-31 | short_term_financial_debt=2400000000 long_term_financial_debt=3900000000 "+
			"cash_and_equivalents=1850000000 short_term_financial_investments=0.0 | missing or zero: "+
			"short_term_financial_investments"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// V-34, VAL-20: from 2024 an interim filing leaves the twelve months open,
// whatever else was filed.
func TestMetricsOfAnInterimFiling(t *testing.T) {
	interim := func(year, month string) *fundamentals.Statement {
		return filed("bist:DMOST "+year+" "+month, "profit 2300000000", "da 905000000", "np 5", "cash 1", "invest 1", "short 2", "long 3",
			"parent 1000")
	}
	annual := func(year string) *fundamentals.Statement {
		return filed("bist:DMOST "+year+" 12", "profit 4", "da 4", "np 4")
	}
	const unit = "!measuring_unit_mismatch"
	for _, c := range []struct {
		name  string
		filed []*fundamentals.Statement
		want  map[string]string
	}{
		{"V-34", []*fundamentals.Statement{interim("2025", "9"), interim("2024", "9"), annual("2024"), annual("2023")}, map[string]string{
			"ebitda": "3205000000", "ebitda_ttm": unit, "ev_ebitda": unit, "eps_growth_pct": unit, "peg": unit, "ev": "103",
			"net_debt": "3", "pb_ratio": "0.1",
		}},
		{"V-34, nothing before", []*fundamentals.Statement{interim("2025", "9")},
			map[string]string{"ebitda": "3205000000", "ebitda_ttm": unit, "ev_ebitda": unit, "eps_growth_pct": unit, "peg": unit}},
		{"the first interim filing of the new accounting", []*fundamentals.Statement{
			interim("2024", "3"), interim("2023", "3"), annual("2023"), annual("2022"), interim("2022", "3"),
		}, map[string]string{"ebitda_ttm": unit, "ev_ebitda": unit, "eps_growth_pct": unit, "peg": unit}},
		{"the first interim filing of the new accounting, and too little a year before", []*fundamentals.Statement{
			interim("2024", "3"), interim("2023", "3"), annual("2023"),
		}, map[string]string{"ebitda_ttm": unit, "ev_ebitda": unit, "eps_growth_pct": "!missing_input_period", "peg": unit}},
		{"an interim filing of the old accounting", []*fundamentals.Statement{interim("2023", "9"),
			with(interim("2022", "9"), func(s *fundamentals.Statement) { s.Items[0].Value = figure("300000000") }), annual("2022"),
			annual("2021"), interim("2021", "9")}, map[string]string{
			"ebitda": "3205000000", "ebitda_ttm": "2000000008", "eps_growth_pct": "0", "ev_ebitda": "0", "peg": "!non_positive_growth",
		}},
		{"an interim filing of the old accounting with a hole", []*fundamentals.Statement{interim("2023", "9"), annual("2022")},
			map[string]string{
				"ebitda": "3205000000", "ebitda_ttm": "!missing_input_period", "eps_growth_pct": "!missing_input_period",
				"ev_ebitda": "!missing_input", "peg": "!missing_input",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.files(t, c.filed...)
			a.hears(t, "bist:DMOST 2026-03-18 100 12.4")
			v := a.value(t, "bist:DMOST")
			answers(t, v, c.want)
			p := c.filed[0].Period().String()
			if or(v.EBITDA.SourcePeriod) != "quarterly#"+p || v.EBITDA.PeriodEnd != c.filed[0].EndDate {
				t.Errorf("ebitda: %s", metric(v.EBITDA))
			}
			for _, m := range []*fundamentals.Metric{v.EBITDATTM, v.EVEBITDA, v.EPSGrowthPct, v.PEG} {
				if or(m.SourcePeriod) != "ttm#"+p || m.PeriodEnd != c.filed[0].EndDate {
					t.Errorf("a metric of twelve months: %s", metric(m))
				}
			}
		})
	}
}

var totalEquityLabels = []string{
	"Özkaynaklar", "Özkaynak", "Özsermaye", "Toplam Özkaynaklar", "Toplam Özkaynak", "Toplam Özsermaye",
	"Özkaynaklar Toplamı", "Özkaynak Toplamı", "Özsermaye Toplamı",
}

// V-49 to V-51, VAL-15 to VAL-17: banks and insurers by the labels of lines, in
// whatever letters.
func TestBanksAndInsurers(t *testing.T) {
	for _, c := range []struct {
		name, market string
		template     fundamentals.Template
		lines        []string
		want, equity string
		note         string
	}{
		{"V-49", "214560000000", fundamentals.Bank, []string{"Özkaynaklar 180000000000", "Azınlık Payları 1200000000"}, "1.2",
			"178800000000", `equity of the parent is the line "Özkaynaklar" less "Azınlık Payları"`},
		{"V-49 in capital letters", "214560000000", fundamentals.Bank, []string{"AZINLIK PAYLARI 1200000000", "ÖZKAYNAKLAR 180000000000"},
			"1.2", "178800000000", `equity of the parent is the line "ÖZKAYNAKLAR" less "AZINLIK PAYLARI"`},
		{"small letters and blanks around", "214560000000", fundamentals.Bank,
			[]string{" özkaynaklar  180000000000", "azınlık hakları 1200000000"}, "1.2", "178800000000",
			`equity of the parent is the line " özkaynaklar " less "azınlık hakları"`},
		{"V-50", "24000000000", fundamentals.Insurer, []string{"Özsermaye 9600000000"}, "2.5", "9600000000",
			`total equity, the line "Özsermaye": minorities are not shown separately`},
		{"V-50, minorities of zero", "24000000000", fundamentals.Insurer, []string{"Özsermaye 9600000000", "Azınlık Payları 0"}, "2.5",
			"9600000000", `total equity, the line "Özsermaye": the line "Azınlık Payları" is 0`},
		{"V-50, minorities without a value", "24000000000", fundamentals.Insurer, []string{"Özsermaye 9600000000", "Azınlık Payları -"},
			"2.5", "9600000000", `total equity, the line "Özsermaye": the line "Azınlık Payları" has no figure`},
		{"the parent's own line comes first", "24000000000", fundamentals.Bank,
			[]string{"Özkaynaklar 1", "Azınlık Payları 1", "ANA ORTAKLIĞA AİT ÖZKAYNAKLAR 12000000000"}, "2", "12000000000",
			`equity of the parent is the line "ANA ORTAKLIĞA AİT ÖZKAYNAKLAR"`},
		{"labels in order of preference", "100", fundamentals.Bank, []string{"Toplam Özkaynaklar 1", "Özkaynaklar 50"}, "2", "50",
			`total equity, the line "Özkaynaklar": minorities are not shown separately`},
		{"a heading has the label of its sum", "100", fundamentals.Insurer,
			[]string{"V- Özsermaye 0", "ÖZSERMAYE -", "Özsermaye Toplamı 50"}, "2", "50",
			`total equity, the line "Özsermaye Toplamı": minorities are not shown separately`},
		{"a parent's line that states nothing", "100", fundamentals.Bank, []string{"Ana Ortaklığa Ait Özkaynaklar 0", "Özkaynaklar 50"},
			"2", "50", `total equity, the line "Özkaynaklar": minorities are not shown separately`},
		{"marks", "100", fundamentals.Bank, []string{"Özkaynaklar (*) 60", "Azınlık Payları (-) 10"}, "2", "50",
			`equity of the parent is the line "Özkaynaklar (*)" less "Azınlık Payları (-)"`},
		{"the role of a line before labels", "100", fundamentals.Bank,
			[]string{"parent 7", "Ana Ortaklığa Ait Özkaynaklar 8", "Özkaynaklar 50"}, "14.2857", "7",
			`equity of the parent is the line "Satır parent"`},
		{"roles of total and minorities before labels", "100", fundamentals.Insurer,
			[]string{"Özkaynaklar 50", "equity 80", "Azınlık Payları 1", "minority 30"}, "2", "50",
			`equity of the parent is the line "Satır equity" less "Satır minority"`},
		{"a role and a label", "100", fundamentals.Bank, []string{"equity 80", "16.5 Azınlık Payları 30"}, "2", "50",
			`equity of the parent is the line "Satır equity" less "16.5 Azınlık Payları"`},
		{"a role without a figure hides the label", "100", fundamentals.Bank, []string{"equity -", "Özkaynaklar 50"}, "!missing_input", "-",
			`missing or zero: equity_attributable_to_parent; equity is the line "Satır equity"`},
		{"no line", "100", fundamentals.Bank, []string{"minority 7"}, "!missing_input", "-",
			`missing or zero: equity_attributable_to_parent; no line is total equity by its role, or by a label such as ` +
				fmt.Sprintf("%q", totalEquityLabels)},
		{"a line of zero", "100", fundamentals.Bank, []string{"Özkaynaklar 0.00"}, "!missing_input", "-",
			`missing or zero: equity_attributable_to_parent; equity is the line "Özkaynaklar"`},
		{"negative equity", "100", fundamentals.Insurer, []string{"Özkaynaklar 5", "Azınlık Payları 6"}, "!out_of_range", "-1",
			`equity of the parent is the line "Özkaynaklar" less "Azınlık Payları"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			lines := append([]string{"profit 9", "da 9", "cash 9", "invest 9", "short 9", "long 9", "np 640000000"}, c.lines...)
			a.files(t, with(filed("bist:DMBNK 2024 12", "np 295000000"), by(c.template)),
				with(filed("bist:DMBNK 2025 12", lines...), by(c.template)))
			a.hears(t, "bist:DMBNK 2026-03-18 "+c.market+" 12.4")
			v := a.value(t, "bist:DMBNK")
			answers(t, v, map[string]string{
				"pb_ratio": c.want, "eps_growth_pct": "116.9492", "peg": "0.106", // V-51
				"ebitda": "!bank_or_insurer_template", "ebitda_ttm": "!bank_or_insurer_template", "net_debt": "!bank_or_insurer_template",
				"ev": "!bank_or_insurer_template", "ev_ebitda": "!bank_or_insurer_template",
			})
			if equity := v.PbRatio.Inputs[1]; equity.Name != "equity_attributable_to_parent" || shown(equity.Value) != c.equity ||
				or(v.PbRatio.Note) != c.note {
				t.Errorf("%s\nwant %s, %s", metric(v.PbRatio), c.equity, c.note)
			}
			checkMetrics(t, v)
		})
	}
	a := newFixture(t)
	a.files(t, with(filed("bist:DMSIG 2025 12", "Özkaynaklar 7", "özkaynaklar 8", "Özkaynaklar  50"), by(fundamentals.Insurer),
		func(s *fundamentals.Statement) {
			s.Items[0].Group, s.Items[1].Kind = fundamentals.CashFlow, fundamentals.Flow // are no lines of a balance sheet
		}))
	a.hears(t, "bist:DMSIG 2026-03-18 100 1")
	answers(t, a.value(t, "bist:DMSIG"), map[string]string{"pb_ratio": "2"})
	a.files(t, with(filed("bist:DMBNK 2025 9"), by(fundamentals.Bank)))
	answers(t, a.value(t, "bist:DMBNK"), map[string]string{"ebitda_ttm": "!bank_or_insurer_template",
		"ev_ebitda": "!bank_or_insurer_template", "eps_growth_pct": "!measuring_unit_mismatch", "peg": "!measuring_unit_mismatch",
		"pe_ratio": "!not_provided_by_source"})
}

// V-52 to V-54, VAL-23 to VAL-28: money converts at the current rate, each
// figure by itself; nothing else does.
func TestValuationInOtherMoney(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	for _, c := range []struct {
		name                                                      string
		currency                                                  market.Currency
		value, billions, equity, ebitda, debt, ev, rate, observed string
	}{
		{"V-52", market.USD, "1272727272.73", "1.27", "733333333.33", "106909090.91", "96969696.97", "1369696969.7", "0.0242424242424",
			"2026-03-18T11:44:30Z"},
		{"V-53", market.EUR, "1171352074.97", "1.17", "674921909.86", "98393574.3", "89245872.38", "1260597947.34", "0.0223114680946",
			"2026-03-18T11:44:20Z"},
		{"V-54", market.TRY, "52500000000", "52.5", "30250000000", "4410000000", "4000000000", "56500000000", "-", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := a.value(t, "bist:DMOST", c.currency)
			answers(t, v, map[string]string{
				"ebitda": c.ebitda, "ebitda_ttm": c.ebitda, "net_debt": c.debt, "ev": c.ev,
				"pb_ratio": "1.7355", "ev_ebitda": "12.8118", "pe_ratio": "12.4", "eps_growth_pct": "116.9492", "peg": "0.106",
			})
			if m := v.MarketCap; m.Value.String() != c.value || m.Billions.String() != c.billions || or(m.Category) != "large" {
				t.Errorf("market cap %s, %s billions, %s", m.Value, m.Billions, or(m.Category))
			}
			if v.Currency != string(c.currency) || shown(v.FxRate) != c.rate || v.FxAsOf.String() != c.observed {
				t.Errorf("%s at %s of %s", v.Currency, shown(v.FxRate), v.FxAsOf)
			}
			inputs := map[string]string{}
			for _, m := range named(v) {
				for _, i := range m.Inputs {
					inputs[i.Name] = i.Value.String()
				}
			}
			for name, want := range map[string]string{"market_cap": c.value, "equity_attributable_to_parent": c.equity, "net_debt": c.debt,
				"ev": c.ev, "ebitda_ttm": c.ebitda, "pe_ratio": "12.4", "eps_growth_pct": "116.9492"} {
				if inputs[name] != want {
					t.Errorf("input %s is %s, want %s", name, inputs[name], want)
				}
			}
		})
	}
	// VAL-27: no rate, and none that is fresh.
	ctx, call := holder()
	a.rate("fx:USDTRY", "2026-03-18T10:59:59Z", "41.25")
	a.now = value.MustInstant("2026-03-18T13:00:00Z")
	_, err := a.Valuation(ctx, "bist:DMOST", new(market.USD))
	refusal(t, "an old rate", err, problem.FXRateUnavailable)
	if call.Units() != 0 {
		t.Errorf("a refusal cost %d units", call.Units())
	}
	if v := a.value(t, "bist:DMOST", market.TRY); v.Currency != "TRY" {
		t.Errorf("in %s", v.Currency)
	}
}

// G-48: the buckets at their edges, in lira whatever the currency.
func TestSizes(t *testing.T) {
	a := newFixture(t)
	for _, c := range []struct{ value, billions, size string }{
		{"250000000000.5", "250", "mega"}, {"100000000000", "100", "mega"}, {"99999999999.99", "100", "large"},
		{"25000000000", "25", "large"}, {"24999999999.99", "25", "mid"},
		{"5000000000.00", "5", "mid"}, {"4999999999", "5", "small"}, {"1000000000", "1", "small"}, {"999999999.999", "1", "micro"},
		{"4999999", "0", "micro"}, {"5000000", "0.01", "micro"}, {"0.01", "0", "micro"},
	} {
		a.Live = fundamentals.NewLive()
		a.hears(t, "bist:DMOST 2026-03-18 "+c.value+" 1")
		for _, currency := range []market.Currency{market.TRY, market.USD} {
			m := a.value(t, "bist:DMOST", currency).MarketCap
			if or(m.Category) != c.size || currency == market.TRY && (m.Value.String() != c.value || m.Billions.String() != c.billions) {
				t.Errorf("%s in %s: %s, %s billions, %s; want %s billions, %s",
					c.value, currency, m.Value, m.Billions, or(m.Category), c.billions, c.size)
			}
		}
	}
	// Billions come from the unrounded conversion: 1004999999.9951… dollars, whose cents are 1005000000.
	a.Live = fundamentals.NewLive()
	a.hears(t, "bist:DMOST 2026-03-18 41456249999.84 1")
	if m := a.value(t, "bist:DMOST", market.USD).MarketCap; m.Value.String() != "1005000000" || m.Billions.String() != "1" {
		t.Errorf("%s dollars, %s billions", m.Value, m.Billions)
	}
	for text, reason := range map[string]string{"0": "zero_in_source", "0.00": "zero_in_source", "-": "not_provided_by_source"} {
		a.Live = fundamentals.NewLive()
		a.hears(t, "bist:DMOST 2026-03-18 "+text+" 1")
		for _, currency := range []market.Currency{market.TRY, market.USD} {
			if m := a.value(t, "bist:DMOST", currency).MarketCap; !m.Value.IsNull() || !m.Billions.IsNull() || m.Category != nil ||
				or(m.NullReason) != reason {
				t.Errorf("%s: %+v", text, *m)
			}
		}
	}
}

// UV-01, UV-02, G-85.
func TestValuationUS(t *testing.T) {
	for _, c := range []struct {
		name, metrics string
		filed         []*fundamentals.Statement
		pe, pb        string
	}{
		{"a year", "3000 99", []*fundamentals.Statement{filed("us:DMAP 2025 12", "np 120", "parent 700")},
			"25 | ttm#2025-12 2025-12-31 | market_cap=3000 net_profit_parent_ttm=120 | -",
			"4.2857 | quarterly#2025-12 2025-12-31 | market_cap=3000 equity_attributable_to_parent=700 | -"},
		{"a quarter", "3000 99", []*fundamentals.Statement{filed("us:DMAP 2025 3", "np 50", "parent 700"), filed("us:DMAP 2024 3", "np 30"),
			filed("us:DMAP 2024 12", "np 100")}, "25 | ttm#2025-03 2025-03-31 | market_cap=3000 net_profit_parent_ttm=120 | -",
			"4.2857 | quarterly#2025-03 2025-03-31 | market_cap=3000 equity_attributable_to_parent=700 | -"},
		{"a loss and debts", "3000 99", []*fundamentals.Statement{filed("us:DMAP 2025 12", "np -1", "parent -2")},
			"!non_positive_base | ttm#2025-12 2025-12-31 | market_cap=3000 net_profit_parent_ttm=-1 | -",
			"!non_positive_base | quarterly#2025-12 2025-12-31 | market_cap=3000 equity_attributable_to_parent=-2 | -"},
		{"no market cap", "0 99", []*fundamentals.Statement{filed("us:DMAP 2025 12", "np 1", "parent 2")},
			"!missing_input | ttm#2025-12 2025-12-31 | market_cap=- net_profit_parent_ttm=1 | missing or zero: market_cap",
			"!missing_input | quarterly#2025-12 2025-12-31 | market_cap=- equity_attributable_to_parent=2 | missing or zero: market_cap"},
		{"a hole", "3000 99", []*fundamentals.Statement{filed("us:DMAP 2025 3", "np 50", "parent 700")},
			"!missing_input_period | ttm#2025-03 2025-03-31 | | -",
			"4.2857 | quarterly#2025-03 2025-03-31 | market_cap=3000 equity_attributable_to_parent=700 | -"},
		{"no statements", "3000 99", nil, "!missing_input_period | -  | | there are no statements in USD",
			"!missing_input_period | -  | | there are no statements in USD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			a.files(t, c.filed...)
			a.hears(t, "us:DMAP 2026-03-18 "+c.metrics)
			v := a.value(t, "us:DMAP")
			if pe, pb := metric(v.PeRatio), metric(v.PbRatio); pe != c.pe || pb != c.pb {
				t.Errorf("got  %s\n     %s\nwant %s\n     %s", pe, pb, c.pe, c.pb)
			}
			for name, m := range named(v) {
				if name != "pe_ratio" && name != "pb_ratio" && metric(m) != "!not_covered_for_market | -  | | -" {
					t.Errorf("%s: %s", name, metric(m))
				}
			}
			if v.Market != market.EquityUS || v.Currency != "USD" || v.MarketCap.Category != nil || !v.CoverageFrom.IsNull() {
				t.Errorf("%+v %+v", *v, *v.MarketCap)
			}
			lira := a.value(t, "us:DMAP", market.TRY)
			if lira.Currency != "TRY" || lira.FxRate.String() != "41.25" || answer(lira.PeRatio) != answer(v.PeRatio) ||
				!v.MarketCap.Value.IsNull() && lira.MarketCap.Value.String() != "123750" {
				t.Errorf("in lira: %+v %+v", *lira, *lira.MarketCap)
			}
		})
	}
}

// VAL-21, VAL-22, VAL-29: what is refused.
func TestValuationRefusals(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	ctx, call := holder()
	for _, id := range []string{"bist:DMALTF", "us:DMETF", "bist:DMALT", "bist:NOPE", "us:NOPE", "fund:DMF", "crypto:1", "DMOST", "",
		"bist:DMBNK", "us:DMAP"} {
		_, err := a.Valuation(ctx, id, nil)
		refusal(t, id, err, problem.NotFound)
		_, err = a.Valuation(stranger(), id, nil)
		refusal(t, id+" without the scope", err, problem.MissingScope)
	}
	if call.Units() != 0 {
		t.Errorf("refusals cost %d units", call.Units())
	}
	if v, err := a.Valuation(ctx, "bist:dmost", nil); err != nil || v.InstrumentID != "bist:DMOST" || call.Units() != 1 {
		t.Errorf("%v, %v for %d units", v, err, call.Units())
	}
	_ = a.db.Close()
	if _, err := a.Valuation(ctx, "bist:DMOST", nil); err == nil || call.Units() != 1 {
		t.Errorf("a store that does not answer: %v for %d units", err, call.Units())
	}
}

// Either side of a valuation may be all that is known.
func TestHalfAValuation(t *testing.T) {
	a := newFixture(t)
	a.files(t, filed("bist:DMOST 2025 12", thisYear...))
	v := a.value(t, "bist:DMOST")
	answers(t, v, map[string]string{"pe_ratio": "!not_provided_by_source", "pb_ratio": "!missing_input", "ebitda": "4410000000",
		"ev": "!missing_input", "eps_growth_pct": "!missing_input_period"})
	if or(v.MarketCap.NullReason) != "not_provided_by_source" || v.Source != nil || !v.AsOf.IsNull() || !v.DataDate.IsNull() {
		t.Errorf("%+v %+v", *v, *v.MarketCap)
	}
	a.hears(t, "bist:DMBNK 2026-03-18 100 12.4")
	v = a.value(t, "bist:DMBNK")
	answers(t, v, map[string]string{
		"pe_ratio": "12.4", "pb_ratio": "!missing_input_period", "ebitda": "!missing_input_period", "ebitda_ttm": "!missing_input_period",
		"net_debt": "!missing_input_period",
		"ev":       "!missing_input", "ev_ebitda": "!missing_input", "eps_growth_pct": "!missing_input_period", "peg": "!missing_input",
	})
	checkMetrics(t, v)
}

// Only the newest metrics count, in whatever order they are heard.
func TestNewestMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := fundamentals.NewLive()
		a := &fixture{&dividendFixture{Service: &fundamentals.Service{Market: &market.Service{Live: market.NewLive(),
			Now: func() value.Instant { return value.MustInstant("2026-03-20T12:00:00Z") }},
			Histories: fundamentals.NewHistoryCache(statementStore{}, 0, nil), Live: live, Lines: fundamentals.ShippedLines()}}}
		a.Market.Live.PutCatalog([]*market.Instrument{{InstrumentID: "bist:DMOST", Symbol: "DMOST", Market: market.BIST,
			AssetType: market.Stock, Currency: "TRY"}}, nil)
		days := rapid.SliceOfNDistinct(rapid.IntRange(1, 20), 1, 6, rapid.ID).Draw(t, "days")
		for _, day := range days {
			live.PutMetrics([]*fundamentals.Metrics{{InstrumentID: "bist:DMOST", Date: value.MustDate(fmt.Sprintf("2026-03-%02d", day)),
				MarketCap: value.MustDecimal(fmt.Sprint(day))}})
		}
		if v := a.value(t, "bist:DMOST"); v.MarketCap.Value.String() != fmt.Sprint(slices.Max(days)) {
			t.Fatalf("%s of %v", v.MarketCap.Value, days)
		}
	})
}

func TestMetricsValidate(t *testing.T) {
	for value, want := range map[string]string{"-": "", "0": "", "0.01": "", "-0.01": "market_cap"} {
		m := fundamentals.Metrics{InstrumentID: "bist:DMOST", MarketCap: figure(value), PeRatio: figure("-5")}
		if err := m.Validate(); valuetest.InvalidMember(t, err) != want {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}
