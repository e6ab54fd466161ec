package jsonhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/jsonhttp"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

var noon = time.Date(2031, 6, 4, 9, 0, 0, 0, time.UTC)

func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	s, err := jsonhttp.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}

// one parses an answer with a program, and returns the records as JSON.
func one(t testing.TB, settings, body string) (string, error) {
	t.Helper()
	result, err := source(t, settings).Parse(nil, &collect.Request{}, &collect.Answer{Status: 200, At: noon, Body: []byte(body)})
	if err != nil {
		return "", err
	}
	text, _ := json.Marshal(result.Records)
	return string(text), nil
}

// No number of an answer loses a digit, and none that may have lost some is stored.
func TestNumbers(t *testing.T) {
	for body, want := range map[string]string{
		`{"v": 305.20}`:                  `"305.20"`,
		`{"v": 12345678901234567.25}`:    `"12345678901234567.25"`,
		`{"v": 1.50e3}`:                  `"1500"`,
		`{"v": 5E-3}`:                    `"0.005"`,
		`{"v": "7,5"}`:                   `"7,5"`,
		"\ufeff" + `{"v": null}`:         `null`,
		`{"v": [1.10, {"w": 1e2}]}`:      `["1.10",{"w":"100"}]`,
		`{"v": 99999999999999999999999}`: `"99999999999999999999999"`,
	} {
		if got, err := one(t, `{"records": "{record: \"x\", v: .v}"}`, body); err != nil || !strings.Contains(got, `"v":`+want) {
			t.Errorf("%s: %s %v", body, got, err)
		}
	}
	for program, says := range map[string]string{
		`.v | tonumber`:                          "has been a float",
		`(.v | tonumber) * 10`:                   "has been a float",
		`[{w: (.v | tonumber)}]`:                 "has been a float",
		`9007199254740993`:                       "too large",
		`99999999999999999999999`:                "too large",
		`1e3 / 7`:                                "has been a float",
		`.n | tonumber`:                          "",
		`(.n | tonumber) + 1`:                    "",
		`.v | split(".") | .[0] | tonumber + 42`: "",
	} {
		settings, _ := json.Marshal(map[string]any{"records": `{record: "x", v: (` + program + `)}`})
		_, err := one(t, string(settings), `{"v": 305.25, "n": 7}`)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", program, err)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct{ settings, body, says string }{
		"an error under 200":   {`{"records": ".items[]", "fails": ".error"}`, `{"error": "quota"}`, "the upstream says: quota"},
		"no items":             {`{"records": ".items[]"}`, `{"rows": []}`, "null"},
		"no record":            {`{"records": ".items[]"}`, `{"items": [{"a": "b"}]}`, "kind of record"},
		"a state":              {`{"records": "{record: \"state\"}"}`, `{}`, "kind of record"},
		"cut":                  {`{"records": ".items[]"}`, `{"items": [`, "EOF"},
		"two answers":          {`{"records": ".items[]"}`, `{"items": []} {}`, "after the JSON"},
		"an exponent too far":  {`{"records": "."}`, `{"v": 1e9999}`, "exponent"},
		"a variable unknown":   {`{"records": "empty", "keep": "{until: \"x\"}", "start": {"since": ""}}`, `{}`, "until"},
		"a program for ever":   {`{"records": "repeat(.)"}`, `{}`, "more than"},
		"a page that is again": {`{"records": "empty", "request": {"query": {"c": "${cursor}"}}, "paging": {"by": "cursor", "cursor": ".c"}}`, `{"c": ["x"]}`, "must give text"},
	} {
		if _, err := one(t, c.settings, c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that takes all memory or time is ended, also within one of its calls, and takes none
// of it from the process that collects.
func TestProgramsAreBounded(t *testing.T) {
	body := `{"s": "` + strings.Repeat("x", 1<<20) + `", "n": null}`
	for name, c := range map[string]struct{ program, says string }{
		"doubles text":          {`reduce range(40) as $i (.s; . + .) | {record: "x", v: .}`, "512 MiB of memory"},
		"joins within one call": {`.s as $s | [range(100000) | $s] | join("") | {record: "x", v: length}`, "512 MiB of memory"},
		"repeats one value":     {`.s as $s | range(5000) | {record: "x", v: $s}`, "512 MiB of memory"},
		"much, but below that":  {`.s as $s | range(66) | {record: "x", v: $s}`, " MiB"}, // of results; the race detector takes more memory
		"never ends":            {`last(repeat(1))`, "longer than 2s"},
		"recurs":                {`def f: 1 + f; f`, "were ended"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "never ends" || name == "recurs" {
				jsonhttp.SetRunTime(t, 2*time.Second)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begun := time.Now()
			settings, _ := json.Marshal(map[string]any{"records": c.program})
			_, err := one(t, string(settings), body)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%.300v", err)
			}
			if took, grew := time.Since(begun), after.Sys-min(before.Sys, after.Sys); took > 20*time.Second || grew > 300<<20 {
				t.Errorf("%s, %d MiB here", took, grew>>20)
			}
		})
	}
}

// One process does many errands; when the system ends it while it waits, another one takes over,
// and those of several sources at once do not disturb each other.
func TestWorkers(t *testing.T) {
	parse := func(name string) {
		t.Helper()
		got, err := one(t, `{"records": ".items[] | {record: \"x\", v: .}"}`, `{"items": ["`+name+`"]}`)
		if err != nil || !strings.Contains(got, `"v":"`+name+`"`) {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { parse(fmt.Sprint("beside ", i)) })
	}
	all.Wait()
	waiting := jsonhttp.IdleWorkers()
	if len(waiting) == 0 || len(waiting) > 2 {
		t.Fatalf("%d workers wait", len(waiting))
	}
	for i := range 100 {
		parse(fmt.Sprint("after ", i))
	}
	if now := jsonhttp.IdleWorkers(); !slices.Equal(now, waiting) {
		t.Errorf("%v did errands, and then %v", waiting, now)
	}
	for _, p := range waiting {
		need.NoError(t, p.Kill())
	}
	parse("killed while it waited")
}

// BenchmarkParse reads an answer of a thousand rows.
func BenchmarkParse(b *testing.B) {
	rows := make([]string, 1000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"code": "C%d", "price": %d.25, "begins": "2031-06-04"}`, i, i)
	}
	body := []byte(`{"items": [` + strings.Join(rows, ",") + `]}`)
	s := source(b, `{"records": ".items[] | {record: \"bar\", instrument_id: .code, resolution: \"1d\", t: .begins, close: .price}",
		"keep": "{since: ([.items[].begins] | max)}", "start": {"since": ""}}`)
	answer := &collect.Answer{Status: 200, At: noon, Body: body}
	for b.Loop() {
		if r, err := s.Parse(nil, &collect.Request{}, answer); err != nil || len(r.Records) != 1000 {
			b.Fatal(err)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for text, says := range map[string]string{
		`{}`: "records", `{"records": ".["}`: "no program", `{"records": "now"}`: "no place", `{"records": "env"}`: "no place",
		`{"records": "$ENV.HOME"}`:      "no place",
		`{"records": "[.a[] | input]"}`: "no place", `{"records": "import \"a\" as a; ."}`: "import", `{"records": "$other"}`: "other",
		`{"records": ".", "request": {"method": "DELETE"}}`: "GET or POST", `{"records": ".", "request": {"path": "../x"}}`: "below",
		`{"records": ".", "request": {"body": {}}}`:                 "POST",
		`{"records": ".", "request": {"query": {"a": "${since}"}}}`: "${since} has no value",
		`{"records": ".", "start": {"page": "1"}}`:                  "start",
		`{"records": ".", "paging": {"by": "page"}}`:                "paging", `{"records": ".", "paging": {"by": "luck"}}`: "paging",
		`{"records": ".", "request": {"headers": {"Authorization": "Bearer x"}}}`:                             "credential",
		`{"records": ".", "request": {"headers": {"X-Api-Key": {"env": "NO_SUCH_KEY"}}}}`:                     "NO_SUCH_KEY is empty",
		`{"records": ".", "unknown": 1}`:                                                                      `"unknown" is unknown; known are request, answer_headers`,
		`{"records": ".", "request": {"headers": {"Host": "a"}}}`:                                             "which piyasa sends itself",
		`{"records": ".", "request": {"query": {"page": 1}}}`:                                                 `"request.query.page" must be text such as "1", {"env"`,
		`{"records": ".", "request": {"query": {"k": {"env": 1}}}}`:                                           `"request.query.k" must be {"env": "NAME"}`,
		`{"records": ".", "start": {"since": 5}}`:                                                             `"start.since" must be text; got 5`,
		`{"records": ".", "paging": {"by": "page", "items": ".", "first": "1"}}`:                              `"paging.first" must be a whole number; got text`,
		`{"records": ".", "paging": {"by": "page", "items": ".["}}`:                                           `"paging.items" is no program`,
		`{"records": ".", "paging": {"by": "offset", "items": "."}}`:                                          `"paging.size" must say`,
		`{"records": ".", "paging": {"by": "page", "items": ".", "size": -1}}`:                                "got 1 and -1",
		`{"records": ".", "detail": {"items": ".", "records": ".", "path": "../${item}"}}`:                    `"detail.path" must be below`,
		`{"records": ".", "paging": {"by": "page", "items": "."}}`:                                            "needs ${page} in",
		`{"records": ".", "paging": {"by": "cursor", "cursor": "."}, "request": {"query": {"a": "${page}"}}}`: "needs ${cursor} in",
	} {
		if _, err := jsonhttp.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A credential is never text of the file, wherever a request has it; what only looks like one may be.
func TestCredentialsAsText(t *testing.T) {
	for settings, is := range map[string]bool{
		`"request": {"query": {"apikey": "abc"}}`:                                                                true,
		`"request": {"query": {"X-Api-Key": "abc"}}`:                                                             true,
		`"request": {"query": {"key": "abc"}}`:                                                                   true,
		`"request": {"query": {"access_token": "abc"}}`:                                                          true,
		`"request": {"query": {"Password": "abc"}}`:                                                              true,
		`"request": {"query": {"token": "${t}"}}, "start": {"t": "abc"}`:                                         true,
		`"request": {"headers": {"X-Auth-Token": "abc"}}`:                                                        true,
		`"request": {"headers": {"Proxy-Authorization": "abc"}}`:                                                 true,
		`"request": {"method": "POST", "form": {"client_secret": "abc"}}`:                                        true,
		`"detail": {"items": ".", "records": ".", "path": "${item}", "query": {"pwd": "a"}}`:                     true,
		`"request": {"query": {"key": {"env": "A_KEY"}}}`:                                                        false,
		`"request": {"query": {"page_token": "${cursor}"}}`:                                                      false,
		`"request": {"query": {"since_token": "${t}"}}, "start": {"t": ""}`:                                      false,
		`"request": {"query": {"keyword": "a", "series_key": "b", "author": "c", "tokens": "d", "sort": "key"}}`: false,
	} {
		t.Setenv("A_KEY", "very secret key")
		_, err := jsonhttp.New(json.RawMessage(`{"records": ".", ` + settings + `}`))
		if (err != nil) != is || is && (!strings.Contains(err.Error(), `must be {"env": "NAME"} or {"file": "PATH"}: it is a credential`) ||
			strings.Contains(err.Error(), "abc")) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

// collected returns what a collector gets from an upstream.
func collected(t *testing.T, settings string, upstream http.HandlerFunc) (*collecttest.Store, collect.Outcome) {
	t.Helper()
	store, all := repeated(t, settings, 1, upstream)
	return store, all[0]
}

// repeated returns what a collector gets from an upstream in several runs.
func repeated(t *testing.T, settings string, runs int, upstream http.HandlerFunc) (*collecttest.Store, []collect.Outcome) {
	t.Helper()
	server := httptest.NewServer(upstream)
	defer server.Close()
	var all map[string]any
	need.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(settings, "BASE", server.URL)), &all))
	all["connector"], all["base"], all["pace"] = "json", server.URL+"/api", "0s"
	text, _ := json.Marshal(map[string]any{"sources": map[string]any{"s": all}})
	c, err := collect.Read(text, collect.Makers{"json": jsonhttp.New})
	need.NoError(t, err)
	store, now := collecttest.NewStore(), noon
	one := &collect.Collector{Config: c, Store: store, Emit: store.Emit, Holder: "one", Now: func() time.Time { return now }}
	outcomes := make([]collect.Outcome, runs)
	for i := range outcomes {
		outcomes[i] = one.Once(t.Context())[0]
		now = now.Add(time.Hour)
	}
	return store, outcomes
}

// Every way of paging brings every page, once.
func TestPaging(t *testing.T) {
	const records = `"records": ".items[] | {record: \"x\", v: .}"`
	for name, c := range map[string]struct{ settings, answers string }{
		"page": {`{"request": {"query": {"p": "${page}"}}, "paging": {"by": "page", "size": 2, "items": ".items|length"}, ` + records +
			`}`, "p=1 [1,2]\np=2 [3,4]\np=3 [5]"},
		"offset": {`{"request": {"query": {"o": "${offset}"}}, "paging": {"by": "offset", "size": 2, "items": ".items|length"}, ` +
			records + `}`, "o=0 [1,2]\no=2 [3,4]\no=4 [5]"},
		"cursor": {`{"request": {"query": {"c": "${cursor}"}}, "paging": {"by": "cursor", "cursor": ".next"}, ` + records + `}`,
			` [1,2],"next":"a&b"` + "\nc=a%26b" + ` [3,4],"next":7` + "\nc=7 [5]"},
		"next": {`{"paging": {"by": "next", "next": ".next"}, ` + records + `}`, ` [1,2],"next":"BASE/api/?n=2"` + "\nn=2" +
			` [3,4],"next":"?n=3"` + "\n" + `n=3 [5],"next":null`},
	} {
		store, o := collected(t, c.settings, func(w http.ResponseWriter, r *http.Request) {
			for line := range strings.SplitSeq(c.answers, "\n") {
				if query, answer, _ := strings.Cut(line, " "); query == r.URL.RawQuery {
					fmt.Fprintf(w, `{"items":%s}`, strings.ReplaceAll(answer, "BASE", "http://"+r.Host))
				}
			}
		})
		var got string
		for _, l := range store.Lines() {
			got += l.Get("v")
		}
		if o.Err != nil || got != "12345" || o.Answers != 3 {
			t.Errorf("%s: %+v %s", name, o, got)
		}
	}
}

// A last page that comes again is the end: with a warning, unless the settings say that it is so.
func TestRepeatedPages(t *testing.T) {
	for setting, warns := range map[string]bool{``: true, `, "repeats": true`: false} {
		_, o := collected(t, `{"request": {"query": {"p": "${page}"}}, "paging": {"by": "page", "size": 1, "items": ".items|length"`+setting+
			`}, "records": ".items[] | {record: \"x\", v: .}"}`, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"items":[%d]}`, min('3', r.URL.Query().Get("p")[0])-'0')
		})
		if o.Err != nil || o.Answers != 4 || (o.Warning != nil) != warns {
			t.Errorf("%q: %+v", setting, o)
		}
	}
}

