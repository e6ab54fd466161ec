package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture/need"
)

// Messages are FILE:LINE: FIELD: REASON; rejects are JSON objects with five
// members in order. Both are in the order of the input.
func TestFormsOfRefusal(t *testing.T) {
	path := write(t, t.TempDir(), "a.ndjson", strings.Join([]string{
		`nonsense "<&>"`,
		strings.TrimSpace(quote("A", t1, "1")),
		`{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","last":1.5}`,
		`{"record":"index","code":"X","name":"Ş <b>","verified":true,"synced_at":"` + t1 + `","members":[{"sector":"x"}]}`,
		`{"record":"what","instrument_id":"bist:A"}`,
	}, "\n"))
	var messages, rejects bytes.Buffer
	_, err := ingest.Run(t.Context(), openFile(t),
		ingest.Options{Now: ingest.LateClock, Paths: []string{path}, Messages: &messages, Rejects: &rejects})
	need.NoError(t, err)
	wantMessages := []string{
		path + `:1: is not one valid JSON object: `,
		path + `:3: last: must be an exact decimal in a JSON string, such as "305.25"; got 1.5`,
		path + `:4: members[0].symbol: is missing`,
		path + `:5: record: must be one of bar, `,
	}
	wantRejects := []string{
		`{"file":"` + path + `","line":1,"field":null,"reason":"is not one valid JSON object: `,
		`{"file":"` + path +
			`","line":3,"field":"last","reason":"must be an exact decimal in a JSON string, such as \"305.25\"; got 1.5","input":"{\"record\":\"quote\",`,
		`{"file":"` + path +
			`","line":4,"field":"members[0].symbol","reason":"is missing","input":"{\"record\":\"index\",\"code\":\"X\",\"name\":\"Ş <b>\",`,
		`{"file":"` + path + `","line":5,"field":"record","reason":"must be one of bar, `,
	}
	for what, c := range map[string]struct {
		got  string
		want []string
	}{"messages": {messages.String(), wantMessages}, "rejects": {rejects.String(), wantRejects}} {
		got := lines(c.got)
		if len(got) != len(c.want) {
			t.Fatalf("%s: %q", what, got)
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%s: got  %s\nwant %s…", what, got[i], c.want[i])
			}
		}
	}
	if first := lines(rejects.String())[0]; !strings.HasSuffix(first, `,"input":"nonsense \"<&>\""}`) {
		t.Errorf("got %s", first)
	}
}

// What a message repeats of a bad line is short, and of one line.
func TestRefusalsAreShort(t *testing.T) {
	long := strings.Repeat("ş", 10_000)
	for _, line := range []string{
		`{"record":"` + long + `"}`,
		`{"record":"quote","as_of":"` + long + `"}`,
		`{"record":"quote","last":"` + long + `"}`,
		`{"record":"quote","last":["` + long + `"]}`,
		`{"record":"quote","instrument_id":"bist:` + long + `"}`,
		`{"record":"quote","as_of":"a\nb:1: c"}`,
		`["` + long + `"]`,
		`{"record":"quote","` + long + `":1}`,
		`{"record":"quote","a\nb:1: last: forged":1}`,
		`{"record":"quote","a\u001b[31m":1}`,
	} {
		r := run(t, openFile(t), strings.NewReader(line))
		if len(r.messages) > 800 || strings.Count(r.messages, "\n") != 1 || strings.Contains(r.messages, "\x1b") || len(r.rejects) != 1 ||
			r.rejects[0].Input != line {
			t.Errorf("told %.900q", r.messages)
		}
	}
}

