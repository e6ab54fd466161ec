package files_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding/unicode"

	"piyasa/collect"
	"piyasa/collect/files"
	"piyasa/test/fixture/need"
)

// failing is a file of a disk that cannot read it from a byte on.
type failing struct {
	*os.File
	from, at int64
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if good := max(0, f.from-at); int64(len(p)) > good {
		n, err := f.File.ReadAt(p[:good], at)
		if err == nil {
			err = &os.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
		}
		return n, err
	}
	return f.File.ReadAt(p, at)
}

// What the disk cannot read is no fault of the file: it stays where it is, and is read on from
// there, each row once, as soon as the disk reads it.
func TestDiskThatFails(t *testing.T) {
	const rows = 4500 // three answers
	lines, table := new(strings.Builder), new(strings.Builder)
	table.WriteString("code;close;note\n")
	type row struct {
		Code  string `parquet:"code"`
		Close int64  `parquet:"close,decimal(2:18)"`
	}
	var all []row
	for n := range rows {
		fmt.Fprintf(table, "A%d;%d.%02d;\"a\nnote\"\n", n, n/100, n%100)
		fmt.Fprintf(lines, `{"code": "A%d", "close": %d.%02d}`+"\n", n, n/100, n%100)
		all = append(all, row{fmt.Sprint("A", n), int64(n)})
	}
	var packed, columns bytes.Buffer
	zip := gzip.NewWriter(&packed)
	fmt.Fprint(zip, table)
	need.NoError(t, zip.Close())
	need.NoError(t, parquet.Write(&columns, all, parquet.MaxRowsPerRowGroup(1000)))
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(table.String())
	need.NoError(t, err)
	const members = `"record": "bar", "members": {"instrument_id": "code", "close": "close"}}`
	for name, c := range map[string]struct{ settings, content string }{
		"a.csv":     {`{"format": "csv", "delimiter": ";", ` + members, table.String()},
		"b.csv":     {`{"format": "csv", "delimiter": ";", ` + members, wide},
		"c.csv.gz":  {`{"format": "csv", "delimiter": ";", ` + members, packed.String()},
		"d.ndjson":  {`{"format": "ndjson", ` + members, lines.String()},
		"e.parquet": {`{"format": "parquet", ` + members, columns.String()},
	} {
		t.Run(name, func(t *testing.T) {
			size := int64(len(c.content))
			places := []int64{0, size / 2, 1, 2, 7, size - 1}
			if testing.Short() {
				places = places[:2]
			}
			for _, from := range places {
				w := newWorld(t)
				w.put(name, []byte(c.content))
				broken := from
				files.OpenWith(t, func(f *os.File) files.Opened { return &failing{File: f, from: broken} })
				for range 2 {
					o := w.collect(c.settings)
					if trouble, ok := errors.AsType[*collect.Trouble](o.Err); !ok || trouble.Final || !errors.Is(o.Err, syscall.EIO) ||
						w.names(".") != name || w.names("failed") != "" {
						t.Fatalf("without what follows byte %d: %+v, failed %q", from, o, w.names("failed"))
					}
				}
				before := len(w.told("bar"))
				if least := int(from*rows/size) - 1000; name != "e.parquet" && name != "c.csv.gz" && before < least {
					t.Errorf("%d rows are stored before byte %d, of %d", before, from, least)
				}
				broken = 1 << 40
				o := w.collect(c.settings)
				got := w.told("bar")
				codes := slices.Compact(slices.Sorted(slices.Values(got)))
				if o.Err != nil || o.Warning != nil || w.names("done") != name || len(got) != rows || len(codes) != rows {
					t.Fatalf("after a failure at byte %d: %+v, %d rows, %d different ones, done %q", from, o, len(got), len(codes),
						w.names("done"))
				}
			}
		})
	}
}

// One failure of a disk at the mark of an encoding makes no other encoding of a file.
func TestDiskThatFailsOnce(t *testing.T) {
	w := newWorld(t)
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(table)
	need.NoError(t, err)
	w.put("a.csv", []byte(wide))
	failed := false
	files.OpenWith(t, func(f *os.File) files.Opened { return &failingOnce{File: f, failed: &failed} })
	if o := w.collect(bars); !errors.Is(o.Err, syscall.EIO) || w.names(".") != "a.csv" {
		t.Errorf("%+v, failed %q", o, w.names("failed"))
	}
	if o := w.collect(bars); o.Err != nil || !slices.Equal(w.told("bar"), want) {
		t.Errorf("%+v\n%s", o, w.told("bar"))
	}
}

type failingOnce struct {
	*os.File
	failed *bool
}

func (f *failingOnce) Read(p []byte) (int, error) {
	if !*f.failed {
		*f.failed = true
		return 0, &os.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.Read(p)
}
