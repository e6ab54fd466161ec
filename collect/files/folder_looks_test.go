package files_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/files"
	"piyasa/test/fixture/need"
)

const closes = `{"settle": "300ms", "format": "csv", "record": "bar", "members": {"instrument_id": "code", "close": {"column": "close", "decimal": true}}}`

// source returns a source that stays while a test goes on.
func (w *world) source(settings string) collect.Source {
	w.Helper()
	source, err := files.New(json.RawMessage(strings.Replace(settings, "{", fmt.Sprintf(`{"folder": %q, `, w.folder), 1)))
	need.NoError(w, err)
	return source
}

// appendTo writes the end of a file; its times stay in the past, as those of a copy do.
func (w *world) appendTo(name, text string) {
	w.Helper()
	file := filepath.Join(w.folder, name)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	need.NoError(w, err)
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		w.Fatal(err)
	}
	before := time.Now().Add(-time.Hour)
	need.NoError(w, os.Chtimes(file, before, before))
}

// prices returns the prices that were stored, in order.
func (w *world) prices() (all string) {
	for _, line := range w.told("bar") {
		var r struct{ Close string }
		need.NoError(w, json.Unmarshal([]byte(line), &r))
		all += r.Close + " "
	}
	return all
}

// A writer that rests in the middle of a cell loses nothing, and half of the cell is no price.
func TestSlowWriter(t *testing.T) {
	w := newWorld(t)
	source := w.source(closes)
	w.appendTo("a.csv", "code,close\nA,10.50\nB,3")
	w.put("b.csv", []byte("code,close\nC,1.00\n"))
	for range 2 {
		if o := w.run(source); o.Err != nil || o.Warning == nil ||
			!strings.Contains(o.Warning.Error(), "a.csv: its last line has no end") || w.prices() != "1.00 " {
			t.Fatalf("%+v %s", o, w.prices())
		}
	}
	w.appendTo("a.csv", "0.50\n")
	if o := w.run(source); o.Err != nil || o.Warning != nil || w.prices() != "1.00 10.50 30.50 " || w.names("done") != "a.csv b.csv" {
		t.Fatalf("%+v %s", o, w.prices())
	}
}

// A file whose lines come slowly is not taken while they come, whatever its times say.
func TestTwoLooks(t *testing.T) {
	w := newWorld(t)
	source := w.source(closes)
	w.appendTo("a.csv", "code,close\nA,1.00\n")
	go func() {
		time.Sleep(100 * time.Millisecond)
		w.appendTo("a.csv", "B,2.00\n")
	}()
	if w.run(source); w.prices() != "" {
		t.Error(w.prices())
	}
	if w.run(source); w.prices() != "1.00 2.00 " {
		t.Error(w.prices())
	}
}

// A file that grows after it was moved is read again, by whichever process; one that failed, too.
func TestGrowthAfterTheMove(t *testing.T) {
	w := newWorld(t)
	w.appendTo("a.csv", "code,close\nA,1.00\n")
	w.appendTo("b.csv", "code,close\nB,2.00\nC\n")
	if o := w.collect(closes); o.Err != nil || w.names("done") != "a.csv" || w.names("failed") != "b.csv b.csv.error.txt" {
		t.Fatalf("%+v", o)
	}
	w.appendTo("done/a.csv", "D,4.00\n")
	if o := w.collect(closes); o.Err != nil || w.prices() != "1.00 2.00 1.00 4.00 " || w.names("done") != "a.csv" || w.names(".") != "" {
		t.Errorf("%+v %s", o, w.prices())
	}
	need.NoError(t, os.WriteFile(filepath.Join(w.folder, "failed", "b.csv"), []byte("code,close\nB,2.00\nC,3.00\n"), 0o600))
	if o := w.collect(closes); o.Err != nil || o.Warning != nil || !strings.HasSuffix(w.prices(), " 2.00 3.00 ") ||
		w.names("done") != "a.csv b.csv" {
		t.Errorf("%+v %s", o, w.prices())
	}
	before := w.prices()
	if o := w.collect(closes); o.Err != nil || w.prices() != before {
		t.Errorf("%+v %s", o, w.prices())
	}
}

// A packed file that was cut is read when the rest has come.
func TestCutArchive(t *testing.T) {
	w := newWorld(t)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	for n := range 1000 {
		fmt.Fprintf(zip, "%s\n", []string{"code,close", fmt.Sprintf("A%d,%d.%d", n, n*7919%1000, n)}[min(n, 1)])
	}
	zip.Close()
	w.put("a.csv.gz", packed.Bytes()[:packed.Len()/2])
	if o := w.collect(closes); o.Warning == nil || w.names("failed") == "" {
		t.Fatalf("%+v", o)
	}
	need.NoError(t, os.WriteFile(filepath.Join(w.folder, "failed", "a.csv.gz"), packed.Bytes(), 0o600))
	if o := w.collect(closes); o.Err != nil || o.Warning != nil || o.Records != 999 || w.names("done") != "a.csv.gz" {
		t.Errorf("%+v %s", o, w.names("done"))
	}
}

// A marker says that a file is complete, also where its last line has no end.
func TestMarker(t *testing.T) {
	w := newWorld(t)
	marked := strings.Replace(closes, "{", `{"marker": ".done", `, 1)
	w.put("a.csv", []byte("code,close\nA,1.00"))
	if o := w.collect(marked); o.Warning == nil || !strings.Contains(o.Warning.Error(), "a.csv.done") || w.prices() != "" {
		t.Fatalf("%+v", o)
	}
	w.put("a.csv.done", nil)
	if o := w.collect(marked); o.Err != nil || o.Warning != nil || w.prices() != "1.00 " || w.names(".") != "" {
		t.Errorf("%+v, left %s", o, w.names("."))
	}
}

// Bad files delay no good one: the run goes on, and the next one comes at its time.
func TestBadFilesDelayNothing(t *testing.T) {
	w := newWorld(t)
	for n := range 4 {
		w.put(fmt.Sprintf("%d.csv", n), []byte("code\n"))
	}
	w.put("5.csv", []byte("code,close\nA,1.00\n"))
	need.NoError(t, os.Symlink("gone", filepath.Join(w.folder, "4.csv")))
	if o := w.collect(closes); o.Err != nil || w.prices() != "1.00 " || strings.Count(o.Warning.Error(), `no column "close"`) != 4 {
		t.Errorf("%+v %s", o, w.prices())
	}
	if got := w.store.All(); !strings.Contains(got, `"up":false`) || !strings.Contains(got, "0.csv") {
		t.Error(got)
	}
}
