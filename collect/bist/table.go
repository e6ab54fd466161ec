package bist

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// mostTable is how long a table may be, unpacked.
const mostTable = 32 << 20

// unpack returns the one table of an archive. An English twin and what a Mac leaves behind
// do not count.
func unpack(body []byte) (string, error) {
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
	return decoded(text)
}

// decoded returns a text without a mark at its beginning. What is not UTF-8 is Windows' Turkish.
func decoded(text []byte) (string, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if utf8.Valid(text) {
		return string(text), nil
	}
	text, err := charmap.Windows1254.NewDecoder().Bytes(text)
	return string(text), err
}

// folded returns a cell with single blanks.
func folded(cell string) string { return strings.Join(strings.Fields(cell), " ") }

// cells splits a line.
func cells(line string) []string { return strings.Split(strings.TrimRight(line, "\r\n"), ";") }

// columns finds the columns of a header, by either of their names.
func columns(header []string, names [][2]string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = -1
		for c, cell := range header {
			if cell = folded(cell); cell != name[0] && cell != name[1] {
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
