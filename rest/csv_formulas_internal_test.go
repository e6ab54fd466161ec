package rest

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// Text that a spreadsheet would run is made text; figures stay exact, and everything is read
// back as one cell.
func TestCells(t *testing.T) {
	type row struct {
		Text   *string       `json:"text"`
		Figure value.Decimal `json:"figure"`
		Number macro.Number  `json:"number"`
		Codes  []string      `json:"codes"`
	}
	of := func(text string) []row { return []row{{&text, value.Decimal{}, "-2.50", []string{"A", "B"}}} }
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a,b": "a,b", `say "so"`: `say "so"`, "two\nlines": "two\nlines", "-12.50": "-12.50",
		"+1,5%": "+1,5%", "-": "'-",
		"=1+1": "'=1+1", "+A1": "'+A1", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n=1": "'\n'=1",
		" =1":      " =1",
		"a;=1+1;b": "a;'=1+1;b", "a;-5;b": "a;-5;b", "a|@SUM(A1)": "a|'@SUM(A1)", "a\t-x": "a\t'-x", `a;"=1"`: `a;"'=1"`, "a;b": "a;b",
		`=HYPERLINK("http://evil.test","x")`: `'=HYPERLINK("http://evil.test","x")`, "a=1": "a=1",
	} {
		written := string(columnsOf(reflect.TypeFor[row]()).appendLines(nil, reflect.ValueOf(of(text))))
		table, err := csv.NewReader(strings.NewReader(written)).ReadAll()
		if err != nil || len(table) != 2 || !reflect.DeepEqual(table,
			[][]string{{"text", "figure", "number", "codes"}, {want, "", "-2.50", "A B"}}) {
			t.Errorf("%q: %q %v", text, written, err)
		}
	}
}

func FuzzCells(f *testing.F) {
	f.Add("=1", "a\r\n")
	f.Fuzz(func(t *testing.T, one, two string) {
		if strings.Contains(one+two, "\r") { // the reader drops them before a line's end
			return
		}
		written := string(append(appendText(append(appendText(nil, one), ','), two), ",end\n"...))
		cells, err := csv.NewReader(strings.NewReader(written)).Read()
		bare := func(text string) string { return strings.ReplaceAll(text, "'", "") }
		if err != nil || len(cells) != 3 || bare(cells[0]) != bare(one) || bare(cells[1]) != bare(two) {
			t.Fatalf("%q, %q: %q %v", one, two, written, err)
		}
		for _, cell := range cells {
			for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(";|\t\n", r) }) {
				if strings.ContainsAny(strings.TrimLeft(part, `"`)[:min(1, len(strings.TrimLeft(part, `"`)))], "=@") {
					t.Fatalf("%q of %q would run", part, cell)
				}
			}
		}
	})
}
