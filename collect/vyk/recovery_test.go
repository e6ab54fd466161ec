package vyk_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/test/fixture/need"
)

// dialogue is a source that is asked and answered.
type dialogue struct {
	*testing.T
	collect.Source
	kept json.RawMessage
	now  time.Time
}

// expect answers the next request, which must be for a path that may have a disclosureIndex.
// It returns the warning.
func (d *dialogue) expect(path string, status int, body string, more bool) string {
	d.Helper()
	asked, r, err := answer(d.T, d.Source, d.kept, d.now, status, body)
	got := asked.Path
	if from := asked.Query.Get("disclosureIndex"); from != "" {
		got += "?" + from
	}
	if err != nil || got != "vyk/"+path || r.More != more {
		d.Fatalf("asked for %s, %+v, %v; want %s, %t", got, r, err, path, more)
	}
	d.kept = r.Keep
	return r.Warning
}

func (d *dialogue) polls(last int64, more bool) string {
	d.Helper()
	return d.expect("lastDisclosureIndex", 200, fmt.Sprintf(`{"lastDisclosureIndex": "%d"}`, last), more)
}

func (d *dialogue) reads(n int64) {
	d.Helper()
	d.expect(fmt.Sprint("disclosureDetail/", n), 200, strings.Replace(with(``), "101", fmt.Sprint(n), 1), true)
}

// A number that is in a list only after higher ones is found there.
func TestListedAfterHigherOnes(t *testing.T) {
	d := &dialogue{t, source(t, ``), state(`, "last": 100, "next": 101, "sure": 100`), at}
	d.polls(105, true)
	d.expect("disclosures?101", 200,
		`[{"disclosureIndex": 101}, {"disclosureIndex": 104}, {"disclosureIndex": 104}, {"disclosureIndex": 105}]`, true)
	d.reads(101)
	d.reads(104)
	d.reads(105)
	d.polls(105, false)
	d.now = at.Add(time.Minute)
	d.expect("disclosures?102", 200, `[{"disclosureIndex": 104}, {"disclosureIndex": 105}]`, true)
	d.polls(105, false)
	d.now = at.Add(2 * time.Minute)
	d.expect("disclosures?102", 200, `[{"disclosureIndex": 103}, {"disclosureIndex": 104}]`, true)
	d.reads(103)
	d.polls(105, false)
	d.now = at.Add(4 * time.Minute)
	d.expect("disclosures?102", 400, none, true)
	d.polls(105, false)
	looks := 0
	for ; d.now.Before(at.Add(5 * 24 * time.Hour)); d.now = d.now.Add(time.Minute) {
		asked, err := d.Ask(d.kept, d.now)
		need.NoError(t, err)
		switch asked.Path {
		case "vyk/disclosures":
			looks++
			d.expect("disclosures?102", 200, `[]`, true)
		case "vyk/blockedDisclosures":
			d.expect("blockedDisclosures", 200, `[]`, true)
		default:
			d.polls(105, false)
		}
	}
	if looks < 5 || looks > 20 || strings.Contains(string(d.kept), "gaps") {
		t.Errorf("%d looks, %s", looks, d.kept)
	}
}

