package files

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"piyasa/collect"
)

// Bounds of an answer and of a row.
const (
	mostRows  = 2000
	mostBytes = 4 << 20
	mostRow   = 1 << 20
)

// reader reads the rows of one file.
type reader struct {
	identity
	disk   *disk
	row    func() ([]string, error) // io.EOF after the last
	header []string
	coded  bool // it was not UTF-8 and has been decoded
	rows   int  // number of rows read
}

// disk is a file as the machine reads it. After an error it reads nothing more, so that what
// came before is not taken for the whole file.
type disk struct {
	opened
	err error // of the machine, and no fault of the file; nil: none
}

// opened is what a disk needs of an *os.File.
type opened interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

var open = func(name string) (opened, error) { return os.Open(name) }

// Read implements io.Reader.
func (d *disk) Read(p []byte) (int, error) {
	return d.noted(func() (int, error) { return d.opened.Read(p) })
}

// ReadAt implements io.ReaderAt.
func (d *disk) ReadAt(p []byte, at int64) (int, error) {
	return d.noted(func() (int, error) { return d.opened.ReadAt(p, at) })
}

func (d *disk) noted(read func() (int, error)) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	if n, err = read(); err != nil && !errors.Is(err, io.EOF) {
		d.err = err
	}
	return n, err
}

// unreadable returns the error of a machine that cannot read a file.
func unreadable(err error) error { return &collect.Trouble{What: "the file cannot be read", Err: err} }

// read returns the next rows of a file from row from on. Its error is one of the machine: the
// rows from there on can be asked for again. A fault of the file is in the chunk.
func (s *source) read(id identity, from int) (*chunk, error) {
	c := &chunk{identity: id, First: from, Rows: [][]string{}}
	if s.open == nil || s.open.identity != id || s.open.rows != from {
		s.close()
		r, err := s.openFile(id)
		if _, machine := errors.AsType[*os.PathError](err); machine {
			return nil, unreadable(err)
		}
		if err != nil {
			c.Failed = err.Error()
			return c, nil
		}
		s.open = r
		for r.rows < from {
			if _, err := r.row(); err != nil {
				if r.disk.err != nil {
					s.close()
					return nil, unreadable(r.disk.err)
				}
				c.Failed = fmt.Sprintf("row %d: %v", r.rows+1, err)
				return c, nil
			}
			r.rows++
		}
	}
	c.Header = s.open.header
	for size := 0; len(c.Rows) < mostRows && size < mostBytes; {
		row, err := s.open.row()
		if wrong := s.open.disk.err; err != nil && wrong != nil {
			s.close() // the next call reads on from this row
			if len(c.Rows) == 0 {
				return nil, unreadable(wrong)
			}
			break
		}
		if errors.Is(err, io.EOF) {
			c.Ends = true
			break
		}
		if err != nil {
			c.Failed = fmt.Sprintf("row %d: %v", s.open.rows+1, err)
			break
		}
		for _, cell := range row {
			if size += len(cell); len(cell) > mostRow {
				c.Failed = fmt.Sprintf("row %d: a cell has more than %d bytes", s.open.rows+1, mostRow)
			} else if wrong := s.open.notText(cell); wrong != "" {
				c.Failed = fmt.Sprintf("row %d: a cell %s", s.open.rows+1, wrong)
			}
		}
		if c.Failed != "" {
			break
		}
		s.open.rows++
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// openFile opens a file and reads its header.
func (s *source) openFile(id identity) (*reader, error) {
	f, err := open(filepath.Join(s.Folder, id.File))
	if err != nil {
		return nil, err
	}
	r := &reader{identity: id, disk: &disk{opened: f}}
	if err := s.begin(r); err != nil {
		_ = f.Close()
		return nil, cmp.Or(r.disk.err, err)
	}
	return r, nil
}

func (s *source) begin(r *reader) error {
	if s.Format == "parquet" {
		if strings.HasSuffix(r.File, ".gz") {
			return errors.New("a file of Parquet is packed inside, and not read with .gz")
		}
		return s.beginParquet(r)
	}
	var in io.Reader = r.disk
	if strings.HasSuffix(r.File, ".gz") {
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("it is not packed with gzip: %w", err)
		}
		in = unzip
	}
	if r.coded = s.charset != nil; r.coded {
		in = s.charset.NewDecoder().Reader(in)
	} else {
		in, r.coded = marked(in)
	}
	limit := &budget{in: in}
	limit.renew() // the reader first looks for a byte order mark
	text := bufio.NewReaderSize(limit, 1<<16)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = text.Discard(3)
	}
	if s.Format == "ndjson" {
		r.row = linesOf(text, limit)
		return nil
	}
	table := csv.NewReader(text)
	table.Comma, _ = utf8.DecodeRuneInString(s.Delimiter)
	if s.Format == "tsv" {
		table.Comma, table.LazyQuotes = '\t', true
	}
	table.FieldsPerRecord = -1
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty, and has no header")
	}
	if err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	for i, column := range header {
		if wrong := r.notText(column); wrong != "" {
			return fmt.Errorf("the header %s", wrong)
		}
		header[i] = strings.TrimSpace(column)
	}
	r.header = header
	r.row = func() ([]string, error) {
		limit.renew()
		row, err := table.Read()
		if err != nil {
			return nil, err
		}
		return sized(row, len(header))
	}
	return s.hasColumns(header, header)
}

