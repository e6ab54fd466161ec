package history_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

func TestReadRejects(t *testing.T) {
	for name, line := range map[string]string{
		"no object":                `[]`,
		"two objects":              `{"kind":"fault"} {"kind":"fault"}`,
		"an unknown kind":          `{"kind":"rumour"}`,
		"an unknown member":        `{"kind":"fault","colour":"red"}`,
		"an event of nobody":       `{"kind":"event","number":1}`,
		"an event without number":  `{"kind":"event","actor":"a","connection":1}`,
		"a connect without topics": `{"kind":"connect","actor":"a","connection":1,"by":"seq"}`,
		"a connect by nothing":     `{"kind":"connect","actor":"a","connection":1,"topics":["all"]}`,
		"a row without position":   `{"kind":"row","number":1}`,
		"an unknown promise":       `{"kind":"promise","text":"eternal"}`,
		"a position without seq":   `{"kind":"row","number":1,"position":"E:"}`,
		"an empty epoch":           `{"kind":"row","number":1,"position":":1"}`,
		"a position below 0":       `{"kind":"row","number":1,"position":"-1"}`,
		"a line that is too long":  `{"kind":"fault","text":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		if entries, err := history.Read(strings.NewReader(line)); err == nil {
			t.Errorf("%s: read as %v", name, entries)
		}
	}
}

// What a recorder writes is read as it was; what it cannot write it reports.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	recorder := history.NewRecorder(&out)
	want := history.Entry{
		Kind: history.Connect, Actor: "a", Connection: 1, By: history.BySeq, Topics: []string{"all"},
		After: &history.Position{Epoch: "e", Seq: 7},
	}
	recorder.Record(want)
	need.NoError(t, recorder.Err())
	entries, err := history.Read(&out)
	if err != nil || len(entries) != 1 || entries[0].At.IsZero() {
		t.Fatalf("%v, %v", entries, err)
	}
	want.At = entries[0].At
	if !reflect.DeepEqual(entries[0], want) {
		t.Errorf("got %+v, want %+v", entries[0], want)
	}
	recorder.Record(history.Entry{Kind: history.Event})
	if recorder.Err() == nil {
		t.Error("an event of nobody was recorded")
	}
}

// Whatever Read accepts is the same after it is written and read again, and can be
// checked.
func FuzzRead(f *testing.F) {
	for line := range strings.Lines(good + wentBack) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := history.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		history.Check(entries)
		var out bytes.Buffer
		recorder := history.NewRecorder(&out)
		for _, e := range entries {
			recorder.Record(e)
		}
		again, err := history.Read(&out)
		if err != nil || recorder.Err() != nil || len(again) != len(entries) {
			t.Fatalf("%d entries became %d: %v, %v", len(entries), len(again), err, recorder.Err())
		}
		for i := range again {
			again[i].At = entries[i].At
		}
		if !reflect.DeepEqual(normal(again), normal(entries)) {
			t.Errorf("%+v became %+v", entries, again)
		}
	})
}

// normal forgets the difference between an empty list and none.
func normal(entries []history.Entry) []history.Entry {
	for i := range entries {
		if len(entries[i].Topics) == 0 {
			entries[i].Topics = nil
		}
		if len(entries[i].Numbers) == 0 {
			entries[i].Numbers = nil
		}
	}
	return entries
}
