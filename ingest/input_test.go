package ingest_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"piyasa/ingest"
	"piyasa/test/fixture/need"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	need.NoError(t, w.Close())
	return out.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	need.NoError(t, err)
	for block := range slices.Chunk([]byte(text), 8<<10) {
		_, err = w.Write(block)
		if err = errors.Join(err, w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	need.NoError(t, w.Close())
	return out.String()
}

// A folder's files are read in name order, packed or not, and only those that
// are named as records; files and standard input come in the order given.
func TestPathsInOrder(t *testing.T) {
	folder := t.TempDir()
	bad := func(n int) string { return fmt.Sprintf("{\"record\":\"r%d\"}\n", n) } // its refusal tells when it was read
	write(t, folder, "10.ndjson", bad(1)+quote("A", t1, "10"))
	write(t, folder, "2.ndjson.zst", zstandard(t, bad(2)+quote("A", t1, "2")))
	write(t, folder, "A.ndjson.gz", gzipped(t, bad(3)+quote("A", t1, "A"))) // not a price: refused as well
	write(t, folder, "b.ndjson", bad(4)+quote("A", t1, "11.5"))
	for _, name := range []string{"README.md", "x.json", "x.ndjson.bz2", "x.ndjson~", "ndjson"} {
		write(t, folder, name, "not a record\n")
	}
	need.NoError(t, os.Mkdir(filepath.Join(folder, "c.ndjson"), 0o700))
	other := write(t, t.TempDir(), "records.txt", quote("B", t1, "1")) // a file may have any name
	s := openFile(t)
	r := run(t, s, strings.NewReader(bad(5)+quote("B", t1, "2")), other, ingest.Stdin, folder, other)
	if r.err != nil {
		t.Fatal(r.err)
	}
	var order []string
	for _, reject := range r.rejects {
		order = append(order, fmt.Sprintf("%s:%d", filepath.Base(reject.File), reject.Line))
	}
	if want := []string{"-:1", "10.ndjson:1", "2.ndjson.zst:1", "A.ndjson.gz:1", "A.ndjson.gz:2",
		"b.ndjson:1"}; !reflect.DeepEqual(order, want) {
		t.Errorf("refused %v, want %v", order, want)
	}
	if got, want := lasts(t, s), map[string]string{"A": "11.5", "B": "1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("stored %v, want %v: the last line wins", got, want)
	}
}

// When one path is missing, nothing of the others is stored.
func TestMissingPath(t *testing.T) {
	folder := t.TempDir()
	good := write(t, folder, "good.ndjson", quote("A", t1, "1"))
	s := openFile(t)
	for _, paths := range [][]string{{good, filepath.Join(folder, "none.ndjson")}, {good, filepath.Join(folder, "none")}} {
		r := run(t, s, nil, paths...)
		if !errors.Is(r.err, fs.ErrNotExist) || !strings.Contains(r.err.Error(), "none") {
			t.Errorf("error %v", r.err)
		}
		if r.Counts != (ingest.Counts{}) || len(lasts(t, s)) > 0 {
			t.Errorf("counts %+v, stored %v", r.Counts, lasts(t, s))
		}
	}
}

func TestFolderWithoutRecords(t *testing.T) {
	folder := t.TempDir()
	good := write(t, t.TempDir(), "good.ndjson", quote("A", t1, "1"))
	write(t, folder, "README.md", "")
	s := openFile(t)
	r := run(t, s, nil, good, folder)
	if r.err == nil || !strings.Contains(r.err.Error(), folder) || !strings.Contains(r.err.Error(), ".ndjson") {
		t.Errorf("error %v", r.err)
	}
	if len(lasts(t, s)) > 0 {
		t.Errorf("stored %v", lasts(t, s))
	}
	write(t, folder, "b.ndjson", quote("A", t1, "1"))
	if r := run(t, s, nil, folder); r.err != nil || !strings.Contains(r.messages, "left out: README.md; a folder's .ndjson") {
		t.Errorf("%q, %v", r.messages, r.err)
	}
}

// Nothing to read is nothing wrong.
func TestEmptyInputs(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a.ndjson", "")
	write(t, folder, "b.ndjson", "\ufeff\n \n\r\n\t\n")
	write(t, folder, "c.ndjson.gz", gzipped(t, ""))
	write(t, folder, "d.ndjson.zst", zstandard(t, ""))
	run(t, openFile(t), strings.NewReader(""), folder, ingest.Stdin).counts(t, ingest.Counts{})
}

// Archives that break off: the lines before are stored, one refusal tells of
// the break, and the next file is read.
func TestBrokenArchives(t *testing.T) {
	var text strings.Builder
	for i := range 1500 {
		text.WriteString(quote(fmt.Sprintf("S%d", i), t1, "1"))
	}
	half := func(packed string) string { return packed[:len(packed)/2] }
	spoilt := func(packed string) string { return packed[:len(packed)-6] + "XXXXXX" } // its check sum
	for name, content := range map[string]string{
		"half.ndjson.gz":   half(gzipped(t, text.String())),
		"half.ndjson.zst":  half(zstandard(t, text.String())),
		"spoilt.ndjson.gz": spoilt(gzipped(t, text.String())),
		"waste.ndjson.gz":  gzipped(t, text.String()) + "waste",
	} {
		t.Run(name, func(t *testing.T) {
			s := openFile(t)
			broken := write(t, t.TempDir(), name, content)
			r := run(t, s, strings.NewReader(quote("NEXT", t1, "2")), broken, ingest.Stdin)
			if r.err != nil || r.Rejected < 1 || r.Rejected > 2 || r.Stored < 2 { // a cut line may be refused as well
				t.Fatalf("%+v, %v", r.Counts, r.err)
			}
			told := r.rejects[len(r.rejects)-1]
			if told.File != broken || told.Member != nil || told.Line < r.Stored || told.Input != "" ||
				!strings.Contains(told.Reason, "cannot be read") || !strings.Contains(told.Reason, "the rest of the file is skipped") {
				t.Errorf("told %+v after %d lines", told, r.Stored)
			}
			stored := lasts(t, s)
			if stored["NEXT"] != "2" || len(stored) != r.Stored {
				t.Errorf("%d of %d are stored, the next file's %q", len(stored), r.Stored, stored["NEXT"])
			}
			for i := range r.Stored - 1 {
				if symbol := fmt.Sprintf("S%d", i); stored[symbol] != "1" {
					t.Fatalf("%s is missing", symbol)
				}
			}
		})
	}
}

// What is no archive in spite of its name is reported in the same way.
func TestNoArchive(t *testing.T) {
	for name, content := range map[string]string{"a.ndjson.gz": "text", "b.ndjson.zst": "some text", "c.ndjson.gz": ""} {
		s := openFile(t)
		path := write(t, t.TempDir(), name, content)
		r := run(t, s, strings.NewReader(quote("NEXT", t1, "2")), path, ingest.Stdin)
		r.counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
		if !strings.HasPrefix(r.messages, path+":1: cannot be read: ") || lasts(t, s)["NEXT"] != "2" {
			t.Errorf("told %s", r.messages)
		}
	}
}

// A gzip file may consist of several, as log rotation makes them.
func TestGzipOfSeveralParts(t *testing.T) {
	s := openFile(t)
	path := write(t, t.TempDir(), "a.ndjson.gz", gzipped(t, quote("A", t1, "1")+quote("B", t1, "2")[:30])+
		gzipped(t, quote("B", t1, "2")[30:]))
	run(t, s, nil, path).counts(t, ingest.Counts{Read: 2, Stored: 2})
}

// The many ways to end a line.
func TestLineEndings(t *testing.T) {
	a, b := strings.TrimSpace(quote("A", t1, "1")), strings.TrimSpace(quote("B", t1, "2"))
	for _, c := range []struct {
		name, input string
		lines       []int // of the two refusals
	}{
		{"LF", a + "\nx\n" + b + "\ny\n", []int{2, 4}},
		{"CRLF", a + "\r\nx\r\n" + b + "\r\ny\r\n", []int{2, 4}},
		{"none at the end", "x\n" + a + "\ny\n" + b, []int{1, 3}},
		{"none at the end of a bad one", a + "\n" + b + "\nx\ny", []int{3, 4}},
		{"blank lines", "\n\n" + a + "\n \t \r\nx\n\n" + b + "\n\ny\n\n\n", []int{5, 9}},
		{"a byte order mark", "\ufeff" + a + "\nx\n" + b + "\ny", []int{2, 4}},
		{"a byte order mark and CRLF", "\ufeff" + a + "\r\nx\r\n" + b + "\r\ny\r\n", []int{2, 4}},
		{"a byte order mark on a line of its own", "\ufeff\n" + a + "\nx\n" + b + "\ny", []int{3, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openFile(t)
			r := run(t, s, strings.NewReader(c.input))
			r.counts(t, ingest.Counts{Read: 4, Stored: 2, Rejected: 2})
			if got, want := lasts(t, s), map[string]string{"A": "1", "B": "2"}; !reflect.DeepEqual(got, want) {
				t.Errorf("stored %v", got)
			}
			if len(r.rejects) == 2 && (r.rejects[0].Line != c.lines[0] || r.rejects[1].Line != c.lines[1] || r.rejects[0].Input != "x" ||
				r.rejects[1].Input != "y") {
				t.Errorf("refused %+v", r.rejects)
			}
		})
	}
}

// A byte order mark belongs to the start of a file only.
func TestMarkInTheMiddle(t *testing.T) {
	r := run(t, openFile(t), strings.NewReader(quote("A", t1, "1")+"\ufeff"+quote("B", t1, "2")))
	r.counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
}

// A line that is too long is refused alone, without being kept in memory or in
// the rejects; one of several megabytes is a line like any other.
func TestLongLines(t *testing.T) {
	const limit = 16 << 20
	filler := func(n int) io.Reader { return io.LimitReader(endless('a'), int64(n)) }
	name := `{"record":"sector","code":"x","members":[],"name":"`
	input := io.MultiReader(
		strings.NewReader(quote("A", t1, "1")),
		filler(limit+1), strings.NewReader("\n"+quote("B", t1, "2")+name), filler(5<<20), strings.NewReader("\"}\n"+quote("C", t1, "3")),
		filler(limit+(1<<20)), // at the end, without an end
	)
	s := openFile(t)
	r := run(t, s, input)
	r.counts(t, ingest.Counts{Read: 6, Stored: 4, Rejected: 2})
	if len(r.rejects) != 2 {
		t.Fatal("rejects are missing")
	}
	for i, line := range []int{2, 6} {
		told := r.rejects[i]
		if told.Line != line || told.Member != nil || !strings.Contains(told.Reason, "longer than 16 MiB") || len(told.Input) > 100 ||
			!strings.HasPrefix(told.Input, "aaa") {
			t.Errorf("told %.200v", told)
		}
	}
	sectors, err := s.Sectors(t.Context())
	if err != nil || len(sectors) != 1 || len(sectors[0].Name) != 5<<20 {
		t.Errorf("the long good line: %d sectors, %v", len(sectors), err)
	}
}

// endless repeats one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// What fails while it is read, other than an archive, is reported like a break.
func TestUnreadableInput(t *testing.T) {
	s := openFile(t)
	r := run(t, s, io.MultiReader(strings.NewReader(quote("A", t1, "1")+quote("B", t1, "2")), failing{}))
	r.counts(t, ingest.Counts{Read: 3, Stored: 2, Rejected: 1})
	if !strings.Contains(r.messages, "-:3: cannot be read: the wire was cut; the rest of the file is skipped\n") {
		t.Errorf("told %q", r.messages)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the wire was cut") }

// an archive that is broken at its very start ends the run; one broken later does not.
func TestArchiveBrokenAtItsStart(t *testing.T) {
	for _, content := range []string{"", "no archive"} {
		r := run(t, openFile(t), strings.NewReader(quote("NEXT", t1, "1")), write(t, t.TempDir(), "a.ndjson.gz", content), ingest.Stdin)
		r.counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
	}
}