// A last number that no list has passes over nothing, and is reported.
func TestWrongLastNumber(t *testing.T) {
	d := &dialogue{t, source(t, ``), state(`, "last": 100, "next": 101, "sure": 100`), at}
	d.polls(2_000_000_000, true)
	if w := d.expect("disclosures?2000000000", 400, none, true); !strings.Contains(w, "2000000000") {
		t.Errorf("warning %q", w)
	}
	d.expect("disclosures?101", 200, `[{"disclosureIndex": 101}]`, true)
	d.reads(101)
	d.expect("disclosures?102", 400, none, false)
	d.polls(102, true)
	d.expect("disclosures?102", 200, `[{"disclosureIndex": 102}]`, true)
	d.reads(102)
	d.polls(102, false)

	t.Run("the first one", func(t *testing.T) {
		d := &dialogue{t, source(t, ``), state(``), at}
		d.polls(2_000_000_000, true)
		d.expect("disclosures?2000000000", 400, none, false)
		d.polls(101, true)
		d.expect("disclosures?101", 200, `[{"disclosureIndex": 101}]`, true)
	})
	t.Run("a number that is in no list for long", func(t *testing.T) {
		d := &dialogue{t, source(t, ``), state(`, "last": 100, "next": 101, "sure": 100`), at}
		d.polls(101, true)
		d.expect("disclosures?101", 400, none, false)
		d.now = at.Add(time.Minute)
		d.polls(101, true)
		if w := d.expect("disclosures?101", 400, none, false); !strings.Contains(w, "the list from 101 on is empty") {
			t.Errorf("warning %q", w)
		}
		d.polls(103, true)
		d.expect("disclosures?101", 200, `[{"disclosureIndex": 103}]`, true)
	})
}

// After an outage the numbers of days are read page by page; an empty page in the middle is
// asked for again before it counts.
func TestHoleInTheMiddle(t *testing.T) {
	d := &dialogue{t, source(t, ``), state(`, "last": 100, "next": 101, "sure": 100`), at}
	d.polls(20_100, true)
	d.expect("disclosures?20100", 200, `[{"disclosureIndex": 20100}]`, true)
	d.expect("disclosures?101", 400, none, false)
	d.now = at.Add(time.Minute)
	d.polls(20_100, true)
	d.expect("disclosures?101", 400, none, true)
	d.expect("disclosures?5101", 200, `[{"disclosureIndex": 5200}]`, true)
}

// A service that was restored has lower numbers: that is reported, and after ten minutes what comes
// after them is read again; a mirror that lags is no reason to.
func TestServiceGoesBack(t *testing.T) {
	begin := state(`, "last": 120, "next": 121, "sure": 120, "polled": true`)
	d := &dialogue{t, source(t, ``), begin, at}
	if w := d.polls(90, false); !strings.Contains(w, "90, although 120") {
		t.Errorf("warning %q", w)
	}
	d.now = at.Add(5 * time.Minute)
	d.polls(92, false)
	d.now = at.Add(10 * time.Minute)
	if w := d.polls(93, true); !strings.Contains(w, "after 90 is read again") {
		t.Errorf("warning %q", w)
	}
	d.expect("disclosures?91", 200, `[{"disclosureIndex": 91}, {"disclosureIndex": 93}]`, true)
	d.reads(91)
	d.reads(93)
	if w := d.polls(93, false); w != "" {
		t.Errorf("warning %q", w)
	}

	d = &dialogue{t, source(t, ``), begin, at}
	d.polls(90, false)
	d.now = at.Add(time.Minute)
	if w := d.polls(120, false); w != "" {
		t.Errorf("warning %q", w)
	}
	d.now = at.Add(11 * time.Minute)
	d.polls(119, false)
}

// When too much is listed that cannot be had, nothing is dropped: new disclosures wait, and it is
// told.
func TestTooManyLate(t *testing.T) {
	var late []string
	for n := range 1000 {
		late = append(late, fmt.Sprintf(`{"n": %d, "since": %q, "asked": %q}`, n+1, at.Format(time.RFC3339), at.Format(time.RFC3339)))
	}
	d := &dialogue{t, source(t, ``), state(`, "last": 2001, "next": 2002, "sure": 2001, "queue": [{"n": 2001}], "late": [` +
		strings.Join(late, ",") + `]`), at}
	d.expect("disclosureDetail/2001", 400, none, false)
	d.now = at.Add(2 * time.Minute)
	if w := d.expect("disclosureDetail/2001", 400, none, false); !strings.Contains(w, "1000 disclosures") {
		t.Errorf("warning %q", w)
	}
	d.now = at.Add(6 * time.Minute)
	d.reads(1)
	d.expect("disclosureDetail/2001", 400, none, true)
	if strings.Count(string(d.kept), `"n":`) != 1000 {
		t.Error("one is lost")
	}
}

