package jsonhttp_test

import (
	"strings"
	"testing"
	"time"

	"piyasa/collect"
)

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
