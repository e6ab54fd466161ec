package evds

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"piyasa/collect"
)

const (
	day    = "02-01-2006"
	freeze = 45 // days after the end of the newest month until the next one is overdue
	none   = "" // the value of a month that the service skips
)

// point is a row of an answer.
type point struct{ month, value string }

// Parse implements collect.Source. It returns only records that differ from the last answer.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	one, first, last, err := s.asked(request.Path)
	if err != nil {
		return nil, err
	}
	points, err := decode(got.Body, one, first, last)
	if err != nil {
		return nil, fmt.Errorf("%s from %s to %s: %w", one.code, first, last, err)
	}
	before := k[one.id]
	t := before
	if t.Code != one.code || first < t.From {
		t = track{Code: one.code, From: first}
	}
	if err := t.misses(points, first, last); err != nil {
		return nil, fmt.Errorf("%s: %w", one.code, err)
	}
	records := t.take(one, points, got.At)
	if before.Code != "" && before.Code != one.code {
		records = append(withdrawn(one.id, before, points), records...)
	}
	now := got.At.In(collect.Istanbul)
	t.Next = plus(last, 1)
	if t.Next >= now.Format(month) { // the month may have ended since the request
		t.Next, t.Asked = "", got.At
		end, err := time.ParseInLocation(month, t.Newest, collect.Istanbul)
		if err != nil {
			return nil, fmt.Errorf("%s has no value", one.code)
		}
		t.Frozen = now.After(end.AddDate(0, 1, freeze))
	}
	k[one.id] = t
	keep, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: keep, More: true}, err
}

// asked parses the path of a request.
func (s *source) asked(path string) (one series, first, last string, err error) {
	in, err := url.ParseQuery(path)
	if err != nil {
		return one, "", "", err
	}
	one, ok := s.find(in.Get("series"))
	begin, wrong := time.Parse(day, in.Get("startDate"))
	end, wrongToo := time.Parse(day, in.Get("endDate"))
	if !ok || wrong != nil || wrongToo != nil {
		return one, "", "", fmt.Errorf("nothing like %q was asked for", path)
	}
	return one, begin.Format(month), end.Format(month), nil
}

// decode returns the rows of an answer, which must begin with the first requested month: a
// truncated answer keeps only its end.
func decode(body []byte, one series, first, last string) ([]point, error) {
	var in struct {
		Total *jsonv1.Number                `json:"totalCount"`
		Items *[]map[string]json.RawMessage `json:"items"`
	}
	if err := collect.ReadJSON(body, &in); err != nil {
		return nil, err
	}
	if in.Items == nil {
		return nil, errors.New("it has no items")
	}
	if len(*in.Items) == 0 {
		return nil, errors.New("its items are empty, as they are for a series that there is not")
	}
	if in.Total != nil && in.Total.String() != fmt.Sprint(len(*in.Items)) {
		return nil, fmt.Errorf("it has %d items; it states %s", len(*in.Items), in.Total)
	}
	column := strings.ReplaceAll(one.code, ".", "_")
	var points []point
	for _, item := range *in.Items {
		p, err := read(item, column)
		if err != nil {
			return nil, err
		}
		switch n := len(points); {
		case p.month < first || p.month > last:
			return nil, fmt.Errorf("%s was not asked for", p.month)
		case n == 0 && p.month != first:
			return nil, fmt.Errorf("it begins with %s: what comes before is cut off", p.month)
		case n > 0 && p.month <= points[n-1].month:
			return nil, fmt.Errorf("%s comes after %s", p.month, points[n-1].month)
		}
		points = append(points, p)
	}
	return points, nil
}

// monthly matches the service's form of a month: 2031-5. Days and quarters are of other
// frequencies.
var monthly = regexp.MustCompile(`^\d{4}-(0?[1-9]|1[0-2])$`)

// read reads a row.
func read(item map[string]json.RawMessage, column string) (p point, err error) {
	var at string
	if err := collect.ReadJSON(item["Tarih"], &at); err != nil || !monthly.MatchString(at) {
		return p, fmt.Errorf("the member Tarih must be a month such as 2031-5; got %s", item["Tarih"])
	}
	t, err := time.Parse("2006-1", at)
	if err != nil {
		return p, err
	}
	p.month = t.Format(month)
	cell, ok := item[column]
	if !ok {
		return p, fmt.Errorf("%s has no %s", p.month, column)
	}
	var value *string
	if err := collect.ReadJSON(cell, &value); err != nil {
		return p, fmt.Errorf("%s: %s must be text or null; got %s", p.month, column, cell)
	}
	if value == nil || *value == "" || *value == "ND" {
		return p, nil
	}
	whole, fraction, err := collect.SplitRate(*value)
	if err == nil && strings.Trim(whole+fraction, "0") == "" {
		err = fmt.Errorf("must be above 0; got %q", *value)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %s %w", p.month, column, err)
	}
	p.value = *value
	return p, nil
}

// misses returns an error if a month that was published before is missing now.
func (t track) misses(points []point, first, last string) error {
	for _, m := range slices.Sorted(maps.Keys(t.Values)) {
		if m < first || m > last {
			continue
		}
		i := slices.IndexFunc(points, func(p point) bool { return p.month == m })
		if i < 0 || m == t.Newest && points[i].value == none {
			return fmt.Errorf("%s was there before, and is not any more", m)
		}
	}
	return nil
}

// take notes the points, and returns records of the new ones. A month without a value is before the
// series begins, if no value precedes it, or still to come, if none follows.
func (t *track) take(one series, points []point, at time.Time) (records []collect.Record) {
	newest := t.Newest
	for _, p := range points {
		if p.value != none {
			newest = max(newest, p.month)
		}
	}
	values := maps.Clone(t.Values)
	if values == nil {
		values = map[string]string{}
	}
	begun := t.Newest != "" && points[0].month > t.From
	for _, p := range points {
		begun = begun || p.value != none
		before, known := values[p.month]
		if !begun && !known || p.month > newest || known && before == p.value {
			continue
		}
		values[p.month] = p.value
		fields := map[string]any{
			"series_id": one.id, "month": p.month, "value": nil, "unit": one.unit, "source": "TCMB EVDS",
			"fetched_at": at.UTC().Format(time.RFC3339),
		}
		if p.value != none {
			fields["value"] = p.value
		}
		records = append(records, collect.Record{Kind: "inflation_point", Fields: fields})
	}
	oldest := ""
	if newest != "" {
		oldest = plus(newest, 1-again)
	}
	maps.DeleteFunc(values, func(m, _ string) bool { return m < oldest })
	t.Newest, t.Values = newest, values
	return records
}

// withdrawn returns withdrawals of the months of a former series that the answer does not replace.
func withdrawn(id string, before track, points []point) (records []collect.Record) {
	if before.Newest == "" {
		return nil
	}
	for m := before.From; m <= before.Newest; m = plus(m, 1) {
		if !slices.ContainsFunc(points, func(p point) bool { return p.month == m && p.value != none }) {
			records = append(records, collect.Record{Kind: "inflation_point",
				Fields: map[string]any{"series_id": id, "month": m, "withdrawn": true}})
		}
	}
	return records
}
