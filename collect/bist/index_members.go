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
	membersFile = "datum/hisse_endeks_ds.csv"
	leastRows   = 1000 // the file has about 5,750
	mostLost    = 30   // percent of members lost at which the file of another day must confirm it
	mostAhead   = 7    // days by which the file of the next session may be early
)

// indices reads the members of the indices of Borsa Istanbul.
type indices struct {
	verified map[string]bool // codes of the indices to serve; nil: all
}

// NewIndices returns the source of a configuration.
func NewIndices(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed bool            `json:"licensed"`
		Verified json.RawMessage `json:"verified"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, errLicence
	case string(in.Verified) == `"all"`:
		return &indices{}, nil
	}
	var codes []string
	if err := json.Unmarshal(in.Verified, &codes); err != nil || len(codes) == 0 ||
		slices.ContainsFunc(codes, func(code string) bool { return !symbolForm.MatchString(code) }) {
		return nil, errors.New(`"verified" must be "all", or a list of the codes of the indices whose members you have checked and want served, such as ["XU100", "XU030"]`)
	}
	s := &indices{map[string]bool{}}
	for _, code := range codes {
		s.verified[code] = true
	}
	return s, nil
}

// Plan implements collect.Source.
func (*indices) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 15), collect.At(18, 55), collect.At(20, 10)}
	return collect.Plan{Base: baseURL, Pace: pace, MaxBytes: maxBytes, Schedule: collect.Schedule{At: at}}
}

// keptIndices is the state kept from the files.
type keptIndices struct {
	Day     string            `json:"day"`               // of the newest
	Members map[string]int    `json:"members"`           // number of stored members of each index
	Smaller map[string]string `json:"smaller,omitempty"` // the day of the file in which an index lost many members
}

// Ask implements collect.Source.
func (*indices) Ask(json.RawMessage, time.Time) (*collect.Request, error) {
	return &collect.Request{Path: membersFile, Expect: collect.Text, Settled: true}, nil
}

// Parse implements collect.Source. The file has everything of one day. Part of a file looks
// like a whole one, so an index that has lost many or all members does not change until the
// file of a later day says the same.
func (s *indices) Parse(text json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	var k keptIndices
	if len(text) > 0 {
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, err
		}
	}
	day, all, err := readMembers(got.Body)
	if err != nil {
		return nil, err
	}
	stamp := day.Format(time.DateOnly)
	if day.After(got.At.AddDate(0, 0, mostAhead)) {
		return nil, fmt.Errorf("the file is of %s", stamp)
	}
	if stamp < k.Day {
		return &collect.Result{Keep: text, Warning: fmt.Sprintf("the file is of %s, and one of %s is stored: it is left out",
			stamp, k.Day)}, nil
	}
	next := keptIndices{Day: stamp, Members: map[string]int{}, Smaller: map[string]string{}}
	at := got.At.UTC().Format(time.RFC3339)
	var records []collect.Record
	var doubtful []string
	codes := maps.Clone(k.Members)
	if codes == nil {
		codes = map[string]int{}
	}
	for code, index := range all {
		codes[code] = len(index.members)
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		before, index := k.Members[code], all[code]
		n := 0
		if index != nil {
			n = len(index.members)
		}
		if lost, since := before-n, k.Smaller[code]; lost*100 > mostLost*before && (since == "" || since == stamp) {
			next.Smaller[code], next.Members[code] = stamp, before
			doubtful = append(doubtful, fmt.Sprintf("%s has %d members instead of %d, unless the file of a later day says the same",
				code, n, before))
			continue
		}
		if index != nil && index.odd != "" {
			if before > 0 {
				next.Members[code] = before
			}
			doubtful = append(doubtful, fmt.Sprintf("%s has the member %q, which is no share", code, index.odd))
			continue
		}
		fields := map[string]any{"code": code, "synced_at": at}
		if index == nil {
			fields["withdrawn"] = true
		} else {
			next.Members[code] = n
			fields["name"], fields["verified"], fields["members"] = index.name, s.verified == nil || s.verified[code], index.list()
		}
		records = append(records, collect.Record{Kind: "index", Fields: fields})
	}
	keep, err := json.Marshal(next)
	result := &collect.Result{Records: records, Keep: keep}
	if len(doubtful) > 0 {
		result.Warning = fmt.Sprintf("%d of the indices stay as they are: %s",
			len(doubtful), strings.Join(doubtful[:min(len(doubtful), 10)], "; "))
	}
	return result, err
}

// The columns of members that are read.
const (
	mShare = iota
	mIndex
	mName
	mDay
)

// memberColumns are their names in Turkish and English.
var memberColumns = [][2]string{
	{"BILESEN KODU", "CONSTITUENT CODE"}, {"ENDEKS KODU", "INDEX CODE"}, {"ENDEKS ADI", "INDEX NAME IN TURKISH"},
	{"TARIH(GG/AA/YYYY)", "DATE(DD/MM/YYYY)"},
}

// titles is the most lines before the header.
const titles = 2

// index is an index with its members.
type index struct {
	name    string
	members map[string]bool
	odd     string // a member that is not a share
}

// list returns the members in the form of records.
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
