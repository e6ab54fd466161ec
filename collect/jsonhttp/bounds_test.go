package jsonhttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// An upstream that does not know what the request calls the page, or whose pages lead in a
// circle, is asked a few times and no more, also where each answer says when it was made.
func TestPagesThatComeAgain(t *testing.T) {
	const records = `"records": ".items[]? | {record: \"x\", v: .}"`
	for name, c := range map[string]struct {
		settings string
		answer   func(n int) string
	}{
		"the page is ignored":      {`{"request": {"query": {"p": "${page}"}}, "paging": {"by": "page", "size": 2, "items": ".items|length"}, ` + records + `}`, func(n int) string { return fmt.Sprintf(`{"made": %d, "items": [1,2]}`, n) }},
		"the offset is ignored":    {`{"request": {"query": {"p": "${offset}"}}, "paging": {"by": "offset", "size": 2, "items": "2"}, ` + records + `}`, func(int) string { return `{}` }},
		"a circle of cursors":      {`{"paging": {"by": "cursor", "cursor": ".next"}, ` + records + `}`, func(n int) string { return fmt.Sprintf(`{"items": [%d], "next": "c%d"}`, n, n%3) }},
		"a circle of next links":   {`{"paging": {"by": "next", "next": ".next"}, ` + records + `}`, func(n int) string { return fmt.Sprintf(`{"items": [%d], "next": "?p=%d"}`, n, n%2) }},
		"a circle after a hundred": {`{"paging": {"by": "cursor", "cursor": ".next"}, ` + records + `}`, func(n int) string { return fmt.Sprintf(`{"items": [%d], "next": "c%d"}`, n, max(n%7, 100-n)) }},
	} {
		asked := 0
		_, o := collected(t, c.settings, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			fmt.Fprint(w, c.answer(asked))
		})
		if o.Err == nil || !strings.Contains(o.Err.Error(), "came before") && !strings.Contains(o.Err.Error(), "is this one") || asked > 300 {
			t.Errorf("%s: asked %d times: %v", name, asked, o.Err)
		}
	}
}

// A program that needs too much memory ends, and so does a record that is larger than it looks.
func TestMemory(t *testing.T) {
	for program, says := range map[string]string{
		`[range(100000) | (\"x\" * 100000) + tostring] | {record: \"x\", v: length}`:                                "more than 256 MiB of memory",
		`reduce range(60) as $i ([]; [., .]) | {record: \"x\", v: .}`:                                               "larger than",
		`[range(2000) | (\"x\" * 100000) + tostring | length | tostring] | {record: \"x\", v: (length | tostring)}`: "", // garbage does not count
	} {
		_, o := collected(t, `{"records": "`+program+`"}`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
		if says == "" && o.Err != nil || says != "" && (o.Err == nil || !strings.Contains(o.Err.Error(), says)) {
			t.Errorf("%s: %v", program, o.Err)
		}
	}
}

// A credential in the query is sent, with every page, and kept nowhere.
func TestCredentialInTheQuery(t *testing.T) {
	t.Setenv("QUERY_KEY", "secret-of-the-query")
	asked := 0
	store, o := collected(t, `{"request": {"query": {"api_key": {"env": "QUERY_KEY"}, "d": "1"}}, "paging": {"by": "next", "next": ".next"}, "records": ".items[] | {record: \"x\", v: .}"}`,
		func(w http.ResponseWriter, r *http.Request) {
			if asked++; r.URL.Query().Get("api_key") != "secret-of-the-query" {
				t.Errorf("asked %s", r.URL)
			}
			if asked == 1 {
				fmt.Fprint(w, `{"items": ["1"], "next": "?api_key=secret-of-the-query&p=2"}`)
				return
			}
			fmt.Fprint(w, `{"items": ["2"], "next": null}`)
		})
	if o.Err != nil || o.Answers != 2 || strings.Contains(store.All(), "secret-of-the-query") {
		t.Errorf("%+v\n%s", o, store.All())
	}
}

// The same answer is asked for on the conditions of HTTP, and not read again.
func TestTheSameAnswer(t *testing.T) {
	read := 0
	store, o := collected(t, `{"schedule": {"every": "5s"}, "records": "{record: \"x\"}"}`, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == "" {
			read++
		}
		w.Header().Set("ETag", `"1"`)
		fmt.Fprint(w, "{}")
	})
	if o.Err != nil || !strings.Contains(store.All(), `"seen":{`) || read != 1 {
		t.Errorf("%+v, read %d times\n%s", o, read, store.All())
	}
}