func TestSummaryCountsByKind(t *testing.T) {
	coin := func(more string) string {
		return `{"record":"instrument","instrument_id":"crypto:2","symbol":"2","name":"Litecoin","market":"crypto","asset_type":"CRYPTO","currency":"USD","cmc_id":2` + more + `}` + "\n"
	}
	input := quote("A", t2, "1") + coin("") + quote("A", t2, "1") + quote("A", t1, "1") + "{}\n\n" + coin(`,"predecessor":"crypto:9","renamed_on":"2026-03-01"`) +
		`{"record":"quote"}` + "\n" + quote("A", t2, "2") + `{"record":"logo"}` + "\n" + `{"record":"what"}` + "\n" + coin("")
	want := &ingest.Summary{
		Kinds: map[string]*ingest.Counts{
			"quote":      {Read: 5, Stored: 2, Unchanged: 1, Stale: 1, Rejected: 1},
			"instrument": {Read: 3, Stored: 1, Unchanged: 1, Rejected: 1},
			"logo":       {Read: 1, Rejected: 1},
		},
		Counts: ingest.Counts{Read: 11, Stored: 3, Unchanged: 2, Stale: 1, Rejected: 5},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		r := run(t, open(t, url), strings.NewReader(input))
		if r.Seconds <= 0 || r.err != nil {
			t.Errorf("%v seconds, %v", r.Seconds, r.err)
		}
		r.Seconds = 0
		if !reflect.DeepEqual(r.Summary, want) {
			got, _ := json.Marshal(r.Summary)
			t.Errorf("got %s", got)
		}
		// The store's own refusals look like all others.
		if !strings.Contains(r.messages, "-:7: predecessor: crypto:9 is not known") {
			t.Errorf("told %s", r.messages)
		}
	})
}

// The summary as --json and as the table print it.
func TestSummaryForms(t *testing.T) {
	s := &ingest.Summary{
		Kinds: map[string]*ingest.Counts{
			"quote": {Read: 10, Stored: 8, Unchanged: 1, Rejected: 1},
			"bar":   {Read: 2, Rejected: 2},
		},
		Counts: ingest.Counts{Read: 13, Stored: 8, Unchanged: 1, Rejected: 4}, Seconds: 1.25,
	}
	got, err := json.Marshal(s)
	want := `{"kinds":{"bar":{"read":2,"stored":0,"unchanged":0,"stale":0,"rejected":2},"quote":{"read":10,"stored":8,"unchanged":1,"stale":0,"rejected":1}},` +
		`"read":13,"stored":8,"unchanged":1,"stale":0,"rejected":4,"seconds":1.25}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var table bytes.Buffer
	s.WriteTable(&table)
	wantTable := `
   kind  read  stored  unchanged  stale  rejected
    bar     2       0          0      0         2
  quote    10       8          1      0         1
  total    13       8          1      0         4
1.2 s
`
	if got := "\n" + table.String(); got != wantTable {
		t.Errorf("got %s", got)
	}
}

// Rejects that cannot be written stop the run: a refused line must not be lost.
func TestRejectsThatCannotBeWritten(t *testing.T) {
	_, err := ingest.Run(t.Context(), openFile(t), ingest.Options{
		Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: strings.NewReader("nonsense\n"), Messages: new(bytes.Buffer),
		Rejects: full{},
	})
	if err == nil || !strings.Contains(err.Error(), "write rejects: the disk is full") {
		t.Errorf("error %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// Without a place for rejects the messages still tell.
func TestNoRejects(t *testing.T) {
	var messages bytes.Buffer
	summary, err := ingest.Run(t.Context(), openFile(t),
		ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: strings.NewReader("{}"), Messages: &messages})
	if err != nil || summary.Rejected != 1 || !strings.HasPrefix(messages.String(), "-:1: record: is missing") {
		t.Errorf("%v, %+v, %s", err, summary, messages.String())
	}
}

// Running the same input again changes nothing and says so.
func TestIngestTwice(t *testing.T) {
	var input strings.Builder
	for i := range 50 {
		fmt.Fprintf(&input, `{"record":"trading_day","market":"bist","date":"20%02d-01-01"}`+"\n", i)
		input.WriteString(quote(fmt.Sprintf("S%d", i%5), fmt.Sprintf("2026-03-18T11:%02d:00Z", i), fmt.Sprint(i+1)))
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, strings.NewReader(input.String())).counts(t, ingest.Counts{Read: 100, Stored: 100})
		before, err := s.Look(t.Context())
		need.NoError(t, err)
		for range 2 {
			run(t, s, strings.NewReader(input.String())).counts(t, ingest.Counts{Read: 100, Unchanged: 100})
		}
		if after, err := s.Look(t.Context()); err != nil || !reflect.DeepEqual(before.Heads, after.Heads) {
			t.Errorf("heads %v, then %v (%v)", before.Heads, after.Heads, err)
		}
		if got := len(kept(t, s, "S0")); got != 10 {
			t.Errorf("%d observations", got)
		}
	})
}
