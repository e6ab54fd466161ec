package jsonhttp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/test/fixture/need"
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
			need.NoError(t, err)
			walked = append(walked, r.Query.Get("from")+" "+r.Query.Get("to"))
			result, err := s.Parse(kept, r, &collect.Answer{Status: 200, At: now, Body: []byte(`{}`)})
			need.NoError(t, err)
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

// A list that grows while its pages are read loses nothing, whatever its first page had then and however it
// ends, and costs few requests more: the first walk two, and two for each page that has grown.
func TestPagesThatGrow(t *testing.T) {
	const full = 3
	page := func(items []int, n int) []int { return items[min((n-1)*full, len(items)):min(n*full, len(items))] }
	backward := func(items []int, n int) []int {
		items = slices.Clone(items)
		slices.Reverse(items)
		return page(items, n)
	}
	thinned := func(items []int, n int) []int { // the upstream leaves out items that this key may not see
		return slices.DeleteFunc(slices.Clone(page(items, n)), func(v int) bool { return v%(full*4) == 2 })
	}
	for name, c := range map[string]struct {
		paging      string
		page        func(items []int, n int) []int
		begin, most int         // items, and requests of all runs
		grows       map[int]int // to how many items, before a page (in the second run: 10 more)
		fails       int         // a page in the first run
		past        int         // the status of pages after the last one; 0: one without items
		runs        int
	}{
		"nothing":                    {page: page, begin: 8, most: 6, runs: 1},
		"nothing, again":             {page: page, begin: 8, most: 10, runs: 2},
		"the last page":              {page: page, begin: 5, grows: map[int]int{3: 8}, most: 8, runs: 1},
		"the last page, in each run": {page: page, begin: 5, grows: map[int]int{3: 8, 14: 11}, most: 15, runs: 2},
		"the first page":             {page: page, begin: 1, grows: map[int]int{2: 5}, most: 5, runs: 1},
		"the first page, twice":      {page: page, begin: 1, grows: map[int]int{2: 5, 3: 8}, most: 8, runs: 1},
		"each page":                  {page: page, begin: 2, grows: map[int]int{2: 5, 3: 8, 4: 11}, most: 11, runs: 1},
		"between runs":               {page: page, begin: 8, grows: map[int]int{14: 11}, fails: 4, most: 10, runs: 2},
		"before a missing page":      {page: page, begin: 5, grows: map[int]int{3: 8}, past: 404, most: 8, runs: 1},
		"from the newest on":         {page: backward, begin: 8, grows: map[int]int{2: 9, 3: 11}, most: 12, runs: 2},
		"pages that differ":          {page: thinned, begin: 90, most: 36, runs: 1},
		"with a size that is less":   {paging: `"size": 2, `, page: page, begin: 5, grows: map[int]int{3: 8}, most: 8, runs: 1},
		"with a total":               {paging: `"total": ".total", `, page: page, begin: 4, grows: map[int]int{2: 5}, most: 10, runs: 2},
	} {
		items, asked, run := make([]int, c.begin), 0, 0
		for i := range items {
			items[i] = i
		}
		store, all := repeated(t, `{"request": {"query": {"p": "${page}"}}, "paging": {"by": "page", `+c.paging+`"items": ".items|length"},
			"records": ".items[] | {record: \"x\", v: .}"}`, c.runs, func(w http.ResponseWriter, r *http.Request) {
			asked++
			n, _ := strconv.Atoi(r.URL.Query().Get("p"))
			for len(items) < c.grows[10*run+n] {
				items = append(items, len(items))
			}
			got := c.page(items, n)
			switch {
			case n == c.fails && run == 0:
				run = 1
				w.WriteHeader(500)
			case len(got) == 0 && c.past != 0:
				w.WriteHeader(c.past)
			default:
				if len(got) == 0 {
					run++
				}
				text, _ := json.Marshal(map[string]any{"items": append([]int{}, got...), "total": len(items)})
				_, _ = w.Write(text)
			}
		})
		stored := map[string]bool{}
		for _, l := range store.Lines() {
			stored[l.Get("v")] = true
		}
		for n := 1; len(c.page(items, n)) > 0; n++ {
			for _, v := range c.page(items, n) {
				if !stored[strconv.Itoa(v)] {
					t.Errorf("%s: %d is lost", name, v)
				}
			}
		}
		if last := all[len(all)-1]; last.Err != nil || last.Warning != nil || asked > c.most {
			t.Errorf("%s: %d requests, %+v", name, asked, last)
		}
	}
}

// A question whose cursor expires again and again fails, and says how often that has happened.
func TestCursorsThatExpire(t *testing.T) {
	_, all := repeated(t, `{"request": {"query": {"c": "${cursor}"}}, "paging": {"by": "cursor", "cursor": ".next"}, "records": "empty"}`, 2,
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("c") != "" {
				w.WriteHeader(410)
			}
			_, _ = w.Write([]byte(`{"next": "a"}`))
		})
	for i, times := range []string{"2", "3"} {
		if all[i].Warning != nil {
			t.Errorf("it is said twice: %v", all[i].Warning)
		}
		if want := "after page 1 (status 410), so the question begins again, " + times + " times in a row"; all[i].Err == nil ||
			!strings.Contains(all[i].Err.Error(), want) {
			t.Errorf("%v, want %s", all[i].Err, want)
		}
	}
}
