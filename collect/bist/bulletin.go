// Package bist reads the files that Borsa Istanbul publishes of its equity market.
package bist

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"piyasa/collect"
)

const (
	base     = "https://www.borsaistanbul.com/"
	dayFile  = "data/thb/2006/01/thb20060102"
	session  = "1.zip"      // a 1 in the form of a time is a month
	firstDay = "2015-12-01" // there were two sessions, and two files, a day before
	pace     = 2 * time.Second
	maxBytes = 8 << 20
)

// Hours in Turkey of the day of a bulletin.
const (
	earliest = 13 // half days end early
	latest   = 20 // there is none of the day, if there is none by now
)

// bulletin is the daily bulletin of the equity market.
type bulletin struct {
	from        string
	instruments bool
}

// errLicence says why nothing is asked.
var errLicence = errors.New(`"licensed" must be true: the data of Borsa Istanbul may be stored and shown only under a contract with the exchange; say so if you have one`)

// NewBulletin returns the source of a configuration.
func NewBulletin(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed    bool   `json:"licensed"`
		From        string `json:"from"`
		Instruments bool   `json:"instruments"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, errLicence
	}
	if _, err := time.Parse(time.DateOnly, in.From); in.From != "" && (err != nil || in.From < firstDay) {
		return nil, fmt.Errorf(`"from" must be a day from %s on such as "2024-01-01"; got %q`, firstDay, in.From)
	}
	return &bulletin{in.From, in.Instruments}, nil
}

// Plan implements collect.Source: from the publication on, until it is clear that there is none.
func (*bulletin) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 0), collect.At(14, 0), collect.At(18, 36), collect.At(18, 50), collect.At(19, 20), collect.At(20, 5)}
	return collect.Plan{Base: base, Pace: pace, MaxBytes: maxBytes, Schedule: collect.Schedule{At: at}}
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
func (s *bulletin) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
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
func (s *bulletin) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
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
		table, err := unpack(got.Body)
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
