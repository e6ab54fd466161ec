// Package bulletin reads the daily bulletin of the equity market of Borsa Istanbul.
package bulletin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/bist"
)

const (
	dayFile  = "data/thb/2006/01/thb20060102"
	session  = "1.zip"      // a 1 in the form of a time is a month
	firstDay = "2015-12-01" // there were two sessions, and two files, a day before
)

// Hours in Turkey of the day of a bulletin.
const (
	earliest = 13 // half days end early
	latest   = 20 // there is none of the day, if there is none by now
)

// source is the daily bulletin of the equity market.
type source struct {
	from        string
	instruments bool
}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed    bool   `json:"licensed"`
		From        string `json:"from"`
		Instruments bool   `json:"instruments"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, bist.ErrLicence
	}
	if _, err := time.Parse(time.DateOnly, in.From); in.From != "" && (err != nil || in.From < firstDay) {
		return nil, fmt.Errorf(`"from" must be a day from %s on such as "2024-01-01"; got %q`, firstDay, in.From)
	}
	return &source{in.From, in.Instruments}, nil
}

// Plan implements collect.Source: from the publication on, until it is clear that there is none.
func (*source) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 0), collect.At(14, 0), collect.At(18, 36), collect.At(18, 50), collect.At(19, 20), collect.At(20, 5)}
	return collect.Plan{Base: bist.Base, Pace: bist.Pace, MaxBytes: bist.MaxBytes, Schedule: collect.Schedule{At: at}}
}

// kept is how far the files have been read.
type kept struct {
	Day    string   `json:"day"`              // the newest that is done
	Newest string   `json:"newest,omitempty"` // the newest that had a file
	Doubt  []string `json:"doubt,omitempty"`  // working days that had none when they were asked for
}

// mostDoubt is as many holidays as some twenty years have.
const mostDoubt = 300

// Ask implements collect.Source: the file of each day after the one that was done last.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	var k kept
	if len(text) > 0 {
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, err
		}
	}
	now = now.In(collect.Istanbul)
	today := now.Format(time.DateOnly)
	next := s.from
	switch {
	case len(k.Doubt) > 0 && k.Doubt[0] < k.Newest: // the exchange's files are there again
		return fileOf(k.Doubt[0])
	case k.Day != "":
		day, err := time.Parse(time.DateOnly, k.Day)
		if err != nil {
			return nil, fmt.Errorf("the kept day: %w", err)
		}
		next = day.AddDate(0, 0, 1).Format(time.DateOnly)
	case next == "":
		next = today
	}
	if next > today || next == today && now.Hour() < earliest {
		return nil, nil
	}
	return fileOf(next)
}

// fileOf returns the request for the file of a day.
func fileOf(text string) (*collect.Request, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return nil, err
	}
	return &collect.Request{Path: day.Format(dayFile) + session, Expect: collect.ZIP, Also: []int{http.StatusNotFound}}, nil
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	day, err := time.ParseInLocation(dayFile, strings.TrimSuffix(asked.Path, session), collect.Istanbul)
	if err != nil {
		return nil, fmt.Errorf("the file that was asked for: %w", err)
	}
	if got.Status == http.StatusNotFound && got.At.Before(day.Add(latest*time.Hour)) {
		return &collect.Result{Keep: text}, nil // it may still come
	}
	var k kept
	if len(text) > 0 {
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, err
		}
	}
	stamp := day.Format(time.DateOnly)
	doubted := len(k.Doubt) > 0 && k.Doubt[0] == stamp
	if doubted {
		k.Doubt = k.Doubt[1:]
	}
	var records []collect.Record
	if got.Status == http.StatusNotFound {
		if !doubted && day.Weekday() != time.Saturday && day.Weekday() != time.Sunday { // a holiday, or a file that is lost for now
			if k.Doubt = append(k.Doubt, stamp); len(k.Doubt) > mostDoubt {
				return nil, fmt.Errorf("%d working days have no file; the last is %s", mostDoubt, stamp)
			}
		}
	} else {
		k.Newest = max(k.Newest, stamp)
		table, err := bist.Unpack(got.Body)
		if err != nil {
			return nil, err
		}
		if records, err = s.records(day, table); err != nil {
			return nil, err
		}
	}
	k.Day = max(k.Day, stamp)
	keep, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: keep, More: true}, err
}
