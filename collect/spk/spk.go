// Package spk reads the completed public offerings of shares from the web service of the
// Capital Markets Board of Turkey.
package spk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"piyasa/collect"
)

const (
	base      = "https://ws.spk.gov.tr/"
	list      = "BorclanmaAraclari/api/IlkHalkaArzVerileri"
	firstYear = 2000
	lastYear  = 7  // days until last year is read again
	pastYears = 30 // days until an earlier year is read again
)

// source reads the list of each year.
type source struct {
	from int // first year; 0: the last one
}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	from, err := collect.FromYear(text, firstYear, 2020)
	return &source{from}, err
}

// Plan implements collect.Source.
func (*source) Plan() collect.Plan {
	return collect.Plan{Base: base, Pace: 2 * time.Second, Schedule: collect.Schedule{At: []collect.Clock{collect.At(9, 0)}}}
}

// year is the state kept of a year's list.
type year struct {
	Asked time.Time         `json:"asked"`
	Sums  map[string]string `json:"sums,omitempty"` // digests of records, by id
}

// Rewind implements collect.Rewinder, to a year.
func (*source) Rewind(text json.RawMessage, to string) (json.RawMessage, error) {
	return collect.BackToYear(text, to)
}

// Ask implements collect.Source: this year once a day, and earlier years at longer intervals, since
// their rows may be corrected.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := collect.YearsKept[year](text)
	if err != nil {
		return nil, err
	}
	now = now.In(collect.Istanbul)
	first := now.Year() - 1
	if s.from > 0 {
		first = min(s.from, now.Year())
	}
	for y := first; y <= now.Year(); y++ {
		if known := k[y]; known == nil || known.due(y, now) {
			return &collect.Request{Path: list, Query: url.Values{"yil": {strconv.Itoa(y)}}, Expect: collect.JSON}, nil
		}
	}
	return nil, nil
}

// due reports whether to read a year again.
func (y *year) due(number int, now time.Time) bool {
	days := map[int]int{now.Year(): 1, now.Year() - 1: lastYear}[number]
	if days == 0 {
		days = pastYears
	}
	return y.Asked.In(collect.Istanbul).AddDate(0, 0, days).Format(time.DateOnly) <= now.Format(time.DateOnly)
}

// Parse implements collect.Source. A row that has changed is stored as a new record; one that the
// list no longer has, or has under another code, is withdrawn.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := collect.YearsKept[year](text)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(request.Query.Get("yil"))
	if err != nil {
		return nil, fmt.Errorf("the year that was asked for: %w", err)
	}
	rows, err := decode(got.Body, number)
	if err != nil {
		return nil, err
	}
	before := k[number]
	if before == nil {
		before = &year{}
	}
	if len(rows) == 0 && len(before.Sums) > 0 {
		return nil, fmt.Errorf("the list of %d had %d rows, and is empty now", number, len(before.Sums))
	}
	at := got.At.UTC().Format(time.RFC3339)
	next := &year{Asked: got.At, Sums: map[string]string{}}
	var records []collect.Record
	for _, r := range rows {
		id := r["id"].(string)
		if next.Sums[id] != "" {
			return nil, fmt.Errorf("two rows of %d are %s", number, id)
		}
		content, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		next.Sums[id] = hex.EncodeToString(sum[:8])
		if before.Sums[id] != next.Sums[id] {
			r["as_of"] = at
			records = append(records, collect.Record{Kind: "ipo", Fields: r})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before.Sums)) {
		if next.Sums[id] == "" {
			records = append(records, collect.Record{Kind: "ipo", Fields: map[string]any{"id": id, "as_of": at, "withdrawn": true}})
		}
	}
	k[number] = next
	keep, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: keep, More: true}, err
}
