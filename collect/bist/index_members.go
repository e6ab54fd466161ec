package bist

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Columns of members that are read.
const (
	mShare = iota
	mIndex
	mName
	mDay
)

// memberColumns are their names, in Turkish and English.
var memberColumns = [][2]string{
	{"BILESEN KODU", "CONSTITUENT CODE"}, {"ENDEKS KODU", "INDEX CODE"}, {"ENDEKS ADI", "INDEX NAME IN TURKISH"},
	{"TARIH(GG/AA/YYYY)", "DATE(DD/MM/YYYY)"},
}

// titles is how many lines may be before the header.
const titles = 2

// index is an index with its members.
type index struct {
	name    string
	members map[string]bool
	odd     string // a member that is no share
}

// list returns the members as they are in records.
func (x *index) list() (all []map[string]string) {
	for _, symbol := range slices.Sorted(maps.Keys(x.members)) {
		all = append(all, map[string]string{"symbol": symbol})
	}
	return all
}

// readMembers returns the indices of a file, by code, and its day.
func readMembers(body []byte) (day time.Time, all map[string]*index, err error) {
	table, err := decode(body)
	if err != nil {
		return day, nil, err
	}
	lines := strings.Split(strings.TrimRight(table, "\r\n"), "\n")
	var header []string
	var at []int
	first := 0
	for ; first <= titles && first < len(lines); first++ {
		header = splitCells(lines[first])
		if at, err = findColumns(header, memberColumns); err == nil {
			break
		}
	}
	if err != nil {
		return day, nil, err
	}
	if rows := len(lines) - first - 1; rows < leastRows {
		return day, nil, fmt.Errorf("it has %d rows; all indices have more than %d", rows, leastRows)
	}
	all = map[string]*index{}
	for i, line := range lines[first+1:] {
		row := splitCells(line)
		if len(row) != len(header) {
			return day, nil, fmt.Errorf("line %d has %d cells, its header has %d", first+i+2, len(row), len(header))
		}
		cell := func(c int) string { return foldBlanks(row[at[c]]) }
		if code := cell(mShare); i == 0 && (code == memberColumns[mShare][0] || code == memberColumns[mShare][1]) {
			continue // the header in the other language
		}
		of, err := time.Parse("02/01/2006", cell(mDay))
		if err != nil || !day.IsZero() && !of.Equal(day) {
			return day, nil, fmt.Errorf("line %d is of %q; all must be of one day such as 02/06/2031", first+i+2, cell(mDay))
		}
		day = of
		symbol, code, name := strings.TrimSuffix(cell(mShare), ".E"), cell(mIndex), cell(mName)
		if !symbolForm.MatchString(code) || name == "" {
			return day, nil, fmt.Errorf("line %d must have code and name of an index; got %q and %q", first+i+2, code, name)
		}
		x := all[code]
		if x == nil {
			x = &index{name: name, members: map[string]bool{}}
			all[code] = x
		}
		switch {
		case x.name != name:
			return day, nil, fmt.Errorf("%s is %q and %q", code, x.name, name)
		case !symbolForm.MatchString(symbol):
			x.odd = cell(mShare)
		}
		x.members[symbol] = true
	}
	return day, all, nil
}
