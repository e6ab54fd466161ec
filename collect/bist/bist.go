// Package bist has what the files of Borsa Istanbul's equity market have in common: the host, the
// licence they need, and the form of their tables.
package bist

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Where the files are, and how they are asked for.
const (
	Base     = "https://www.borsaistanbul.com/"
	Pace     = 2 * time.Second // between requests
	MaxBytes = 8 << 20         // of a file
)

// mostTable is how long a table may be, unpacked.
const mostTable = 32 << 20

// Symbol is what codes of shares and of indices look like.
var Symbol = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)

// ErrLicence says why nothing is asked.
var ErrLicence = errors.New(`"licensed" must be true: the data of Borsa Istanbul may be stored and shown only under a contract with the exchange; say so if you have one`)

// Unpack returns the one table of an archive. An English twin and what a Mac leaves behind
// do not count.
func Unpack(body []byte) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return "", err
	}
	var table *zip.File
	for _, f := range archive.File {
		name := strings.ToLower(path.Base(f.Name))
		if path.Ext(name) != ".csv" || strings.HasPrefix(name, "ehb") || strings.HasPrefix(name, ".") {
			continue
		}
		if table != nil {
			return "", fmt.Errorf("the archive has two tables: %q and %q", table.Name, f.Name)
		}
		table = f
	}
	if table == nil {
		return "", errors.New("the archive has no table")
	}
	in, err := table.Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, mostTable+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%q: %w", table.Name, err)
	case len(text) > mostTable:
		return "", fmt.Errorf("%q has more than %d bytes", table.Name, mostTable)
	}
	return Decode(text)
}

// Decode returns a text without a mark at its beginning. What is not UTF-8 is Windows' Turkish, or
// an error.
func Decode(text []byte) (string, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if utf8.Valid(text) {
		return string(text), nil
	}
	text, err := charmap.Windows1254.NewDecoder().Bytes(text)
	if bytes.ContainsRune(text, utf8.RuneError) {
		return "", errors.New("it has bytes that are neither UTF-8 nor windows-1254")
	}
	return string(text), err
}

// Fold returns a cell with single blanks.
func Fold(cell string) string { return strings.Join(strings.Fields(cell), " ") }

// Cells splits a line.
func Cells(line string) []string { return strings.Split(strings.TrimRight(line, "\r\n"), ";") }

// Columns finds the columns of a header, by either of their names.
func Columns(header []string, names [][2]string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = -1
		for c, cell := range header {
			if cell = Fold(cell); cell != name[0] && cell != name[1] {
				continue
			}
			if at[i] >= 0 {
				return nil, fmt.Errorf("two columns are %s", name[0])
			}
			at[i] = c
		}
		if at[i] < 0 {
			return nil, fmt.Errorf("there is no column %s", name[0])
		}
	}
	return at, nil
}
