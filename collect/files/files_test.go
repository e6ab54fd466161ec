package files_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/files"
	"piyasa/test/fixture/need"
)

// world is a folder, a store, and a collector of the one for the other.
type world struct {
	*testing.T
	folder string
	store  *collecttest.Store
	now    time.Time
}

func newWorld(t *testing.T) *world {
	return &world{T: t, folder: t.TempDir(), store: collecttest.NewStore(), now: time.Date(2031, 6, 2, 9, 0, 0, 0, time.UTC)}
}

// put writes a file that has been left alone for a while.
func (w *world) put(name string, content []byte) {
	w.Helper()
	file := filepath.Join(w.folder, name)
	need.NoError(w, os.WriteFile(file, content, 0o600))
	before := time.Now().Add(-time.Minute)
	need.NoError(w, os.Chtimes(file, before, before))
}

// collect runs once a minute later, in a process of its own.
func (w *world) collect(settings string) collect.Outcome {
	w.Helper()
	if !strings.Contains(settings, `"settle"`) {
		settings = strings.Replace(settings, "{", `{"settle": "0s", `, 1)
	}
	source, err := files.New(json.RawMessage(strings.Replace(settings, "{", fmt.Sprintf(`{"folder": %q, `, w.folder), 1)))
	need.NoError(w, err)
	return w.run(source)
}

// run runs a source once a minute later.
func (w *world) run(source collect.Source) collect.Outcome {
	w.now = w.now.Add(time.Minute)
	c := &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "f", Source: source, Own: source.Plan()}}},
		Store:  w.store, Emit: w.store.Emit, Holder: fmt.Sprint(w.now), Now: func() time.Time { return w.now },
	}
	return c.Once(w.Context())[0]
}

// told returns what was stored of a kind, with the members in order of their names.
func (w *world) told(kind string) []string {
	var all []string
	for _, l := range w.store.Lines() {
		if l.Kind == kind {
			all = append(all, strings.TrimSpace(l.Text))
		}
	}
	return all
}

// names returns the files of a folder below the watched one.
func (w *world) names(of string) string {
	entries, err := os.ReadDir(filepath.Join(w.folder, of))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if !e.IsDir() && e.Name() != ".taken" {
			all = append(all, e.Name())
		}
	}
	return strings.Join(all, " ")
}

const bars = `{"format": "csv", "delimiter": ";", "decimal": ",", "thousands": ".", "time_format": "dd.MM.yyyy", "empty": ["-"], "record": "bar", "members": {
	"instrument_id": {"column": "KOD", "prefix": "bist:"}, "resolution": {"value": "1d"}, "t": {"column": "TARİH", "time": true},
	"close": {"column": "KAPANIŞ", "decimal": true}, "high": {"column": "YÜKSEK", "decimal": true}, "trade_count": {"column": "ADET", "integer": true}}}`

const table = "KOD;TARİH;KAPANIŞ;YÜKSEK;ADET;NOT\r\nORNEK;02.06.2031;1.234,50;-;4.321;\"a;b\"\r\nORNEB;02.06.2031;0,10;; 7 ;\r\n"

var want = []string{
	`{"close":"1234.50","instrument_id":"bist:ORNEK","record":"bar","resolution":"1d","t":"2031-06-01T21:00:00Z","trade_count":4321}`,
	`{"close":"0.10","instrument_id":"bist:ORNEB","record":"bar","resolution":"1d","t":"2031-06-01T21:00:00Z","trade_count":7}`,
}

// A table with a decimal comma, in every encoding and packing.
func TestTables(t *testing.T) {
	turkish, err := charmap.Windows1254.NewEncoder().String(table)
	need.NoError(t, err)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	fmt.Fprint(zip, table)
	zip.Close()
	for name, c := range map[string]struct {
		file, settings string
		content        []byte
	}{
		"UTF-8":           {"a.csv", bars, []byte(table)},
		"a mark of UTF-8": {"a.csv", bars, []byte("\xef\xbb\xbf" + table)},
		"windows-1254":    {"a.csv", strings.Replace(bars, "{", `{"encoding": "windows-1254", `, 1), []byte(turkish)},
		"gzip":            {"a.csv.gz", bars, packed.Bytes()},
		"tabs": {"a.tsv", strings.Replace(bars, `"csv"`, `"tsv"`, 1),
			[]byte(strings.ReplaceAll(strings.ReplaceAll(table, "\"a;b\"", `a "b`), ";", "\t"))},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put(c.file, c.content)
			o := w.collect(c.settings)
			if got := w.told("bar"); o.Err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%v\n%s", o.Err, strings.Join(got, "\n"))
			}
			if w.names(".") != "" || w.names("done") != c.file {
				t.Errorf("%q, done %q", w.names("."), w.names("done"))
			}
		})
	}
}