// A link never leads away from the base.
func TestLinksThatLeave(t *testing.T) {
	for _, link := range []string{"http://elsewhere.example/api/", "//elsewhere.example/api/", "/other/", "../x", "/api/../x", "BASE/apis/",
		"ftp://x/", "http://user@127.0.0.1/api/"} {
		n := 0
		_, o := collected(t, `{"paging": {"by": "next", "next": ".next"}, "records": "empty"}`,
			func(w http.ResponseWriter, r *http.Request) {
				n++
				fmt.Fprintf(w, `{"next":%q}`, strings.ReplaceAll(link, "BASE", "http://"+r.Host))
			})
		if o.Err == nil || !strings.Contains(o.Err.Error(), "away from the base") || n != 1 {
			t.Errorf("%s: %v, %d requests", link, o.Err, n)
		}
	}
}

// Bodies, headers and variables of requests.
func TestRequest(t *testing.T) {
	t.Setenv("A_KEY", "very secret key")
	s := source(t, `{"request": {"path": "v1/${since}", "method": "POST", "headers": {"Authorization": {"env": "A_KEY", "prefix": "Bearer "}, "X-Kind": "all"},
		"query": {"day": "${today}", "before": "${yesterday}"}, "body": {"from": "${since}", "list": ["${now}", 7]}}, "start": {"since": "a\"b"}, "records": "empty"}`)
	r, err := s.Ask(nil, time.Date(2031, 6, 3, 22, 0, 0, 0, time.UTC))
	if err != nil || r.Path != `v1/a"b` || r.Query.Encode() != "before=2031-06-03&day=2031-06-04" ||
		string(r.Body) != `{"from":"a\"b","list":["2031-06-03T22:00:00Z",7]}` ||
		r.Header.Get("Authorization") != "Bearer very secret key" || r.Header.Get("X-Kind") != "all" {
		t.Errorf("%+v %s %v", r, r.Body, err)
	}
	if text, _ := json.Marshal(r); strings.Contains(string(text), "secret") {
		t.Errorf("%s", text)
	}
}

