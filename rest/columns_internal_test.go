package rest

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"

	"piyasa/domain/macro"
	"piyasa/value"
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
		"": "", "plain": "plain", "a,b": "a,b", `say "so"`: `say "so"`, "two\nlines": "two\nlines", "-12.50": "-12.50", "+1,5%": "+1,5%", "-": "'-",
		"=1+1": "'=1+1", "+A1": "'+A1", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", " =1": " =1",
		`=HYPERLINK("http://evil.test","x")`: `'=HYPERLINK("http://evil.test","x")`, "a=1": "a=1",
	} {
		written := string(columnsOf(reflect.TypeFor[row]()).appendLines(nil, reflect.ValueOf(of(text))))
		table, err := csv.NewReader(strings.NewReader(written)).ReadAll()
		if err != nil || len(table) != 2 || !reflect.DeepEqual(table, [][]string{{"text", "figure", "number", "codes"}, {want, "", "-2.50", "A B"}}) {
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
		if err != nil || len(cells) != 3 || strings.TrimPrefix(cells[0], "'") != strings.TrimPrefix(one, "'") || strings.TrimPrefix(cells[1], "'") != strings.TrimPrefix(two, "'") {
			t.Fatalf("%q, %q: %q %v", one, two, written, err)
		}
		for _, cell := range cells {
			if cell != "" && strings.ContainsRune("=@", rune(cell[0])) {
				t.Fatalf("%q would run", cell)
			}
		}
	})
}
