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
	mostLost    = 30   // of a hundred members that an index has no more, before the file of another day says so, too
	mostAhead   = 7    // days that the file of the next session may be before its time
)

// indices reads which shares the indices of Borsa Istanbul have.
type indices struct {
	verified map[string]bool // codes of those that are served; nil: all
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

// keptIndices is what is kept of the files that were read.
type keptIndices struct {
	Day     string            `json:"day"`               // of the newest
	Members map[string]int    `json:"members"`           // of each index, that are stored
	Smaller map[string]string `json:"smaller,omitempty"` // the day of the file in which an index lost many
}

// Ask implements collect.Source.
func (*indices) Ask(json.RawMessage, time.Time) (*collect.Request, error) {
	return &collect.Request{Path: membersFile, Expect: collect.Text, Settled: true}, nil
}

// Parse implements collect.Source. The file has everything of one day. A part of it looks like
// the whole, so an index that has lost many members, or all, stays as it is until the file of a
// later day says the same.
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
