package jsonhttp_test

import (
	"strings"
	"testing"
	"time"

	"piyasa/collect"
)

// A question of windows asks again for as many days as it says, also where a run walks several windows, and
// writes days as the upstream wants them.
func TestWindowsOverlap(t *testing.T) {
	s := source(t, `{"records": "empty", "request": {"path": "p", "query": {"from": "${window_from:dd.MM.yyyy}", "to": "${window_to:yyyyMMdd}"}},
		"start": {"since": "2031-05-20"}, "windows": {"from": "since", "days": 7, "overlap": 10}}`)
	var kept []byte
	var walked []string
	for day := range 2 {
		now := time.Date(2031, 5, 27+day*7, 12, 0, 0, 0, time.UTC)
		for more := true; more; {
			r, err := s.Ask(kept, now)
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, r.Query.Get("from")+" "+r.Query.Get("to"))
			result, err := s.Parse(kept, r, &collect.Answer{Status: 200, At: now, Body: []byte(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			kept, more = result.Keep, result.More
		}
	}
	if got, want := strings.Join(walked, ", "), "20.05.2031 20310526, 27.05.2031 20310527, 20.05.2031 20310526, 27.05.2031 20310602, "+
		"03.06.2031 20310603"; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
}

// The log hears once of members that appear, vanish or change their type; what is pinned must stay.
func TestDrift(t *testing.T) {
	s := source(t, `{"records": ".items[] | {record: \"x\", v: .a}", "pin": {".items[].a": "number"}}`)
	var kept []byte
	for day, c := range []struct{ body, says string }{
		{`{"items": [{"a": 1, "b": "x"}]}`, ""},
		{`{"items": [{"a": 1, "b": null}]}`, ""},
		{`{"items": [{"a": 1, "b": "x", "c": true}]}`, ".items[].c is new (boolean)"},
		{`{"items": [{"a": 1, "b": "x", "c": true}]}`, ""},
		{`{"items": [{"a": 1, "b": 2}]}`, ".items[].b was text and is number"},
		{`{"items": []}`, ""},
		{`{"items": [{"a": "1"}]}`, "must be number, as pinned, and is text"},
		{`{"items": [{"b": 1}]}`, "is missing"},
		10: {`{"items": [{"a": 1, "b": 2}]}`, ".items[].c (boolean) was there last on 2031-06-07"},
		11: {`{"items": [{"a": 1, "b": 2}]}`, ""},
	} {
		if c.body == "" {
			continue
		}
		answer := &collect.Answer{Status: 200, At: noon.Add(time.Duration(day) * 24 * time.Hour), Body: []byte(c.body)}
		result, err := s.Parse(kept, &collect.Request{}, answer)
		got := ""
		if err == nil {
			got, kept = strings.Join(result.Drift, "; "), result.Keep
		} else {
			got = err.Error()
		}
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.body, got, c.says)
		}
	}
}
