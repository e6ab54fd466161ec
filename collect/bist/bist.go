// Package bist reads the daily files of Borsa Istanbul's equity market: the bulletin, the
// members of indices, and the price limits, each with its own connector. This file and daily.go
// have their common parts: the host, the required licence, the form of tables, and the daily
// files.
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
	baseURL  = "https://www.borsaistanbul.com/"
	pace     = 2 * time.Second // between requests
	maxBytes = 8 << 20         // of a file
)

// mostTable is the largest size of an unpacked table, in bytes.
const mostTable = 32 << 20

// symbolForm is the form of codes of shares and indices.
var symbolForm = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)

// errLicence says why no request is sent.
var errLicence = errors.New(`"licensed" must be true: the data of Borsa Istanbul may be stored and shown only under a contract with the exchange; say so if you have one`)

// unpack returns the only table of an archive. It ignores an English copy, and files that a Mac
// adds.
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
	return decode(text)
}

// decode returns a text as UTF-8 without its byte order mark. Text in another encoding must be
// Windows Turkish, or it is an error.
func decode(text []byte) (string, error) {
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

// foldBlanks returns a cell with single blanks.
func foldBlanks(cell string) string { return strings.Join(strings.Fields(cell), " ") }

// splitCells splits a line.
func splitCells(line string) []string { return strings.Split(strings.TrimRight(line, "\r\n"), ";") }

// findColumns returns the places of columns in a header, by either of their names.
func findColumns(header []string, names [][2]string) ([]int, error) {
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = -1
		for c, cell := range header {
			if cell = foldBlanks(cell); cell != name[0] && cell != name[1] {
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
