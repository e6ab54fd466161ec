package fundamentals_test

import (
	"strings"
	"testing"

	"piyasa/domain/fundamentals"
)

// V-38, G-45: that a company has no short-term investments can be believed, by
// data alone.
func TestZeroThatIsBelieved(t *testing.T) {
	a := newAnalyst(t)
	a.company(t, "52500000000 12.4", "invest 0", "short 0", "da 0")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "!missing_input", "ev": "!missing_input", "ebitda": "!missing_input"})
	relaxed, err := fundamentals.ShippedLines().With([]byte(`{"zero_is_missing": ["operating_profit", "depreciation_and_amortisation", "net_profit_parent",
		"equity_attributable_to_parent", "total_equity", "minority_interest", "cash_and_equivalents"]}`))
	if err != nil {
		t.Fatal(err)
	}
	a.Lines = relaxed
	// 0 + 3900000000 - 1850000000 - 0
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "2050000000", "ev": "54550000000", "ebitda": "!missing_input", "ev_ebitda": "!missing_input"})
	a.company(t, "52500000000 12.4", "invest -")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"net_debt": "!missing_input"})
}

// A zero that is believed is still no divisor.
func TestZeroIsNoDivisor(t *testing.T) {
	a := newAnalyst(t)
	lines, err := fundamentals.ShippedLines().With([]byte(`{"zero_is_missing": []}`))
	if err != nil {
		t.Fatal(err)
	}
	a.Lines = lines
	a.files(t, filed("bist:DMOST 2025 12", edited(thisYear, "parent 0", "profit 0", "da 0")...), filed("bist:DMOST 2024 12", "np 0"), filed("us:DMAP 2025 12", "np 0", "parent 0.00"))
	a.hears(t, "bist:DMOST 2026-03-18 52500000000 12.4", "us:DMAP 2026-03-18 52500000000 12.4")
	answers(t, a.value(t, "bist:DMOST"), map[string]string{"pb_ratio": "!out_of_range", "ebitda_ttm": "0", "ev_ebitda": "!non_positive_ebitda_ttm", "eps_growth_pct": "!non_positive_base", "peg": "!missing_input"})
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
		{"the first of several of the table", []fundamentals.Item{role("3DF", "100", nil), role("OP2", "300", nil), role("4B", "10", nil)}, "110"},
		{"a line of the table with another role of its own", []fundamentals.Item{role("3DF", "100", depreciation), role("4B", "10", nil), role("OP2", "300", nil)}, "400"},
		{"its own without a value hides nothing", []fundamentals.Item{role("3DF", "100", nil), role("X", "-", profit), role("4B", "10", nil)}, "!missing_input"},
		{"none", []fundamentals.Item{role("4B", "10", nil)}, "!missing_input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAnalyst(t)
			lines, err := a.Lines.With([]byte(`{"roles": {"OP2": "operating_profit"}}`))
			if err != nil {
				t.Fatal(err)
			}
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
	if err != nil {
		t.Fatal(err)
	}
	a := newAnalyst(t)
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