// Lines of JSON are records, or are mapped like rows; numbers keep their digits.
func TestLines(t *testing.T) {
	w := newWorld(t)
	w.put("a.ndjson", []byte(`{"record":"quote","instrument_id":"fx:USDTRY","last":"41.250","data_delay_seconds":900}`+"\n\n{not JSON}\n"))
	if o := w.collect(`{"format": "ndjson"}`); o.Err != nil {
		t.Fatal(o.Err)
	}
	if got := w.told("quote"); len(got) != 1 ||
		got[0] != `{"data_delay_seconds":900,"instrument_id":"fx:USDTRY","last":"41.250","record":"quote"}` ||
		!strings.Contains(w.store.All(), "(the line is not one JSON object: ") {
		t.Error(got)
	}
	w.put("b.ndjson", []byte(`{"pair": "EURTRY", "price": 48.100000000000000001, "at": "02.06.2031 11:45", "note": null}`))
	if o := w.collect(`{"format": "ndjson", "time_format": "dd.MM.yyyy HH:mm", "time_zone": "Europe/Berlin", "record": "quote", "members": {
		"instrument_id": {"column": "pair", "prefix": "fx:"}, "last": "price", "as_of": {"column": "at", "time": true}, "currency": "note"}}`); o.Err != nil {
		t.Fatal(o.Err)
	}
	if got := w.told("quote"); len(got) != 2 ||
		got[1] != `{"as_of":"2031-06-02T09:45:00Z","instrument_id":"fx:EURTRY","last":"48.100000000000000001","record":"quote"}` {
		t.Error(got)
	}
}

// A line that a careless reader would make up for is no record, also where it is mapped, and what
// is not in the encoding that was declared is not replaced.
func TestDamage(t *testing.T) {
	for damage, says := range map[string]string{
		`"price":"10.50","price":"99.00"`:          "duplicate",
		`"price":"10.50","pric\u0065":"99.00"`:     "duplicate",
		`"price":"10.50","name":"a\ud800b"`:        "surrogate",
		`"price":"10.50","of":{"name":1,"name":2}`: "duplicate",
	} {
		for _, settings := range []string{`{"format": "ndjson"}`, `{"format": "ndjson", "record": "quote", "members": {"last": "price"}}`} {
			w := newWorld(t)
			w.put("a.ndjson", []byte(`{"record":"quote",`+damage+"}\n"+`{"record":"quote","price":"1.00"}`+"\n"))
			if o := w.collect(settings); o.Err != nil || len(w.told("quote")) != 1 || !strings.Contains(w.store.All(), says) {
				t.Errorf("%s %s: %v\n%s", damage, settings, o.Err, w.store.All())
			}
		}
	}
	for name, c := range map[string]struct {
		as  encoding.Encoding
		bad string
	}{
		"":             {unicode.UTF8, "\xde"},
		"utf-8":        {unicode.UTF8, "\xde"},
		"windows-1254": {charmap.Windows1254, "\x81"},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "\x00\xd8"},
	} {
		whole, err := c.as.NewEncoder().String(table)
		need.NoError(t, err)
		one, _ := c.as.NewEncoder().String("ORNEB")
		w := newWorld(t)
		w.put("a.csv", []byte(strings.Replace(whole, one, c.bad, 1)))
		if o := w.collect(strings.Replace(bars, "{", fmt.Sprintf(`{"encoding": %q, `, name), 1)); o.Warning == nil ||
			w.names("failed") == "" {
			t.Errorf("%q: %v\n%s", name, o.Err, w.store.All())
		}
	}
}

