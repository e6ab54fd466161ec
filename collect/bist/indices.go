package bist

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

const (
	membersFile  = "datum/hisse_endeks_ds.csv"
	fewestRows   = 1000 // the file has more than five times as many
	mostLost     = 30   // of a hundred members of an index, from one file to the next
	dateOfMember = "02/01/2006"
)

// Columns of the members that are read.
const (
	mSymbol = iota
	mIndex
	mName
	mDate
)

var memberColumns = [][2]string{
	{"BILESEN KODU", "CONSTITUENT CODE"}, {"ENDEKS KODU", "INDEX CODE"}, {"ENDEKS ADI", "INDEX NAME IN TURKISH"}, {"TARIH(GG/AA/YYYY)", "DATE(DD/MM/YYYY)"},
}

// indices are the members of the exchange's indices.
type indices struct {
	verified map[string]bool
	shrunk   map[string]bool // may lose more members than is likely
}

// NewIndices returns the source of a configuration.
func NewIndices(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed bool     `json:"licensed"`
		Verified []string `json:"verified"`
		Shrunk   []string `json:"shrunk"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, errLicence
	}
	s := &indices{map[string]bool{}, map[string]bool{}}
	for into, codes := range map[*map[string]bool][]string{&s.verified: in.Verified, &s.shrunk: in.Shrunk} {
		for _, code := range codes {
			if !symbols.MatchString(code) {
				return nil, fmt.Errorf(`"verified" and "shrunk" must be codes of indices such as "XU100"; got %q`, code)
			}
			(*into)[code] = true
		}
	}
	return s, nil
}

// Plan implements collect.Source: before and after the session.
func (*indices) Plan() collect.Plan {
	return collect.Plan{Base: base, Pace: pace, MaxBytes: maxBytes, Schedule: collect.Schedule{At: []collect.Clock{collect.At(8, 30), collect.At(19, 0)}}}
}

// membership is what is kept: how many members each index had.
type membership map[string]int

// Ask implements collect.Source.
func (*indices) Ask(json.RawMessage, time.Time) (*collect.Request, error) {
	return &collect.Request{Path: membersFile, Expect: collect.Text, Settled: true}, nil
}

// Parse implements collect.Source.
func (s *indices) Parse(text json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	before := membership{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &before); err != nil {
			return nil, err
		}
	}
	table, err := decoded(got.Body)
	if err != nil {
		return nil, err
	}
	names, members, err := membersOf(table, got.At)
	if err != nil {
		return nil, err
	}
	for _, code := range slices.Sorted(maps.Keys(before)) {
		if had, has := before[code], len(members[code]); (had-has)*100 > had*mostLost && !s.shrunk[code] {
			return nil, fmt.Errorf(`the index %s has %d members, and had %d; if that is right, say "shrunk": [%q]`, code, has, had, code)
		}
	}
	at := got.At.UTC().Format(time.RFC3339)
	after := membership{}
	var records []collect.Record
	for _, code := range slices.Sorted(maps.Keys(members)) {
		var list []map[string]any
		for _, symbol := range members[code] {
			list = append(list, map[string]any{"symbol": symbol})
		}
		after[code] = len(list)
		records = append(records, collect.Record{Kind: "index", Fields: map[string]any{
			"code": code, "name": names[code], "verified": s.verified[code], "synced_at": at, "members": list,
		}})
	}
	for _, code := range slices.Sorted(maps.Keys(before)) {
		if after[code] == 0 {
			records = append(records, collect.Record{Kind: "index", Fields: map[string]any{"code": code, "withdrawn": true}})
		}
	}
	keep, err := json.Marshal(after)
	return &collect.Result{Records: records, Keep: keep}, err
}

// membersOf returns the names and the members of all indices in a table.
func membersOf(table string, read time.Time) (names map[string]string, members map[string][]string, err error) {
	lines := strings.Split(strings.TrimRight(table, "\r\n"), "\n")
	var header []string
	var at []int
	first := 0
	for ; first < min(3, len(lines)); first++ { // a title may precede it
		header = cells(lines[first])
		if at, err = columns(header, memberColumns); err == nil {
			break
		}
	}
	if err != nil || at == nil {
		return nil, nil, errors.Join(errors.New("it has no header"), err)
	}
	names, members = map[string]string{}, map[string][]string{}
	rows, today := 0, read.In(collect.Istanbul).Format(time.DateOnly)
	for i, line := range lines[first+1:] {
		row := cells(line)
		if len(row) != len(header) {
			return nil, nil, fmt.Errorf("line %d has %d cells, its header has %d", first+i+2, len(row), len(header))
		}
		cell := func(c int) string { return folded(row[at[c]]) }
		if code := cell(mIndex); code == memberColumns[mIndex][0] || code == memberColumns[mIndex][1] {
			continue // the header in the other language
		}
		rows++
		day, err := time.Parse(dateOfMember, cell(mDate))
		if err != nil || day.Format(time.DateOnly) > today {
			return nil, nil, fmt.Errorf("line %d must have a day until %s such as 02/06/2031; got %q", first+i+2, today, cell(mDate))
		}
		symbol, code, name := strings.TrimSuffix(cell(mSymbol), ".E"), cell(mIndex), cell(mName)
		switch {
		case strings.Contains(symbol, "."):
			continue // no share
		case !symbols.MatchString(symbol) || !symbols.MatchString(code) || name == "":
			return nil, nil, fmt.Errorf("line %d must have codes such as ORNEK.E and XU100, and a name; got %q, %q and %q", first+i+2, cell(mSymbol), code, name)
		case names[code] != "" && names[code] != name:
			return nil, nil, fmt.Errorf("the index %s is called %q and %q", code, names[code], name)
		}
		names[code] = name
		if !slices.Contains(members[code], symbol) {
			members[code] = append(members[code], symbol)
		}
	}
	if rows < fewestRows {
		return nil, nil, fmt.Errorf("it has %d rows, and never fewer than %d", rows, fewestRows)
	}
	for _, list := range members {
		slices.Sort(list)
	}
	return names, members, nil
}
