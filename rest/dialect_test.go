package rest_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

func TestExcelInTurkish(t *testing.T) {
	a := fixture.New(t)
	for path, want := range map[string]string{
		"/v1/eod/bist:DMOST?format=csv&dialect=excel-tr&currency=USD&from=2026-03-16": "\ufeff" +
			"instrument_id;date;open;high;low;close;volume;turnover;trade_count;currency;fx_rate\r\n" +
			"bist:DMOST;2026-03-16;;7,32360097;7,1350365;7,29927007;3950000;28710462,29;51234;USD;0,0243309002433\r\n",
		"/v1/candles?ids=bist:NOPE&dialect=excel-tr": "\ufeffinstrument_id;t;open;high;low;close;volume;turnover;trade_count;currency\r\n",
	} {
		res := a.Get(path, fixture.All)
		if res.StatusCode != 200 || res.Text != want || res.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
			t.Errorf("%s: %d %s\n%q\nwant\n%q", path, res.StatusCode, res.Header.Get("Content-Type"), res.Text, want)
		}
	}
	for path, want := range map[string]string{
		"/v1/eod/bist:DMOST?dialect=excel-tr": `attachment; filename="eod-bist-DMOST.csv"`,
		"/v1/dividends?dialect=excel-tr":      `attachment; filename="dividends.csv"`,
		"/v1/eod/bist:DMOST?format=csv":       "",
	} {
		if got := a.Get(path, fixture.All).Header.Get("Content-Disposition"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, detail := range map[string]string{
		"/v1/eod/bist:DMOST?format=csv&dialect=excel-de":  "excel-tr",
		"/v1/eod/bist:DMOST?format=json&dialect=excel-tr": "dialect is of CSV",
	} {
		res := a.Get(path, fixture.All)
		if res.WantProblem(t, 422, "invalid-parameter"); !strings.Contains(res.Text, detail) {
			t.Errorf("%s: %s", path, res.Text)
		}
	}
}

// The dialect has the lines of plain CSV: a figure has a comma for its point, and a text every character.
func TestDialectHasTheSameCells(t *testing.T) {
	a := fixture.New(t)
	read := func(text string, comma rune) [][]string {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = comma
		lines, err := r.ReadAll()
		need.NoError(t, err)
		return lines
	}
	tables := 0
	for _, twin := range fixture.Counterparts {
		path := twin.Path + "?"
		if strings.Contains(twin.Path, "?") {
			path = twin.Path + "&"
		}
		plain := a.Get(path+"format=csv", fixture.All)
		if plain.StatusCode != 200 {
			continue
		}
		tables++
		lines := read(plain.Text, ',')
		for i, line := range read(strings.TrimPrefix(a.Get(path+"dialect=excel-tr", fixture.All).Text, "\ufeff"), ';') {
			for j, cell := range line {
				want := lines[i][j]
				isText := strings.ContainsAny(want, ":-") && want[0] != '-'
				if cell != want && (isText || strings.Replace(cell, ",", ".", 1) != want) {
					t.Errorf("%s: %s of line %d is %q, and %q in plain CSV", path, lines[0][j], i, cell, want)
				}
			}
		}
	}
	if tables < 20 {
		t.Errorf("%d tables", tables)
	}
}