// The columns of Parquet have types: decimals and times are exact, floats are asked for.
func TestParquet(t *testing.T) {
	type row struct {
		Code  string    `parquet:"code"`
		Close int64     `parquet:"close,decimal(2:18)"`
		Day   int32     `parquet:"day,date"`
		At    time.Time `parquet:"at,timestamp(microsecond)"`
		Trade *int32    `parquet:"trades,optional"`
		Float float64   `parquet:"float"`
		Other []string  `parquet:"other,list"`
	}
	var rows []row
	for n := range 4500 { // three answers
		rows = append(rows, row{Code: fmt.Sprint("A", n), Close: int64(n) - 5, Day: 22432,
			At: time.Date(2031, 6, 2, 9, 30, 0, n*1000, time.UTC), Float: 0.1})
	}
	rows[7].Trade = new(int32(12))
	var file bytes.Buffer
	need.NoError(t, parquet.Write(&file, rows, parquet.MaxRowsPerRowGroup(1000)))
	const mapped = `{"format": "parquet", "record": "bar", "members": {"instrument_id": "code", "close": "close", "t": {"column": "at", "time": true}, "day": {"column": "day", "date": true}, "trade_count": {"column": "trades", "integer": true}FLOAT}}`
	w := newWorld(t)
	w.put("a.parquet", file.Bytes())
	if o := w.collect(strings.Replace(mapped, "FLOAT", "", 1)); o.Err != nil || w.names("done") != "a.parquet" || o.Answers < 3 {
		t.Fatalf("%+v", o)
	}
	got := w.told("bar")
	if len(got) != len(rows) ||
		got[2] != `{"close":"-0.03","day":"2031-06-02","instrument_id":"A2","record":"bar","t":"2031-06-02T09:30:00.000002Z"}` ||
		got[7] != `{"close":"0.02","day":"2031-06-02","instrument_id":"A7","record":"bar","t":"2031-06-02T09:30:00.000007Z","trade_count":12}` || !strings.Contains(got[4499], `"44.94"`) {
		t.Errorf("%d rows\n%s\n%s\n%s", len(got), got[2], got[7], got[len(got)-1])
	}
	for name, c := range map[string]struct{ member, setting, says string }{
		"floats":           {`, "high": "float"`, "", `the column "float" has floats, which are not exact`},
		"a nested column":  {`, "high": "other"`, "", `the column "other" is nested`},
		"a missing column": {`, "high": "x"`, "", `no column "x"; its columns are`},
		"asked for":        {`, "high": "float"`, `"floats": "shortest", `, ""},
	} {
		w := newWorld(t)
		w.put("a.parquet", file.Bytes())
		o := w.collect(strings.Replace(strings.Replace(mapped, "FLOAT", c.member, 1), "{", "{"+c.setting, 1))
		if c.says != "" && (o.Warning == nil || !strings.Contains(o.Warning.Error(), c.says)) || c.says == "" &&
			(o.Err != nil || !strings.Contains(w.told("bar")[0], `"high":"0.1"`)) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	w = newWorld(t)
	w.put("a.parquet", file.Bytes()[:file.Len()/2])
	w.put("b.parquet", []byte("PAR1 and no more PAR1"))
	if o := w.collect(strings.Replace(mapped, "FLOAT", "", 1)); o.Warning == nil || !strings.Contains(o.Warning.Error(), "not Parquet") {
		t.Errorf("%+v", o)
	}
}

// Files come in the order of their names, each once it is left alone; a name that is taken
// is not replaced.
func TestOrderAndNames(t *testing.T) {
	w := newWorld(t)
	row := func(day int) []byte {
		return fmt.Appendf(nil, "KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\nA;%02d.06.2031;1;1;1\n", day)
	}
	w.put("b.csv", row(3))
	w.put("a.csv", row(2))
	w.put("other.txt", row(9))
	if err := os.WriteFile(filepath.Join(w.folder, "c.csv"), bytes.TrimSpace(row(4)), 0o600); err != nil { // it is still being written
		t.Fatal(err)
	}
	need.NoError(t, os.Symlink("/etc/passwd", filepath.Join(w.folder, "d.csv")))
	if o := w.collect(bars); o.Err != nil || o.Answers < 2 {
		t.Fatalf("%+v", o)
	}
	got := strings.Join(w.told("bar"), "")
	if len(w.told("bar")) != 2 || strings.Index(got, "2031-06-01T21") > strings.Index(got, "2031-06-02T21") ||
		w.names("done") != "a.csv b.csv" {
		t.Errorf("%s, done %s", got, w.names("done"))
	}
	w.put("a.csv", row(5))
	if o := w.collect(bars); o.Err != nil || w.names("done") != "a.csv a.csv.2 b.csv" || w.names(".") != "c.csv d.csv other.txt" {
		t.Errorf("%v, done %s, left %s", o.Err, w.names("done"), w.names("."))
	}
}

// What cannot be read goes aside with the reason, loudly, and others go on.
func TestFilesThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ content, says string }{
		"nothing":          {"", "no header"},
		"a missing column": {"KOD;TARİH;KAPANIŞ;ADET\nA;02.06.2031;1;1\n", `no column "YÜKSEK"; its columns are`},
		"a column twice":   {"KOD;TARİH;KAPANIŞ;YÜKSEK;ADET;KOD\n", `the column "KOD" twice`},
		"a short row": {"KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\nA;02.06.2031;1;1;1\nB;02.06.2031\n",
			"row 2: it has 2 cells, and the header has 5"},
		"another encoding": {"KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\nA\xdd;02.06.2031;1;1;1\n", "row 1: a cell is not UTF-8"},
		"an open quote": {"KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\n\"A;02.06.2031;1;1;1\n" + strings.Repeat("x", 3<<20) + "\n",
			"more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put("a.csv", []byte(c.content))
			w.put("b.csv", []byte(table))
			o := w.collect(bars)
			if o.Err != nil || o.Warning == nil || !strings.Contains(o.Warning.Error(), c.says) ||
				!strings.Contains(o.Warning.Error(), "a.csv") {
				t.Errorf("%v", o)
			}
			why, err := os.ReadFile(filepath.Join(w.folder, "failed", "a.csv.error.txt"))
			if err != nil || !strings.Contains(string(why), c.says) || w.names("failed") != "a.csv a.csv.error.txt" {
				t.Errorf("%v %s", err, why)
			}
			if w.names("done") != "b.csv" {
				t.Errorf("done %s", w.names("done"))
			}
		})
	}
}

