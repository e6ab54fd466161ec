package fundamentals_test

import (
	"strings"
	"testing"

	"piyasa/domain/fundamentals"
	"piyasa/test/fixture/need"
)

// V-38, G-45: that a company has no short-term investments can be believed, by
// data alone.
func TestZeroThatIsBelieved(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4", "invest 0", "short 0", "da 0")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "!missing_input", "ev": "!missing_input",
		"ebitda": "!missing_input"})
	relaxed, err := fundamentals.ShippedLines().With([]byte(`{"zero_is_missing": ["operating_profit", "depreciation_and_amortisation", "net_profit_parent",
		"equity_attributable_to_parent", "total_equity", "minority_interest", "cash_and_equivalents"]}`))
	need.NoError(t, err)
	a.Lines = relaxed
	// 0 + 3900000000 - 1850000000 - 0
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "2050000000", "ev": "54550000000", "ebitda": "!missing_input",
		"ev_ebitda": "!missing_input"})
	a.company(t, "52500000000 12.4", "invest -")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "!missing_input"})
}

// A zero that is believed is still no divisor.
func TestZeroIsNoDivisor(t *testing.T) {
	a := newFixture(t)
	lines, err := fundamentals.ShippedLines().With([]byte(`{"zero_is_missing": []}`))
	need.NoError(t, err)
	a.Lines = lines
	a.files(t, filed("bist:DMOST 2025 12", edited(thisYear, "parent 0", "profit 0", "da 0")...), filed("bist:DMOST 2024 12", "np 0"),
		filed("us:DMAP 2025 12", "np 0", "parent 0.00"))
	a.hears(t, "bist:DMOST 2026-03-18 52500000000 12.4", "us:DMAP 2026-03-18 52500000000 12.4")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"pb_ratio": "!out_of_range", "ebitda_ttm": "0",
		"ev_ebitda": "!non_positive_ebitda_ttm", "eps_growth_pct": "!non_positive_base", "peg": "!missing_input"})
	answers(t, a.value(t, "us:DMAP"), map[string]string{"pe_ratio": "!non_positive_base", "pb_ratio": "!non_positive_base"})
}

// A line that names its role comes before one that the table names, and of
// several the first.
func TestWhichLineHasARole(t *testing.T) {
	role := func(code, value string, role *fundamentals.Role) fundamentals.Item {
		i := item("profit", value)
		i.Code, i.Role = code, role
		return i
	}
	profit, depreciation := new(fundamentals.OperatingProfit), new(fundamentals.DepreciationAndAmortisation)
	for _, c := range []struct {
		name  string
		items []fundamentals.Item
		want  string
	}{
		{"by the table", []fundamentals.Item{role("3DF", "100", nil), role("4B", "10", nil)}, "110"},
		{"its own comes first", []fundamentals.Item{role("3DF", "100", nil), role("X", "200", profit), role("4B", "10", nil)}, "210"},
		{"the first of several", []fundamentals.Item{role("X", "200", profit), role("Y", "300", profit), role("4B", "10", nil)}, "210"},
		{"the first of several of the table", []fundamentals.Item{role("3DF", "100", nil), role("OP2", "300", nil),
			role("4B", "10", nil)}, "110"},
		{"a line of the table with another role of its own",
			[]fundamentals.Item{role("3DF", "100", depreciation), role("4B", "10", nil), role("OP2", "300", nil)}, "400"},
		{"its own without a value hides nothing", []fundamentals.Item{role("3DF", "100", nil), role("X", "-", profit),
			role("4B", "10", nil)}, "!missing_input"},
		{"none", []fundamentals.Item{role("4B", "10", nil)}, "!missing_input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			lines, err := a.Lines.With([]byte(`{"roles": {"OP2": "operating_profit"}}`))
			need.NoError(t, err)
			a.Lines = lines
			a.files(t, with(filed("bist:DMOST 2025 12"), func(s *fundamentals.Statement) { s.Items = c.items }))
			answers(t, a.value(t, "bist:DMOST"), map[string]string{"ebitda": c.want, "ebitda_ttm": c.want})
		})
	}
}

// Another consolidator is another file: codes and labels.
func TestLinesOfAnotherConsolidator(t *testing.T) {
	shipped := fundamentals.ShippedLines()
	lines, err := shipped.With([]byte(` {"roles": {"X100": "operating_profit", "3DF": "revenue"}, "total_equity_labels": ["Öz Sermaye Toplamı"]} `))
	need.NoError(t, err)
	a := newFixture(t)
	a.Lines = lines
	a.files(t, with(filed("bist:DMOST 2025 12", "100 3", "da 10"), func(s *fundamentals.Statement) { s.Items[0].Kind = fundamentals.Flow }),
		with(filed("bist:DMBNK 2025 12", "Özkaynaklar 7", "öz sermaye toplamı 50"), by(fundamentals.Bank)))
	a.hears(t, "bist:DMBNK 2026-03-18 100 1")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"ebitda": "13"})
	answers(t, a.value(t, "bist:DMBNK"), map[string]string{"pb_ratio": "2"})
	a.Lines = shipped // is what it was
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"ebitda": "!missing_input"})
	answers(t, a.value(t, "bist:DMBNK"), map[string]string{"pb_ratio": "14.2857"})
}

