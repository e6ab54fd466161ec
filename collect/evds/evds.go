// Package evds reads price indices from EVDS, the data service of the central bank of Turkey.
package evds

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// series is a price index of the service. Another base is another series with another unit: their
// points never mix.
type series struct {
	id, code, unit string
	first          string // month
}

// known are the series that the source may read, the default of each index first.
var known = []series{
	{"YI_UFE", "TP.TUFE1YI.T1", "2003=100", "1982-01"}, // not consumer prices, whatever its name suggests
	{"TUFE", "TP.GENENDEKS.T1", "2003=100", "2003-01"},
	{"TUFE", "TP.TUKFIY2025.GENEL", "2025=100", "2005-01"},
	{"TUFE", "TP.FG.J0", "2003=100", "2003-01"}, // ends with 2026-01
}

// source reads one series for each index.
type source struct {
	key    *collect.Secret
	from   string // month; empty: the first of each series
	series []series
}

const (
	base    = "https://evds3.tcmb.gov.tr/igmevdsms-dis/"
	month   = "2006-01"
	again   = 24 // newest months that each request reads, since they may be revised
	history = 120
	// longest is the most months of a request. The service answers with the newest observations
	// only (some say 150, its manual says 1,000), and does not mention that it left out others.
	longest = history + again
	between = 30 * time.Minute // between two requests for a series
)

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Key      *collect.Secret `json:"key"`
		From     string          `json:"from"`
		Producer string          `json:"producer_prices"`
		Consumer string          `json:"consumer_prices"`
	}](text)
	if err != nil {
		return nil, err
	}
	if in.Key == nil {
		return nil, errors.New(`"key" must be the key of the service, such as {"env": "EVDS_KEY"}; registration there is free`)
	}
	if _, err := time.Parse(month, in.From); in.From != "" && err != nil {
		return nil, fmt.Errorf(`"from" must be a month such as "2003-01"; got %q`, in.From)
	}
	s := &source{key: in.Key, from: in.From}
	for _, index := range []struct{ member, id, code string }{{"producer_prices", "YI_UFE", in.Producer},
		{"consumer_prices", "TUFE", in.Consumer}} {
		one, err := choose(index.id, index.code)
		if err != nil {
			return nil, fmt.Errorf("%q %w", index.member, err)
		}
		s.series = append(s.series, one)
	}
	return s, nil
}

// choose returns the series of an index with a code; without one, the default.
func choose(id, code string) (series, error) {
	var codes []string
	for _, one := range known {
		if one.id == id {
			if code == "" || code == one.code {
				return one, nil
			}
			codes = append(codes, one.code)
		}
	}
	return series{}, fmt.Errorf("must be one of %s; got %q", strings.Join(codes, ", "), code)
}

// Plan implements collect.Source: indices are published at 10:00 at the beginning of a month, and
// appear in EVDS some time later.
func (*source) Plan() collect.Plan {
	at := []collect.Clock{collect.At(10, 45), collect.At(11, 30)}
	for hour := 12; hour <= 17; hour++ {
		at = append(at, collect.At(hour, 30))
	}
	return collect.Plan{Base: base, Pace: 1200 * time.Millisecond, Schedule: collect.Schedule{At: at}}
}

// kept is the state kept between requests, by the id of the index.
type kept map[string]track

// track is how far the source has read an index.
type track struct {
	Code   string            `json:"code"`
	From   string            `json:"from"`             // first month that was requested
	Next   string            `json:"next,omitempty"`   // first month of history that is still to be read
	Newest string            `json:"newest"`           // month with a value
	Values map[string]string `json:"values"`           // of the newest months; empty: no value
	Asked  time.Time         `json:"asked,omitzero"`   // when it was last read to the end
	Frozen bool              `json:"frozen,omitempty"` // the newest month was too old then
}

// readKept reads the kept state.
func readKept(text json.RawMessage) (kept, error) {
	k := kept{}
	if err := collect.ReadKept(text, &k); err != nil {
		return nil, err
	}
	for id, t := range k {
		for _, m := range []string{t.From, t.Newest, t.Next} {
			if _, err := time.Parse(month, m); m != "" && err != nil {
				return nil, fmt.Errorf("the kept month of %s: %w", id, err)
			}
		}
	}
	return k, nil
}

// Ask implements collect.Source: the history of each series, the oldest first, and then its newest
// months. A frozen series is reported only after all series have been read, so that it does not
// hold up the others.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	now = now.In(collect.Istanbul)
	var frozen []string
	for _, one := range s.series {
		t, first := k[one.id], ""
		switch start := s.start(one, now); {
		case t.Code != one.code || start < t.From:
			first = start
		case t.Next != "":
			first = t.Next
		case t.due(now):
			first = max(t.From, plus(t.Newest, 1-again))
		case t.Frozen:
			frozen = append(frozen, fmt.Sprintf("%s (%s) is frozen: its newest month is %s", one.id, one.code, t.Newest))
		}
		if first != "" {
			return s.request(one, first, now.Format(month)), nil
		}
	}
	if len(frozen) > 0 {
		return nil, &collect.Trouble{What: strings.Join(frozen, "; "), Final: true}
	}
	return nil, nil
}

// start returns the first month to read of a series. It includes the newest months whatever the
// configuration says, so that an answer is never empty for want of a publication.
func (s *source) start(one series, now time.Time) string {
	return max(one.first, min(s.from, plus(now.Format(month), 1-again)))
}

// due reports whether to ask for the newest months: once a day, and each time of the schedule while
// last month's value is due.
func (t track) due(now time.Time) bool {
	switch day := t.Asked.In(collect.Istanbul); {
	case now.Sub(day) < between:
		return false
	case day.Format(time.DateOnly) != now.Format(time.DateOnly):
		return true
	}
	return now.Day() >= 3 && now.Day() <= 10 && t.Newest < plus(now.Format(month), -1)
}

// request asks for a series from a month on. The parameters are part of the path: the service has
// no query.
func (s *source) request(one series, first, newest string) *collect.Request {
	last := plus(first, history-1)
	if plus(last, again) >= newest { // the last request is never so short that its answer may be empty
		last = min(newest, plus(first, longest-1))
	}
	begin, _ := time.Parse(month, first)
	end, _ := time.Parse(month, last)
	header := http.Header{}
	header.Set("key", s.key.Reveal())
	return &collect.Request{
		Path: fmt.Sprintf("series=%s&startDate=%s&endDate=%s&type=json", one.code,
			begin.Format(day), end.AddDate(0, 1, -1).Format(day)),
		Header: header, Expect: collect.JSON,
	}
}

// find returns the series of a code.
func (s *source) find(code string) (series, bool) {
	i := slices.IndexFunc(s.series, func(one series) bool { return one.code == code })
	if i < 0 {
		return series{}, false
	}
	return s.series[i], true
}

// plus returns the month that is the given number of months later.
func plus(m string, months int) string {
	t, _ := time.Parse(month, m)
	return t.AddDate(0, months, 0).Format(month)
}
