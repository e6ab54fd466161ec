package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Stdin is the path of standard input.
const Stdin = "-"

// suffixes lists the suffixes of file names with records.
var suffixes = []string{".ndjson", ".ndjson.gz", ".ndjson.zst"}

// Check returns an error if a path is missing, is a folder without records, or is a table,
// which connectors read.
func Check(paths []string) error {
	_, err := expand(paths, io.Discard)
	return err
}

// tables are the suffixes of file names with tables.
var tables = []string{".csv", ".tsv", ".parquet"}

// expand returns the files of paths, those of folders in name order, and lists the files that
// it leaves out of folders. It fails before anything is read if a path is missing.
func expand(paths []string, messages io.Writer) ([]string, error) {
	var files []string
	for _, path := range paths {
		if path == Stdin {
			files = append(files, path)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst"))
		if !info.IsDir() && slices.Contains(tables, filepath.Ext(name)) {
			return nil, fmt.Errorf("%s is no NDJSON: `piyasa collect` reads CSV and Parquet, with its connector files", path)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := recordsIn(path, messages)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// mostLeftOut is how many names a message lists.
const mostLeftOut = 5

func recordsIn(folder string, messages io.Writer) ([]string, error) {
	entries, err := os.ReadDir(folder) // in name order
	if err != nil {
		return nil, err
	}
	var files, others []string
	for _, e := range entries {
		if !e.IsDir() && Reads(e.Name()) {
			files = append(files, filepath.Join(folder, e.Name()))
		} else {
			others = append(others, printable(e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no %s in this folder", folder, strings.Join(suffixes, ", "))
	}
	if n := len(others); n > 0 {
		if n > mostLeftOut {
			others = append(others[:mostLeftOut], fmt.Sprintf("and %d more", n-mostLeftOut))
		}
		fmt.Fprintf(messages, "%s: left out: %s; a folder's %s are read\n", printable(folder), strings.Join(others, ", "),
			strings.Join(suffixes, ", "))
	}
	return files, nil
}

// open opens a file, and unpacks it according to its suffix.
func open(path string, stdin io.Reader) (io.ReadCloser, error) {
	if path == Stdin {
		return io.NopCloser(stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var unpacked io.ReadCloser
	switch {
	case strings.HasSuffix(path, ".gz"):
		unpacked, err = gzip.NewReader(f)
	case strings.HasSuffix(path, ".zst"):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1)); err == nil {
			unpacked = z.IOReadCloser()
		}
	default:
		return f, nil
	}
	if err != nil {
		_ = f.Close()
		return nil, &brokenArchive{err}
	}
	return &archive{unpacked, f}, nil
}

// brokenArchive reports a file without the start of an archive.
type brokenArchive struct{ error }

// archive closes both the unpacker and its file.
type archive struct {
	io.ReadCloser
	file *os.File
}

// Close implements io.Closer.
func (a *archive) Close() error { return errors.Join(a.ReadCloser.Close(), a.file.Close()) }

// maxLine bounds a line, in bytes; the largest records hold a whole document.
const maxLine = 16 << 20

var errLineTooLong = fmt.Errorf("is longer than %d MiB", maxLine>>20)

// lines calls yield with every line that is not blank and its number from 1, until yield
// returns false. It yields a line that is too long as an error and continues. yield may keep
// the slice. lines returns the error of reading.
func lines(r io.Reader, yield func(number int, line []byte, err error) bool) error {
	in := bufio.NewReaderSize(r, 1<<18)
	if err := notText(in); err != nil {
		return err
	}
	for number := 1; ; number++ {
		line, err := readLine(in)
		if errors.Is(err, errLineTooLong) {
			if !yield(number, line, err) {
				return nil
			}
			continue
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && !yield(number, line, nil) {
			return nil
		}
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// readLine returns the next line in newly allocated memory.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			return line[:min(len(line), 80)], errLineTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// magics are the first bytes of formats that are not text, with the remedy.
var magics = []struct{ begins, is string }{
	{"\x1f\x8b", "a gzip archive, whose name must end in .ndjson.gz; to read it from a pipe, unpack it with gzip -dc"},
	{"\x28\xb5\x2f\xfd", "a Zstandard archive, whose name must end in .ndjson.zst; to read it from a pipe, unpack it with zstd -dc"},
	{"BZh", "a bzip2 archive: unpack it"},
	{"\xfd7zXZ", "an xz archive: unpack it"},
	{"PK\x03\x04", "a zip archive or a spreadsheet: unpack or export it"},
	{"PAR1", "a Parquet file, which the connector files of `piyasa collect` reads"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"%PDF-", "a PDF"},
	{"\xff\xfe", "text in UTF-16: convert it to UTF-8"},
	{"\xfe\xff", "text in UTF-16: convert it to UTF-8"},
}

// notText returns an error if the first bytes read cannot be lines of JSON. It waits only for
// the first byte.
func notText(in *bufio.Reader) error {
	_, _ = in.Peek(1)
	head, _ := in.Peek(min(in.Buffered(), 512))
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begins)) {
			return fmt.Errorf("it is no text but %s", m.is)
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if bytes.IndexByte(head, 0) >= 0 && !bytes.HasPrefix(text, []byte("{")) {
		return errors.New("it is no text: it has bytes that are zero")
	}
	return nil
}

// Reads reports whether a folder's file of this name is read.
func Reads(name string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}
