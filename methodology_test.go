package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// example is a block of docs/methodology.md: inputs, and what the program is to
// say about them after "= ". Both are "name: text".
type example struct {
	kind   string
	line   int
	inputs []pair
	want   []pair
}

type pair struct{ name, text string }

// get is the text of an input, or the other one.
func (e example) get(name, other string) string {
	for _, p := range e.inputs {
		if p.name == name {
			return p.text
		}
	}
	return other
}

// kinds are how examples are computed: from the inputs, the text that stands
// after each name of want. An error says what the page has wrong.
var exampleKinds = map[string]func(*testing.T, example) (func(name string) string, error){
	"statements": statementsExample, "valuation": valuationExample, "history": historyExample, "indicator": indicatorExample,
	"windows": windowsExample, "starts": startsExample, "returns": returnsExample, "sector_windows": sectorWindowsExample,
	"median": medianExample,
	"bars":   barsExample, "dividends": dividendsExample, "conversion": conversionExample, "rates": ratesExample,
	"restatement": restatementExample, "adjusted": adjustedExample,
}

func methodology(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("docs/methodology.md")
	need.NoError(t, err)
	return strings.Split(string(page), "\n")
}

// examples are the examples of the page.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	var open *example
	for i, text := range methodology(t) {
		kind, starts := strings.CutPrefix(text, "```example ")
		switch {
		case starts:
			open = &example{kind: kind, line: i + 1}
		case open == nil:
		case text == "```":
			all = append(all, *open)
			open = nil
		default:
			wanted, isWant := strings.CutPrefix(text, "= ")
			at := strings.Index(wanted, ": ")
			switch {
			case at < 0 && isWant:
				t.Fatalf("line %d: %q states nothing", i+1, text)
			case at < 0: // a title
			case isWant:
				open.want = append(open.want, pair{wanted[:at], wanted[at+2:]})
			default:
				open.inputs = append(open.inputs, pair{wanted[:at], wanted[at+2:]})
			}
		}
	}
	if open != nil {
		t.Fatalf("line %d: the example does not end", open.line)
	}
	return all
}

// The figures of the page are those of the program.
func TestMethodologyExamples(t *testing.T) {
	seen := map[string]bool{}
	shown := map[string]bool{}
	for _, e := range examples(t) {
		seen[e.kind] = true
		t.Run(fmt.Sprint(e.kind, " in line ", e.line), func(t *testing.T) {
			compute := exampleKinds[e.kind]
			if compute == nil || len(e.want) == 0 {
				t.Fatalf("an example of no kind, or of nothing: %+v", e)
			}
			answer, err := compute(t, e)
			need.NoError(t, err)
			for _, w := range e.want {
				shown[strings.Fields(w.name)[0]] = true
				if got := answer(w.name); got != w.text {
					t.Errorf("%s: %s, and the page says %s", w.name, got, w.text)
				}
			}
		})
	}
	for kind := range exampleKinds {
		if !seen[kind] {
			t.Errorf("the page has no example of %s", kind)
		}
	}
	names := []string{"market_cap", "pe_ratio", "pb_ratio", "ebitda", "ebitda_ttm", "net_debt", "ev", "ev_ebitda", "eps_growth_pct", "peg",
		"fx_rate", "points"}
	for _, i := range analytics.Indicators {
		names = append(names, string(i))
	}
	for _, name := range names {
		if !shown[name] {
			t.Errorf("the page has no example of %s", name)
		}
	}
}

// table are the rows of the table whose head starts with these cells.
func table(t *testing.T, head ...string) [][]string {
	t.Helper()
	cells := func(line string) []string {
		var out []string
		for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
			out = append(out, strings.Trim(strings.TrimSpace(c), "`"))
		}
		return out
	}
	var rows [][]string
	inside := false
	for _, line := range methodology(t) {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		row := cells(line)
		switch {
		case len(row) >= len(head) && slices.Equal(row[:len(head)], head):
			inside = true
		case inside && !strings.HasPrefix(row[0], "-"):
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no table of %q", head)
	}
	return rows
}

// Each indicator has a figure from the number of bars on that the page states.
func TestMethodologyBarsNeeded(t *testing.T) {
	const n = 7
	reason := func(bars int, indicator, component string) string {
		var p analytics.Prices
		for i := range bars {
			last := value.MustDecimal(fmt.Sprint(100 + i*i%7))
			p.Close, p.Volume = append(p.Close, last), append(p.Volume, last)
			p.High, p.Low = append(p.High, value.MustDecimal(fmt.Sprint(110+i*i%5))), append(p.Low, value.MustDecimal(fmt.Sprint(90-i%3)))
		}
		for _, v := range analytics.Compute(p, []analytics.Indicator{analytics.Indicator(indicator)}, []int{n}) {
			if component == "–" || v.Component != nil && *v.Component == component {
				return orNull(v.NullReason)
			}
		}
		return "no such component"
	}
	indicator, seen := "", map[string]bool{}
	for _, row := range table(t, "indicator", "component", "bars needed") {
		indicator = cmp.Or(row[0], indicator)
		seen[indicator] = true
		bars, err := strconv.Atoi(row[2])
		if err != nil {
			bars = n
		}
		if got := reason(bars, indicator, row[1]); got != "null" {
			t.Errorf("%s %s of %d bars: %s", indicator, row[1], bars, got)
		}
		if got := reason(bars-1, indicator, row[1]); got != "insufficient_history" {
			t.Errorf("%s %s of %d bars: %s", indicator, row[1], bars-1, got)
		}
	}
	for _, i := range analytics.Indicators {
		if !seen[string(i)] {
			t.Errorf("%s is not in the table", i)
		}
	}
}

// The sizes begin where the page says.
func TestMethodologySizes(t *testing.T) {
	rows := table(t, "category", "market cap in lira, from")
	size := func(value value.Decimal) string {
		e := example{inputs: []pair{{"market_cap", value.String()}}}
		answer, err := valuationExample(t, e)
		need.NoError(t, err)
		return answer("category")
	}
	for i, row := range rows {
		from := value.MustDecimal(row[1])
		if from.Sign() == 0 {
			from = value.MustDecimal("0.01")
		}
		if got := size(from); got != row[0] {
			t.Errorf("%s is %s, and the page says %s", from, got, row[0])
		}
		if i+1 < len(rows) {
			if got := size(from.Minus(value.MustDecimal("0.01"))); got != rows[i+1][0] {
				t.Errorf("just below %s is %s, and the page says %s", from, got, rows[i+1][0])
			}
		}
	}
}

// Every reason that the page uses is explained in its last table.
func TestMethodologyReasons(t *testing.T) {
	known := map[string]bool{"zero_is_missing": true} // names a list
	for _, row := range table(t, "null_reason", "meaning") {
		for _, name := range strings.Split(row[0], "`, `") {
			known[name] = true
		}
	}
	reason := regexp.MustCompile("(?:!|`)((?:zero|not|missing|measuring|accounting|template|out|non|bank|insufficient|index)_[a-z_]*[a-z])")
	for i, line := range methodology(t) {
		for _, m := range reason.FindAllStringSubmatch(line, -1) {
			if !known[m[1]] {
				t.Errorf("line %d: %s is not explained", i+1, m[1])
			}
		}
	}
}
