package collect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/test/fixture/need"
)

var makers = collect.Makers{
	"counting": func(settings json.RawMessage) (collect.Source, error) {
		in, err := collect.Settings[struct {
			Most int             `json:"most"`
			Key  *collect.Secret `json:"key"`
		}](settings)
		return &counting{most: in.Most, plan: collect.Plan{Base: "https://upstream.example/",
			Schedule: collect.Schedule{Every: time.Hour}}}, err
	},
	"none": func(json.RawMessage) (collect.Source, error) { return nil, errors.New("cannot be made") },
}

func TestConfigurations(t *testing.T) {
	t.Setenv("UPSTREAM_KEY", "hush")
	file := filepath.Join(t.TempDir(), "key")
	need.NoError(t, os.WriteFile(file, []byte("hush\n"), 0o600))
	good := `{"contact": "data@example.com", "keep": {"folder": "raw"}, "sources": {
		"a": {"connector": "counting", "most": 3, "key": {"env": "UPSTREAM_KEY"}, "schedule": {"at": ["16:00", "15:31"], "days": "workdays"}, "pace": "2s", "base": "http://localhost:1/x"},
		"b": {"connector": "counting", "key": {"file": "` + file + `"}, "schedule": {"every": "10m"}}}}`
	c, err := collect.Read([]byte(good), makers)
	if err != nil || len(c.Sources) != 2 || c.Keep.Days != 30 {
		t.Fatalf("%+v %v", c, err)
	}
	a, b := c.Sources[0], c.Sources[1]
	if a.Name != "a" || a.Own.Base != "http://localhost:1/x" || a.Own.Pace != 2*time.Second ||
		fmt.Sprint(a.Own.Schedule.At) != "[931 960]" || !a.Own.Schedule.Workdays {
		t.Errorf("%+v", a)
	}
	if b.Own.Base != "https://upstream.example/" || b.Own.Schedule.Every != 10*time.Minute {
		t.Errorf("%+v", b)
	}
	for text, says := range map[string]string{
		`{"sources": {}, "sources": {}}`: "duplicate", `[]`: "must be a JSON object such as", `{"sources": {}}`: "from 1 to 100 sources",
		`{"source": {}}`:         `"source" is unknown; known are about, contact, keep, sources`,
		`{"sources": {"A": {}}}`: "small letters", `{"sources": {"a": 1}}`: "must be an object such as",
		`{"sources": {"a": {"connector": "x"}}}`:                                                 `must be one of counting, none; got "x"`,
		`{"sources": {"a": {"connector": "none"}}}`:                                              `source "a": cannot be made`,
		`{"sources": {"a": {"connector": "counting", "mots": 1}}}`:                               `source "a": "mots" is unknown; known are most, key`,
		`{"sources": {"a": {"connector": "counting", "base": "ftp://x/"}}}`:                      "must be an address",
		`{"sources": {"a": {"connector": "counting", "pace": "1h"}}}`:                            "at most 10m0s",
		`{"sources": {"a": {"connector": "counting", "key": "hush"}}}`:                           `source "a": "key" must be {"env": "NAME"}`,
		`{"sources": {"a": {"connector": "counting", "key": {"env": 5}}}}`:                       "never the secret itself",
		`{"sources": {"a": {"connector": "counting", "most": "hush"}}}`:                          `"most" must be a whole number; got text`,
		`{"sources": {"a": {"connector": "counting", "most": 1.5}}}`:                             `"most" must be a whole number; got 1.5`,
		`{"sources": {"a": {"connector": 5}}}`:                                                   `"connector" must be text; got 5`,
		`{"sources": {"a": {"connector": "counting", "retry": {"500": 5}}}}`:                     `"retry.500" must be text; got 5`,
		`{"sources": {"a": {"connector": "counting", "schedule": {"at": ["1:00", [2]]}}}}`:       `"schedule.at.1" must be text; got a list`,
		`{"sources": {"a": {"connector": "counting", "schedule": {"every": "1s"}}}}`:             `"schedule": "every" must be a duration from 5s`,
		`{"sources": {"a": {"connector": "counting", "keep_raw": "no"}}}`:                        `"keep_raw" must be true or false; got text`,
		`{"keep": [], "sources": {"a": {"connector": "counting"}}}`:                              `"keep" must be an object; got a list`,
		`{"sources": {"a": {"connector": "counting", "key": {"env": "NOT_SET"}}}}`:               "the variable NOT_SET is empty",
		`{"sources": {"a": {"connector": "counting", "key": {"file": "/nowhere"}}}}`:             "/nowhere",
		`{"sources": {"a": {"connector": "counting", "schedule": {}}}}`:                          `either "every"`,
		`{"sources": {"a": {"connector": "counting", "schedule": {"at": ["25:00"]}}}}`:           `got "25:00"`,
		`{"sources": {"a": {"connector": "counting", "schedule": {"at": ["1:00"], "days": 1}}}}`: "days",
		`{"keep": {"days": 3}, "sources": {"a": {"connector": "counting"}}}`:                     `must have a "folder"`,
		`{"contact": "ş", "sources": {"a": {"connector": "counting"}}}`:                          "of ASCII",
	} {
		if _, err := collect.Read([]byte(text), makers); err == nil || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
}

// A secret is shown nowhere but where it is asked for.
func TestSecretsAreShownNowhere(t *testing.T) {
	t.Setenv("UPSTREAM_KEY", " hush\n")
	var in struct{ Key collect.Secret }
	if err := json.Unmarshal([]byte(`{"key": {"env": "UPSTREAM_KEY"}}`), &in); err != nil || in.Key.Reveal() != "hush" {
		t.Fatal(err, in.Key.Reveal())
	}
	text, err := json.Marshal(in)
	if shown := fmt.Sprintf("%v %+v %#v %s %s", in, in, in, in.Key, text); err != nil || strings.Contains(shown, "hush") {
		t.Errorf("%v %s", err, shown)
	}
}

func TestSchedules(t *testing.T) {
	at := func(text string) time.Time {
		moment, err := time.ParseInLocation("2006-01-02 15:04", text, collect.Istanbul)
		need.NoError(t, err)
		return moment
	}
	work := collect.Schedule{At: []collect.Clock{collect.At(9, 30), collect.At(15, 31)}, Workdays: true}
	daily := collect.Schedule{At: []collect.Clock{collect.At(0, 0)}}
	for _, c := range []struct {
		s               collect.Schedule
		now, last, next string
	}{
		{work, "2031-06-02 15:30", "2031-06-02 09:30", "2031-06-02 15:31"}, // a Monday
		{work, "2031-06-02 15:31", "2031-06-02 15:31", "2031-06-03 09:30"},
		{work, "2031-06-02 09:00", "2031-05-30 15:31", "2031-06-02 09:30"},
		{work, "2031-06-07 12:00", "2031-06-06 15:31", "2031-06-09 09:30"},
		{daily, "2031-06-07 12:00", "2031-06-07 00:00", "2031-06-08 00:00"},
		{collect.Schedule{Every: time.Hour}, "2031-06-07 12:10", "2031-06-07 12:00", "2031-06-07 13:00"},
	} {
		if last, next := c.s.Last(at(c.now)), c.s.Next(at(c.now)); !last.Equal(at(c.last)) || !next.Equal(at(c.next)) {
			t.Errorf("%+v at %s: %s, %s", c.s, c.now, last, next)
		}
	}
}
