package bist

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"piyasa/collect"
)

// daily asks for a file for each trading day, one after the other.
type daily struct {
	Form     string // of a file's address, as a time layout
	End      string // of the address; a 1 in a time layout is a month
	From     string // the first day; empty: the day of the first run
	Earliest int    // the hour in Turkey from which the day's file may exist
	Latest   int    // the hour after which a missing file of the day will not come
}

// kept is how far the files have been read.
type kept struct {
	Day    string   `json:"day"`              // the newest completed day
	Newest string   `json:"newest,omitempty"` // the newest day with a file
	Doubt  []string `json:"doubt,omitempty"`  // working days whose file was missing
}

// mostDoubt is about the number of holidays in twenty years.
const mostDoubt = 300

// Rewind implements collect.Rewinder. A place is a day. Earlier days without a file stay in
// doubt.
func (daily) Rewind(text json.RawMessage, to string) (json.RawMessage, error) {
	k, err := keptOf(text)
	if err != nil {
		return nil, err
	}
	back, err := collect.BackTo(text, to, firstBulletin)
	if err != nil {
		return nil, err
	}
	k.Doubt = slices.DeleteFunc(k.Doubt, func(day string) bool { return day >= to })
	if err := json.Unmarshal(back, &k); err != nil {
		return nil, err
	}
	return json.Marshal(k)
}

// Ask implements collect.Source: it asks for the file of each day after the last completed one.
func (d daily) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := keptOf(text)
	if err != nil {
		return nil, err
	}
	now = now.In(collect.Istanbul)
	today := now.Format(time.DateOnly)
	next := d.From
	switch {
	case len(k.Doubt) > 0 && k.Doubt[0] < k.Newest: // the exchange publishes files again
		return d.fileOf(k.Doubt[0])
	case k.Day != "":
		day, err := time.Parse(time.DateOnly, k.Day)
		if err != nil {
			return nil, fmt.Errorf("the kept day: %w", err)
		}
		next = day.AddDate(0, 0, 1).Format(time.DateOnly)
	case next == "":
		next = today
	}
	if next > today || next == today && now.Hour() < d.Earliest {
		return nil, nil
	}
	return d.fileOf(next)
}

// fileOf returns the request for the file of a day.
func (d daily) fileOf(text string) (*collect.Request, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return nil, err
	}
	return &collect.Request{Path: day.Format(d.Form) + d.End, Expect: collect.ZIP, Also: []int{http.StatusNotFound}}, nil
}

// Parse implements collect.Source; records makes the records of a day's table.
func (d daily) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer,
	records func(day time.Time, table string) ([]collect.Record, error)) (*collect.Result, error) {
	day, err := time.ParseInLocation(d.Form, request.Path[:max(0, len(request.Path)-len(d.End))], collect.Istanbul)
	if err != nil {
		return nil, fmt.Errorf("the file that was asked for: %w", err)
	}
	if got.Status == http.StatusNotFound && got.At.Before(day.Add(time.Duration(d.Latest)*time.Hour)) {
		return &collect.Result{Keep: text}, nil // the file may still come
	}
	k, err := keptOf(text)
	if err != nil {
		return nil, err
	}
	stamp := day.Format(time.DateOnly)
	doubted := len(k.Doubt) > 0 && k.Doubt[0] == stamp
	if doubted {
		k.Doubt = k.Doubt[1:]
	}
	result := &collect.Result{More: true}
	if got.Status == http.StatusNotFound {
		if !doubted && day.Weekday() != time.Saturday && day.Weekday() != time.Sunday { // a holiday, or a file that is missing for now
			if k.Doubt = append(k.Doubt, stamp); len(k.Doubt) > mostDoubt {
				return nil, fmt.Errorf("%d working days have no file; the last is %s", mostDoubt, stamp)
			}
		}
	} else {
		k.Newest = max(k.Newest, stamp)
		table, err := unpack(got.Body)
		if err != nil {
			return nil, err
		}
		if result.Records, err = records(day, table); err != nil {
			return nil, err
		}
	}
	k.Day = max(k.Day, stamp)
	result.Keep, err = json.Marshal(k)
	return result, err
}

func keptOf(text json.RawMessage) (k kept, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &k)
	}
	return k, err
}

// checkFrom returns the fault of the first day in a configuration, if any.
func checkFrom(from, first string) error {
	if _, err := time.Parse(time.DateOnly, from); from != "" && (err != nil || from < first) {
		return fmt.Errorf(`"from" must be a day from %s on such as "2024-01-01"; got %q`, first, from)
	}
	return nil
}