// What the stand-in has arrives, digit for digit.
func TestStandIn(t *testing.T) {
	e := standin.Examples["json"](noon)
	for name, v := range e.Env {
		t.Setenv(name, v)
	}
	store, o := collected(t, e.Settings, func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix("/api", standin.JSON(func() time.Time { return noon })).ServeHTTP(w, r)
	})
	n := 0
	for day := noon.AddDate(0, 0, -10); day.Before(noon.AddDate(0, 0, -1).Add(time.Hour)); day = day.AddDate(0, 0, 1) {
		for _, p := range standin.JSONPrices(day.Truncate(24 * time.Hour)) {
			begins, _ := time.Parse(time.RFC3339, p.Begins)
			bar, ok := store.Bar("bist:"+p.Code, "1d", begins)
			price, _ := collect.Plain(p.Price)
			volume, _ := collect.Plain(p.Volume)
			if !ok || bar.Get("close") != price || bar.Get("volume") != volume {
				t.Errorf("%+v: %s", p, bar.Text)
			}
			n++
		}
	}
	if o.Err != nil || n == 0 || n != o.Records {
		t.Errorf("%+v, want %d records", o, n)
	}
}

// No output holds a float.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"items": [{"a": 1.50e3, "b": [12345678901234567.25]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := source(t, `{"records": ".items[] | {record: \"x\", v: .}"}`).Parse(nil, &collect.Request{},
			&collect.Answer{Status: 200, At: noon, Body: body})
		if err != nil {
			return
		}
		for _, r := range result.Records {
			floats(t, r.Fields["v"])
		}
	})
}

func floats(t *testing.T, v any) {
	switch v := v.(type) {
	case float64, int, json.Number:
		t.Errorf("%v is a number", v)
	case []any:
		for _, one := range v {
			floats(t, one)
		}
	case map[string]any:
		for _, one := range v {
			floats(t, one)
		}
	}
}