// sized returns a row with as many cells as the header. Extra separators at its end are
// dropped.
func sized(row []string, cells int) ([]string, error) {
	for len(row) > cells && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	if len(row) != cells {
		return nil, fmt.Errorf("it has %d cells, and the header has %d", len(row), cells)
	}
	return row, nil
}

// notText returns the fault of a text that is not in the expected encoding; empty: none.
func (r *reader) notText(text string) string {
	switch {
	case !utf8.ValidString(text):
		return `is not UTF-8; "encoding" names another one, such as "windows-1254"`
	case strings.Contains(text, "\x00"):
		return `has bytes of zero, as UTF-16 does; "encoding" may have to be "utf-16le"`
	case r.coded && strings.ContainsRune(text, utf8.RuneError):
		return `has bytes that are no character in its encoding; "encoding" may have to be another one`
	}
	return ""
}

// hint suggests what is wrong with a header of one cell; empty: nothing.
func (s *source) hint(header []string) string {
	if len(header) != 1 || s.Format == "parquet" {
		return ""
	}
	if strings.Contains(header[0], "\r") {
		return "; its lines end with CR alone, which is no end of a line here"
	}
	for _, other := range []string{";", "\t", "|", ","} {
		if strings.Contains(header[0], other) {
			return fmt.Sprintf(`; its "delimiter" seems to be %q`, other)
		}
	}
	return ""
}

// marked reads UTF-16 with a byte order mark, which Windows calls Unicode, as UTF-8.
func marked(in io.Reader) (_ io.Reader, is bool) {
	text := bufio.NewReader(in)
	if mark, err := text.Peek(2); err == nil && (string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff") {
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(text), true
	}
	return text, false
}

// hasColumns returns an error if a file lacks one of the columns all.
func (s *source) hasColumns(found, all []string) error {
	for _, column := range s.columns() {
		switch n := count(found, column); {
		case n == 0:
			return fmt.Errorf("it has no column %q; its columns are %q%s", column, all, s.hint(all))
		case n > 1:
			return fmt.Errorf("it has the column %q twice", column)
		}
	}
	return nil
}

func count(all []string, one string) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s != one }))
}

// budget bounds the bytes read for one row, which an open quote would make endless.
type budget struct {
	in   io.Reader
	left int
}

func (b *budget) renew() { b.left = 2 * mostRow }

// Read implements io.Reader.
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has more than %d bytes", mostRow)
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}

// linesOf returns the non-blank lines of a text, as rows of one cell.
func linesOf(text *bufio.Reader, limit *budget) func() ([]string, error) {
	return func() ([]string, error) {
		for {
			limit.renew()
			var line []byte
			for {
				part, err := text.ReadSlice('\n')
				if line = append(line, part...); len(line) > mostRow {
					return nil, fmt.Errorf("a line has more than %d bytes", mostRow)
				}
				if errors.Is(err, bufio.ErrBufferFull) {
					continue
				}
				if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
					return nil, err
				}
				break
			}
			if trimmed := strings.TrimSpace(string(line)); trimmed != "" {
				return []string{trimmed}, nil
			}
		}
	}
}
