package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"piyasa/collect/collecttest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// A crash after the commit loses no refused row: they are written down before it, and not
// twice when the rows come again.
func TestRefusedRowsOutlastACrash(t *testing.T) {
	w := newWorld(t)
	var large strings.Builder
	large.WriteString("KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\n")
	const rows = 5000 // three answers
	for n := range rows {
		fmt.Fprintf(&large, "A%d;02.06.2031;1;1;1\n", n)
	}
	w.put("a.csv", []byte(large.String()))
	w.store.Refuse = func(l collecttest.Line) string {
		if strings.HasSuffix(l.Get("instrument_id"), "99") {
			return "must not end so"
		}
		return ""
	}
	turn := 0
	w.store.Fail = func() collecttest.Failure { // what is denied is stored, as if the collector ended after the commit
		turn++
		return []collecttest.Failure{collecttest.Denies, collecttest.Works, collecttest.Loses, collecttest.Denies}[turn%4]
	}
	for range 30 {
		w.collect(bars)
	}
	w.store.Fail = nil
	o := w.collect(bars)
	noted, err := os.ReadFile(filepath.Join(w.folder, "done", "a.csv.refused.ndjson"))
	if o.Err != nil || err != nil || w.names("done") != "a.csv a.csv.refused.ndjson" {
		t.Fatalf("%+v %v, done %s", o, err, w.names("done"))
	}
	n := 0
	for line := range strings.Lines(string(noted)) {
		var r struct{ Row int }
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Row != 100*(n+1) {
			t.Fatalf("line %d is of row %d: %v", n, r.Row, err)
		}
		n++
	}
	if n != rows/100 {
		t.Errorf("%d refused rows are noted of %d", n, rows/100)
	}
	w.put("a.csv", []byte(large.String())) // another file of this name has notes of its own
	if o := w.collect(bars); o.Err != nil || w.names("done") != "a.csv a.csv.2 a.csv.2.refused.ndjson a.csv.refused.ndjson" {
		t.Errorf("%+v, done %s", o, w.names("done"))
	}
}

// What is between thousands must be there: 12.5 with a decimal comma may mean anything.
func TestThousands(t *testing.T) {
	for cell, want := range map[string]string{
		"1.234,50": "1234.50", "1.234": "1234", "12.345.678,9": "12345678.9", "1234,5": "1234.5", "-1.234,5": "-1234.5",
		"0,10": "0.10", "7": "7",
		"12.5": "", "12.50": "", "1.23": "", "1.2345": "", "1234.567": "", ".5": "", "1.,5": "", "1,234.5": "", "1.234.5": "", "1,2,3": "",
	} {
		w := newWorld(t)
		w.put("a.csv", []byte("KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\nA;02.06.2031;"+cell+";1;1\n"))
		if o := w.collect(bars); o.Err != nil {
			t.Fatal(o.Err)
		}
		var got struct{ Close string }
		need.NoError(t, json.Unmarshal([]byte(w.told("bar")[0]), &got))
		if _, err := value.ParseDecimal(got.Close); want != "" && got.Close != want || want == "" && err == nil {
			t.Errorf("%s is read as %q", cell, got.Close)
		}
	}
}

// Tables as programs for spreadsheets write them are read, or are refused with the reason.
func TestTablesOfBeginners(t *testing.T) {
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy) string {
		text, err := unicode.UTF16(order, mark).NewEncoder().String(table)
		need.NoError(t, err)
		return text
	}
	for name, c := range map[string]struct{ content, says string }{
		"UTF-16 of Windows":      {utf16(unicode.LittleEndian, unicode.UseBOM), ""},
		"UTF-16, the other way":  {utf16(unicode.BigEndian, unicode.UseBOM), ""},
		"UTF-16 without a mark":  {utf16(unicode.LittleEndian, unicode.IgnoreBOM), "the header has bytes of zero"},
		"separators at the end":  {strings.ReplaceAll(table, "\"a;b\"\r\n", "\"a;b\";;\r\n"), ""},
		"separators everywhere":  {strings.ReplaceAll(table, "\r\n", ";;\r\n"), ""},
		"a cell of two lines":    {strings.Replace(table, "a;b", "a\nb", 1), ""},
		"blanks in the header":   {strings.Replace(table, "KOD;TARİH", " KOD ; TARİH", 1), ""},
		"another delimiter":      {strings.ReplaceAll(table, ";", "|"), `its "delimiter" seems to be "|"`},
		"commas":                 {"KOD,TARİH,KAPANIŞ,YÜKSEK,ADET\nA,02.06.2031,1,1,1\n", `its "delimiter" seems to be ","`},
		"ends of lines of a Mac": {strings.NewReplacer("\r\n", "\r", ";", "_", `"`, "").Replace(table), "its lines end with CR alone"},
		"a cell too many":        {strings.Replace(table, "\"a;b\"", "\"a;b\";c", 1), "row 1: it has 7 cells, and the header has 6"},
		"a mark and nothing":     {"\xef\xbb\xbf\n", "no header"},
		"a header alone":         {"KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\n", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put("a.csv", []byte(c.content))
			o := w.collect(bars)
			switch got := strings.Join(w.told("bar"), "\n"); {
			case c.says == "" && (o.Err != nil || got != strings.Join(want, "\n")):
				t.Errorf("%v\n%s", o.Err, got)
			case c.says == "-" && (o.Err != nil || got != ""):
				t.Errorf("%v\n%s", o.Err, got)
			case len(c.says) > 1 && (o.Warning == nil || !strings.Contains(o.Warning.Error(), c.says)):
				t.Errorf("%+v", o)
			}
		})
	}
}

// A file of a clock that was fast is read once it has been left alone.
func TestFileOfTheFuture(t *testing.T) {
	w := newWorld(t)
	w.put("a.csv", []byte(table))
	ahead := time.Now().Add(24 * time.Hour)
	need.NoError(t, os.Chtimes(filepath.Join(w.folder, "a.csv"), ahead, ahead))
	if o := w.collect(strings.Replace(bars, "{", `{"settle": "0s", `, 1)); o.Err != nil || w.names("done") != "a.csv" {
		t.Errorf("%+v, done %s", o, w.names("done"))
	}
}