// A disclosure that is blocked after it was stored is reported.
func TestBlockedLater(t *testing.T) {
	d := &dialogue{t, source(t, ``), state(`, "last": 120, "next": 121, "sure": 120`), at.Add(time.Hour)}
	if w := d.expect("blockedDisclosures", 200, `[{"blockedType": "Attachment", "disclosureIndex": "101"}]`,
		true); !strings.Contains(w, "[101]") {
		t.Errorf("warning %q", w)
	}
	d.now = at.Add(2 * time.Hour)
	if w := d.expect("blockedDisclosures", 200, `[{"blockedType": "Attachment", "disclosureIndex": "101"}]`, true); w != "" {
		t.Errorf("warning %q", w)
	}
}

// An attachment that cannot be had is asked for again, and holds nothing up.
func TestLateAttachment(t *testing.T) {
	d := &dialogue{t, source(t, `, "attachments": {"folder": "f"}`),
		state(`, "last": 101, "next": 102, "sure": 101, "files": ["` + id + `"]`), at}
	d.expect("downloadAttachment/"+id, 404, `x`, true)
	d.polls(101, false)
	d.now = at.Add(5 * time.Minute)
	d.expect("downloadAttachment/"+id, 200, "%PDF-1.4 half", true)
	d.polls(101, false)
	d.now = at.Add(10 * time.Minute)
	asked, r, err := answer(t, d.Source, d.kept, d.now, 200, "%PDF-1.4\n%%EOF\n")
	if err != nil || asked.Path != "vyk/downloadAttachment/"+id || len(r.Files) != 1 || strings.Contains(string(r.Keep), "late") {
		t.Error(asked, r, err)
	}
	d.now = at.Add(25 * time.Hour)
	d.expect("blockedDisclosures", 200, `[]`, true)
	if _, r, err := answer(t, d.Source, d.kept, d.now, 200, "%PDF-1.4 never whole"); err != nil || len(r.Files) != 1 {
		t.Error(r, err)
	}
}

// Personal data is in no raw answer that is kept.
func TestPersonalDataIsNotKept(t *testing.T) {
	s := source(t, ``)
	body := with(`, "attachmentUrls": [{"url": "https://x.example/` + id +
		`"}], "flatData": [{"id": "tr.example.KPY41DTO", "content": "KİŞİ"}]`)
	asked, r, err := answer(t, s, waiting, at, 200, body)
	if err != nil || len(r.Files) > 0 || r.Records[0].Fields["attachments"] != nil {
		t.Fatal(r, err)
	}
	discreet, _ := s.(collect.Discreet)
	kept := discreet.Redact(asked, &collect.Answer{Status: 200, At: at, Body: []byte(body)})
	if kept == nil || strings.Contains(string(kept), "KİŞİ") || strings.Contains(string(kept), id) {
		t.Errorf("%s", kept)
	}
	again, err := s.Parse(waiting, asked, &collect.Answer{Status: 200, At: at, Body: kept})
	if err != nil || fmt.Sprint(told(again)) != fmt.Sprint(told(r)) {
		t.Errorf("%v %v; want %v", again, err, r.Records)
	}
	if kept := discreet.Redact(asked, &collect.Answer{Status: 200, Body: []byte(`{"flatData": [{"id": "KPY41`)}); kept != nil {
		t.Errorf("half an answer: %s", kept)
	}
	for _, body := range []string{with(`, "presentation": [{"id": "oda-1", "content": "KPY41"}]`), none, "text"} {
		if kept := discreet.Redact(asked, &collect.Answer{Body: []byte(body)}); string(kept) != body {
			t.Errorf("%s; want %s", kept, body)
		}
	}
}

// told returns the records of a result as text.
func told(r *collect.Result) string {
	text, _ := json.Marshal(r.Records)
	return string(text)
}