// Rows that are refused are beside the file, as they came; the others are stored.
func TestRefusedRows(t *testing.T) {
	w := newWorld(t)
	w.store.Refuse = func(l collecttest.Line) string {
		if l.Get("instrument_id") == "bist:ORNEB" {
			return "must be higher"
		}
		return ""
	}
	w.put("a.csv", []byte(table))
	o := w.collect(bars)
	noted, err := os.ReadFile(filepath.Join(w.folder, "done", "a.csv.refused.ndjson"))
	if o.Err != nil || o.Refused != 1 || err != nil ||
		string(noted) != `{"input":["ORNEB","02.06.2031","0,10",""," 7 ",""],"member":"close","reason":"must be higher","row":2}`+"\n" {
		t.Errorf("%+v %v %s", o, err, noted)
	}
}

// However often the store fails or the collector ends, each row is stored, in order, and at
// most what one answer holds comes twice.
func TestInterruptions(t *testing.T) {
	w := newWorld(t)
	var large strings.Builder
	large.WriteString("KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\n")
	const rows = 9000
	for n := range rows {
		fmt.Fprintf(&large, "A;02.06.2031;%d;1;1\n", n)
	}
	w.put("a.csv", []byte(large.String()))
	turn := 0
	w.store.Fail = func() collecttest.Failure {
		turn++
		return []collecttest.Failure{collecttest.Works, collecttest.Loses, collecttest.Denies}[turn%3]
	}
	for range 40 {
		w.collect(bars)
	}
	w.store.Fail = nil
	if o := w.collect(bars); o.Err != nil || w.names("done") != "a.csv" || w.names(".") != "" {
		t.Fatalf("%+v, done %s", o, w.names("done"))
	}
	next, again := 0, 0
	for _, line := range w.told("bar") {
		var r struct{ Close string }
		need.NoError(t, json.Unmarshal([]byte(line), &r))
		var n int
		fmt.Sscan(r.Close, &n)
		switch {
		case n == next:
			next++
		case n < next:
			again++
		default:
			t.Fatalf("row %d follows row %d", n, next-1)
		}
	}
	if next != rows {
		t.Errorf("%d rows of %d, %d again", next, rows, again)
	}
}