// coded are lines without roles, as "code value"; those of the balance sheet
// have a code that starts with 1 or 2.
func coded(lines ...string) func(*fundamentals.Statement) {
	return func(s *fundamentals.Statement) {
		for _, line := range lines {
			code, value, _ := strings.Cut(line, " ")
			i := fundamentals.Item{Line: fundamentals.Line{Code: code, LabelTr: "Satır " + code, Group: fundamentals.IncomeStatement,
				Kind: fundamentals.Flow}, Value: figure(value)}
			if code[0] < '3' {
				i.Group, i.Kind = fundamentals.BalanceSheet, fundamentals.Stock
			}
			s.Items = append(s.Items, i)
		}
	}
}

// One code means one thing in the statements of a bank and another in those of
// an industrial company, also when both have the same lines.
func TestRolesGoByTemplate(t *testing.T) {
	// A bank's 3Z is the profit with minorities, its 3ZA that of the parent.
	now, before := coded("2O 100", "3Z 300", "3ZA 240"), coded("2O 100", "3Z 200", "3ZA 150")
	for _, c := range []struct {
		name, lines string
		want        map[fundamentals.Template]string
	}{
		{"shipped", `{}`, map[fundamentals.Template]string{fundamentals.Industrial: "50", fundamentals.Bank: "60",
			fundamentals.Insurer: "!missing_input"}},
		{"a code of every template stands behind one of the template", `{"roles": {"3Z": "net_profit_parent"}}`,
			map[fundamentals.Template]string{fundamentals.Industrial: "50", fundamentals.Bank: "60", fundamentals.Insurer: "50"}},
		{"and replaces the same code in each", `{"roles": {"3ZA": "revenue"}}`,
			map[fundamentals.Template]string{fundamentals.Industrial: "50", fundamentals.Bank: "!missing_input",
				fundamentals.Insurer: "!missing_input"}},
		{"a template's code",
			`{"roles": {"3Z": "net_profit_parent", "insurer": {"3ZA": "net_profit_parent"}, "industrial": {"3Z": "revenue"}}}`,
			map[fundamentals.Template]string{fundamentals.Industrial: "!missing_input", fundamentals.Bank: "60",
				fundamentals.Insurer: "60"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFixture(t)
			var err error
			if a.Lines, err = a.Lines.With([]byte(c.lines)); err != nil {
				t.Fatal(err)
			}
			for range 2 { // whichever was asked for before
				for template, growth := range c.want {
					a.files(t, with(filed("bist:DMBNK 2024 12"), by(template), before),
						with(filed("bist:DMBNK 2025 12"), by(template), now))
					answers(t, a.value(t, "bist:DMBNK"), map[string]string{"eps_growth_pct": growth})
				}
			}
		})
	}
}

// The equity of a bank goes by codes only if the table gives them to banks: an
// industrial company's 2O is the parent's, a bank's is not.
func TestEquityOfBanksByCode(t *testing.T) {
	a := newFixture(t)
	a.files(t, with(filed("bist:DMBNK 2025 12"), by(fundamentals.Bank), coded("2O 100", "2OVA 20")))
	a.hears(t, "bist:DMBNK 2026-03-18 160 1")
	for lines, want := range map[string]string{
		`{}`: "!missing_input",
		`{"roles": {"2O": "equity_attributable_to_parent"}}`:                             "!missing_input",
		`{"roles": {"bank": {"2O": "total_equity", "2OVA": "minority_interest"}}}`:       "2",
		`{"roles": {"insurer": {"2O": "total_equity", "2OVA": "minority_interest"}}}`:    "!missing_input",
		`{"total_equity_labels": ["satır 2O"], "minority_labels": ["* Satır 2OVA (-)"]}`: "2",
	} {
		var err error
		if a.Lines, err = fundamentals.ShippedLines().With([]byte(lines)); err != nil {
			t.Fatal(err)
		}
		if got := answer(a.value(t, "bist:DMBNK").PbRatio); got != want {
			t.Errorf("%s: %s, want %s", lines, got, want)
		}
	}
}

func TestLinesThatCannotBe(t *testing.T) {
	for _, c := range []struct{ file, says string }{
		{``, "must be a JSON object such as"},
		{`[]`, "must be a JSON object such as"},
		{`{"roles": {"1A": 1}}`, "must be a JSON object such as"},
		{`{"labels": []}`, "labels"},
		{`{} {}`, "nothing after it"},
		{`{} x`, "nothing after it"},
		{`{"roles": {"1A": "profit"}}`, `the role of 1A must be one of [revenue operating_profit`},
		{`{"roles": {"1A": ""}}`, `got ""`},
		{`{"roles": {"bank": {"3ZA": "profit"}}}`, `roles.bank: the role of 3ZA must be one of [revenue operating_profit`},
		{`{"roles": {"bank": {"3ZA": 1}}}`, "must be a JSON object such as"},
		{`{"roles": {"banks": {"3ZA": "revenue"}}}`,
			`roles: codes can be grouped only by template, one of [industrial bank insurer]; got "banks"`},
		{`{"minority_labels": ["Azınlık Payları", "(*) -"]}`,
			`minority_labels: a label must contain words, not only numbering and marks; got "(*) -"`},
		{`{"zero_is_missing": ["revenue", "Revenue"]}`, `zero_is_missing: must be among`},
	} {
		if _, err := fundamentals.ShippedLines().With([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want it to say %s", c.file, err, c.says)
		}
	}
	// Everything that is wrong is said at once.
	_, err := fundamentals.ShippedLines().With([]byte(`{"roles": {"1A": "a", "1B": "b"}, "zero_is_missing": ["c"]}`))
	for _, says := range []string{"1A", "1B", `"c"`} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want it to say %s", err, says)
		}
	}
}