// A row may make several records.
func TestSeveralRecords(t *testing.T) {
	w := newWorld(t)
	w.put("a.csv", []byte("code,name,price\nGLD,Gold,1.50\n"))
	o := w.collect(`{"format": "csv", "records": [
		{"record": "instrument", "members": {"instrument_id": {"column": "code", "prefix": "cmdty:"}, "name": "name"}},
		{"record": "quote", "members": {"instrument_id": {"column": "code", "prefix": "cmdty:"}, "last": {"column": "price", "decimal": true}}}]}`)
	got := strings.Join(append(w.told("instrument"), w.told("quote")...), "\n")
	if o.Err != nil || got != `{"instrument_id":"cmdty:GLD","name":"Gold","record":"instrument"}`+"\n"+
		`{"instrument_id":"cmdty:GLD","last":"1.50","record":"quote"}` {
		t.Errorf("%v\n%s", o.Err, got)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	folder := t.TempDir()
	for text, says := range map[string]string{
		`{"format": "csv", "record": "bar", "members": {"close": "C"}}`: `"folder" must be a folder that exists`,
		`{"folder": "` + folder +
			`", "format": "xls", "record": "bar", "members": {"close": "C"}}`: `"format" must be one of`,
		`{"folder": "` + folder +
			`", "format": "csv"}`: `"record" and "members" must say what a row is`,
		`{"folder": "` + folder +
			`", "format": "csv", "members": {"close": "C"}}`: `"record" must name`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": {}}}`: `either "value", or "column"`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": {"col": "C"}}}`: `"members.close" must be a column such as "CLOSE", or an object such as {"column": "CLOSE", "decimal": true} or {"value": "1d"}: "col" is unknown`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": "C"}, "decimal": ";"}`: `"decimal" must be`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": "C"}, "encoding": "x"}`: `"encoding" must be`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": "C"}, "time_zone": "x"}`: `"time_zone" must be`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": "C"}, "time_format": "q"}`: `"time_format" must be made of`,
		`{"folder": "` + folder +
			`", "format": "csv", "record": "bar", "members": {"close": "C"}, "delimiter": "--"}`: `"delimiter" must be one`,
	} {
		if _, err := files.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A dry run leaves the files where they are, and ends.
func TestRehearsal(t *testing.T) {
	w := newWorld(t)
	w.put("a.csv", []byte(table))
	w.put("b.csv", []byte("KOD\n"))
	w.put("c.csv", []byte(table))
	source, err := files.New(json.RawMessage(strings.Replace(bars, "{", fmt.Sprintf(`{"folder": %q, `, w.folder), 1)))
	need.NoError(t, err)
	c := &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "f", Source: source, Own: source.Plan()}}}, DryRun: true,
		Store: w.store, Emit: w.store.Emit, Holder: "one", Now: func() time.Time { return w.now },
	}
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Records != 4 || w.names(".") != "a.csv b.csv c.csv" || w.names("done")+
		w.names("failed") != "" {
		t.Errorf("%+v, left %s", o, w.names("."))
	}
}

func FuzzTables(f *testing.F) {
	f.Add([]byte(table))
	f.Add([]byte("KOD;TARİH;KAPANIŞ;YÜKSEK;ADET\n\"A\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		w := newWorld(t)
		w.put("a.csv", append(content, '\n'))
		o := w.collect(bars)
		if (o.Warning == nil) != (w.names("done") == "a.csv") || w.names(".") != "" {
			t.Errorf("%v: done %q, failed %q, left %q", o.Err, w.names("done"), w.names("failed"), w.names("."))
		}
	})
}
