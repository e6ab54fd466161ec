package evds_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/evds"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

const settings = `{"key": {"env": "EVDS_KEY"}}`

// recorded notes the paths of requests.
func recorded(asked *[]string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.RequestURI)
		h.ServeHTTP(w, r)
	})
}

func trt(year int, month time.Month, day, hour, minute int) time.Time {
	return time.Date(year, month, day, hour, minute, 0, 0, collect.Istanbul)
}

// History comes in ranges that no answer cuts, and then only what is new or revised.
func TestHistoryAndMonths(t *testing.T) {
	w := newWorld(t, settings, trt(2031, 5, 20, 11, 0))
	o := w.at(t, w.now)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	producer, consumer := map[string]string{}, map[string]string{}
	w.points("YI_UFE", producer)
	w.points("TUFE", consumer)
	check := func() {
		t.Helper()
		same(t, "YI_UFE", producer, w.upstream(t, "TP.TUFE1YI.T1", "2003=100"))
		same(t, "TUFE", consumer, w.upstream(t, "TP.GENENDEKS.T1", "2003=100"))
	}
	check()
	want := []string{
		"/series=TP.TUFE1YI.T1&startDate=01-01-1982&endDate=31-12-1991&type=json",
		"/series=TP.TUFE1YI.T1&startDate=01-01-1992&endDate=31-12-2001&type=json",
		"/series=TP.TUFE1YI.T1&startDate=01-01-2002&endDate=31-12-2011&type=json",
		"/series=TP.TUFE1YI.T1&startDate=01-01-2012&endDate=31-12-2021&type=json",
		"/series=TP.TUFE1YI.T1&startDate=01-01-2022&endDate=31-05-2031&type=json",
		"/series=TP.GENENDEKS.T1&startDate=01-01-2003&endDate=31-12-2012&type=json",
		"/series=TP.GENENDEKS.T1&startDate=01-01-2013&endDate=31-12-2022&type=json",
		"/series=TP.GENENDEKS.T1&startDate=01-01-2023&endDate=31-05-2031&type=json",
	}
	if got := strings.Join(w.asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s", got)
	}
	if producer["1994-07"] != " 2003=100" || producer["1996-02"] != " 2003=100" ||
		!strings.HasSuffix(producer["2031-04"], "000000 2003=100") {
		t.Errorf("a month that is skipped, and digits: %q %q %q", producer["1994-07"], producer["1996-02"], producer["2031-04"])
	}
	for _, step := range []struct {
		name            string
		at              time.Time
		requests        int
		producer, other int // records
	}{
		{"later that day", trt(2031, 5, 20, 13, 0), 0, 0, 0},
		{"the next day", trt(2031, 5, 21, 11, 0), 2, 0, 0},
		{"May is not there yet", trt(2031, 6, 3, 10, 46).Add(-24 * time.Hour), 2, 0, 0},
		{"May, and a revised April", trt(2031, 6, 3, 10, 46), 2, 2, 1},
		{"May is there: the day is done", trt(2031, 6, 3, 12, 30), 0, 0, 0},
		{"a month of absence", trt(2031, 8, 20, 12, 0), 2, 2, 2},
	} {
		if o := w.at(t, step.at); o.Err != nil || len(w.asked) != step.requests {
			t.Errorf("%s: %+v, asked %v", step.name, o, w.asked)
		}
		if n, m := w.points("YI_UFE", producer), w.points("TUFE", consumer); n != step.producer || m != step.other {
			t.Errorf("%s: %d and %d records", step.name, n, m)
		}
		if !strings.Contains(step.name, "not there yet") {
			check()
		}
	}
	for _, step := range []struct{ hour, requests int }{{9, 2}, {10, 2}, {12, 0}} { // August comes at 10:40
		if w.at(t, trt(2031, 9, 3, step.hour, 46)); len(w.asked) != step.requests {
			t.Errorf("at %d: %v", step.hour, w.asked)
		}
	}
}

// Each time of the schedule asks while the last month is about to come, and no other time.
func TestWhenToAsk(t *testing.T) {
	s := source(t, settings)
	state := func(newest string, asked time.Time) json.RawMessage {
		track := fmt.Sprintf(`"from":"2003-01","newest":%q,"values":{},"asked":%q`, newest, asked.Format(time.RFC3339))
		return json.RawMessage(`{"YI_UFE":{"code":"TP.TUFE1YI.T1",` + strings.Replace(track, "2003", "1982", 1) +
			`},"TUFE":{"code":"TP.GENENDEKS.T1",` + track + `}}`)
	}
	for name, c := range map[string]struct {
		newest     string
		asked, now time.Time
		want       bool
	}{
		"the same hour":                       {"2031-04", trt(2031, 6, 3, 10, 45), trt(2031, 6, 3, 11, 10), false},
		"an hour later, and May is missing":   {"2031-04", trt(2031, 6, 3, 10, 45), trt(2031, 6, 3, 11, 30), true},
		"an hour later, and May is there":     {"2031-05", trt(2031, 6, 3, 10, 45), trt(2031, 6, 3, 11, 30), false},
		"the next day":                        {"2031-05", trt(2031, 6, 3, 17, 30), trt(2031, 6, 4, 10, 45), true},
		"before the month can come":           {"2031-04", trt(2031, 6, 2, 10, 45), trt(2031, 6, 2, 11, 30), false},
		"long after the month should be here": {"2031-04", trt(2031, 6, 11, 10, 45), trt(2031, 6, 11, 11, 30), false},
	} {
		r, err := s.Ask(state(c.newest, c.asked), c.now)
		if err != nil || (r != nil) != c.want {
			t.Errorf("%s: %+v %v", name, r, err)
		}
		if r != nil && (r.Header.Get("key") != standin.EVDSKey || strings.Contains(r.Path+r.Query.Encode(), standin.EVDSKey)) {
			t.Errorf("%s: the key is not in its header only", name)
		}
	}
	for _, text := range []string{`[]`, `{"TUFE": {"from": "lately"}}`} {
		if r, err := s.Ask(json.RawMessage(text), trt(2031, 6, 3, 12, 0)); err == nil {
			t.Errorf("kept %s: %+v", text, r)
		}
	}
}

// A series that has ended is stored, and then told each time, and the others go on.
func TestFrozenSeries(t *testing.T) {
	w := newWorld(t, `{"key": {"env": "EVDS_KEY"}, "from": "2020-01", "consumer_prices": "TP.FG.J0"}`, trt(2026, 3, 16, 11, 0))
	if o := w.at(t, w.now); o.Err != nil {
		t.Fatal("44 days after the end of January: ", o.Err)
	}
	for _, at := range []time.Time{trt(2026, 3, 18, 11, 0), trt(2026, 3, 18, 11, 20), trt(2026, 4, 20, 11, 0)} {
		o := w.at(t, at)
		if o.Err == nil || !strings.Contains(o.Err.Error(), "TUFE (TP.FG.J0) is frozen: its newest month is 2026-01") {
			t.Errorf("%s: %v", at, o.Err)
		}
		if want := map[bool]int{true: 0, false: 2}[at.Minute() == 20]; len(w.asked) != want {
			t.Errorf("%s: asked %v", at, w.asked)
		}
	}
	points := map[string]string{}
	if n := w.points("YI_UFE", points); n == 0 || points["2026-03"] == "" {
		t.Error("producer prices do not go on")
	}
}

// Another series for an index takes the place of the one before as a whole.
func TestAnotherBase(t *testing.T) {
	w := newWorld(t, settings, trt(2031, 5, 20, 11, 0))
	points := map[string]string{}
	w.at(t, w.now)
	w.points("TUFE", points)
	w.configure(t, `{"key": {"env": "EVDS_KEY"}, "consumer_prices": "TP.TUKFIY2025.GENEL"}`)
	if o := w.at(t, trt(2031, 5, 21, 11, 0)); o.Err != nil {
		t.Fatal(o.Err)
	}
	w.points("TUFE", points)
	want := w.upstream(t, "TP.TUKFIY2025.GENEL", "2025=100")
	delete(want, "2031-05") // a row without a value: still to come
	same(t, "TUFE", points, want)
	// An earlier beginning is read later.
	w = newWorld(t, `{"key": {"env": "EVDS_KEY"}, "from": "2029-01"}`, trt(2031, 5, 20, 11, 0))
	points = map[string]string{}
	w.at(t, w.now)
	if w.points("TUFE", points); len(points) != 28 {
		t.Errorf("%d months", len(points))
	}
	w.configure(t, settings)
	w.at(t, trt(2031, 5, 21, 11, 0))
	w.points("TUFE", points)
	same(t, "TUFE", points, w.upstream(t, "TP.GENENDEKS.T1", "2003=100"))
}

// Requests without a key, and other mistakes, are answered as the service does.
func TestWrongKeysAndPaths(t *testing.T) {
	w := newWorld(t, settings, trt(2031, 5, 20, 11, 0))
	for key, says := range map[string]string{"wrong-key": "status 403", "wrong-keys": "status 401"} {
		t.Setenv("WRONG", key)
		s, err := evds.New(json.RawMessage(`{"key": {"env": "WRONG"}}`))
		need.NoError(t, err)
		w.Config.Sources[0].Source = s
		if o := w.at(t, w.now); o.Err == nil || !strings.Contains(o.Err.Error(), says) || strings.Contains(o.Err.Error(), key) {
			t.Errorf("%s: %v", key, o.Err)
		}
	}
	w.configure(t, settings)
	w.Config.Sources[0].Own.Base += "/elsewhere"
	if o := w.at(t, w.now); o.Err == nil || !strings.Contains(o.Err.Error(), "a page instead of JSON") {
		t.Errorf("a wrong path: %v", o.Err)
	}
}

const path = "series=TP.GENENDEKS.T1&startDate=01-03-2031&endDate=31-05-2031&type=json"

func row(month, value string) string {
	return `{"Tarih":"` + month + `","TP_GENENDEKS_T1":` + value + `,"UNIXTIME":{"$numberLong":"1"},"YEARWEEK":"x"}`
}

func rows(all ...string) string {
	return fmt.Sprintf(`{"totalCount":%d,"items":[%s]}`, len(all), strings.Join(all, ","))
}

// keptMonths is a state in which the months from March on are there.
const keptMonths = `{"TUFE":{"code":"TP.GENENDEKS.T1","from":"2003-01","newest":"2031-04","values":{"2031-03":"40.00000000","2031-04":"41.00000000"}}}`

func parse(t testing.TB, kept, body string) (*collect.Result, error) {
	t.Helper()
	return source(t, settings).Parse(json.RawMessage(kept), &collect.Request{Path: path},
		&collect.Answer{Status: 200, At: trt(2031, 6, 3, 12, 0), Body: []byte(body)})
}

// told returns records, in short.
func told(result *collect.Result) string {
	var all []string
	for _, r := range result.Records {
		all = append(all, fmt.Sprint(r.Fields["month"], "=", r.Fields["value"]))
	}
	return strings.Join(all, " ")
}

func TestRows(t *testing.T) {
	for name, c := range map[string]struct{ kept, body, want string }{
		"all of them are new": {``, rows(row("2031-3", `"40.00000000"`), row("2031-4", `"41.5"`), row("2031-5", `"42"`)),
			"2031-03=40.00000000 2031-04=41.5 2031-05=42"},
		"a month with a zero": {``, rows(row("2031-03", `"40"`)), "2031-03=40"},
		"nothing is new":      {keptMonths, rows(row("2031-3", `"40.00000000"`), row("2031-4", `"41.00000000"`)), ""},
		"one is new": {keptMonths,
			rows(row("2031-3", `"40.00000000"`), row("2031-4", `"41.00000000"`), row("2031-5", `"42.00000000"`)), "2031-05=42.00000000"},
		"one is revised": {keptMonths, rows(row("2031-3", `"40.10000000"`), row("2031-4", `"41.00000000"`)),
			"2031-03=40.10000000"},
		"one is taken back in between": {keptMonths, rows(row("2031-3", `null`), row("2031-4", `"41.00000000"`)), "2031-03=<nil>"},
		"null before the first value":  {``, rows(row("2031-3", `null`), row("2031-4", `"41"`)), "2031-04=41"},
		"null in between": {``, rows(row("2031-3", `"40"`), row("2031-4", `null`), row("2031-5", `"42"`)),
			"2031-03=40 2031-04=<nil> 2031-05=42"},
		"empty in between": {``, rows(row("2031-3", `"40"`), row("2031-4", `""`), row("2031-5", `"42"`)),
			"2031-03=40 2031-04=<nil> 2031-05=42"},
		"ND in between": {``, rows(row("2031-3", `"40"`), row("2031-4", `"ND"`), row("2031-5", `"42"`)),
			"2031-03=40 2031-04=<nil> 2031-05=42"},
		"null after the last value": {``, rows(row("2031-3", `"40"`), row("2031-4", `"41"`), row("2031-5", `null`)),
			"2031-03=40 2031-04=41"},
		"a month without a row":          {``, rows(row("2031-3", `"40"`), row("2031-5", `"42"`)), "2031-03=40 2031-05=42"},
		"no totalCount":                  {``, `{"items":[` + row("2031-3", `"40"`) + `]}`, "2031-03=40"},
		"more members than are known":    {``, `{"totalCount":1,"new":true,"items":[` + row("2031-3", `"40"`) + `]}`, "2031-03=40"},
		"digits that a float would lose": {``, rows(row("2031-3", `"40.123456789012345678"`)), "2031-03=40.123456789012345678"},
	} {
		result, err := parse(t, c.kept, c.body)
		if err != nil || told(result) != c.want || !result.More {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
}

// Nothing is emitted for an answer that is not what the service is known to give.
func TestAnswersThatHaveChanged(t *testing.T) {
	march, april := row("2031-3", `"40.00000000"`), row("2031-4", `"41.00000000"`)
	for name, c := range map[string]struct{ kept, body, says string }{
		"an error under 200":          {``, `{"status":"403","message":"Required request header 'key' is not present"}`, "no items"},
		"an unknown series":           {``, rows(), "empty"},
		"an array":                    {``, `[` + march + `]`, "cannot unmarshal"},
		"cut off at the beginning":    {``, rows(april), "begins with 2031-04"},
		"fewer than are stated":       {``, `{"totalCount":2,"items":[` + march + `]}`, "has 1 items; it states 2"},
		"a range that was not asked":  {``, rows(row("2031-2", `"39"`), march), "2031-02 was not asked for"},
		"a month that was not asked":  {``, rows(march, row("2031-6", `"39"`)), "2031-06 was not asked for"},
		"a month twice":               {``, rows(march, march), "comes after"},
		"the newest first":            {``, rows(march, row("2031-5", `"42"`), april), "comes after"},
		"a day":                       {``, rows(row("03-03-2031", `"40"`)), "must be a month"},
		"a quarter":                   {``, rows(row("2031-Q1", `"40"`)), "must be a month"},
		"a year":                      {``, rows(row("2031", `"40"`)), "must be a month"},
		"a month that is none":        {``, rows(row("2031-13", `"40"`)), "must be a month"},
		"no Tarih":                    {``, rows(`{"TP_GENENDEKS_T1":"40"}`), "must be a month"},
		"another column":              {``, rows(`{"Tarih":"2031-3","TP_GENENDEKS_T1-3":"40"}`), "has no TP_GENENDEKS_T1"},
		"a number":                    {``, rows(row("2031-3", `40`)), "text or null"},
		"a decimal comma":             {``, rows(row("2031-3", `"40,1"`)), "must be a decimal"},
		"a thousands comma":           {``, rows(row("2031-3", `"1,140.1"`)), "must be a decimal"},
		"an exponent":                 {``, rows(row("2031-3", `"4E1"`)), "must be a decimal"},
		"below zero":                  {``, rows(row("2031-3", `"-40"`)), "must be a decimal"},
		"zero":                        {``, rows(row("2031-3", `"0.00000000"`)), "above 0"},
		"the newest is there no more": {keptMonths, rows(march), "2031-04 was there before"},
		"the newest has no value":     {keptMonths, rows(march, row("2031-4", `null`)), "2031-04 was there before"},
		"a month is there no more": {strings.Replace(keptMonths, `"2031-04":`, `"2031-05":"42","2031-04":`, 1),
			rows(march, row("2031-5", `"42"`)), "2031-04 was there before"},
		"half of an answer":             {``, rows(march)[:30], "unexpected end"},
		"nothing but months to come":    {``, rows(row("2031-3", `null`)), "no value"},
		"a state that cannot be read":   {`[]`, rows(march), "cannot unmarshal"},
		"a page with an answer's start": {``, rows(march) + `<html>`, "after top-level value"},
	} {
		if result, err := parse(t, c.kept, c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
	for _, asked := range []string{"", "series=TP.FG.J0&startDate=01-03-2031&endDate=31-05-2031",
		"series=TP.GENENDEKS.T1&startDate=2031-03-01&endDate=31-05-2031", "%zz"} {
		if result, err := source(t, settings).Parse(nil, &collect.Request{Path: asked},
			&collect.Answer{Body: []byte(rows(march))}); err == nil {
			t.Errorf("asked %q: %+v", asked, result)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Setenv("EVDS_KEY", "key")
	for text, says := range map[string]string{
		`{}`: `"key" must be`,
		`{"key": {"env": "EVDS_KEY"}, "from": "2031"}`:                       `"from" must be a month`,
		`{"key": {"env": "EVDS_KEY"}, "from": "2031-01-01"}`:                 `"from" must be a month`,
		`{"key": {"env": "EVDS_KEY"}, "consumer_prices": "TP.TUFE1YI.T1"}`:   `"consumer_prices" must be one of TP.GENENDEKS.T1, TP.TUKFIY2025.GENEL, TP.FG.J0; got "TP.TUFE1YI.T1"`,
		`{"key": {"env": "EVDS_KEY"}, "producer_prices": "TP.GENENDEKS.T1"}`: `"producer_prices" must be one of TP.TUFE1YI.T1`,
		`{"key": {"env": "EVDS_KEY"}, "series": []}`:                         "is unknown; known are ",
		`{"key": "text"}`: "never the secret itself",
	} {
		if _, err := evds.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is collected can be stored.
func TestIngest(t *testing.T) {
	w := newWorld(t, settings, trt(2026, 3, 20, 11, 0))
	if o := w.at(t, w.now); o.Err != nil {
		t.Fatal(o.Err)
	}
	w.configure(t, `{"key": {"env": "EVDS_KEY"}, "consumer_prices": "TP.TUKFIY2025.GENEL"}`)
	if o := w.at(t, trt(2026, 3, 21, 11, 0)); o.Err != nil {
		t.Fatal(o.Err)
	}
	if stored := collecttest.Ingest(t, time.Date(2031, 12, 1, 0, 0, 0, 0, time.UTC), w.store.All()); stored < 1000 {
		t.Errorf("%d lines are stored", stored)
	}
}

// Whatever is taken, the same answer says nothing the second time.
func FuzzRows(f *testing.F) {
	f.Add([]byte(rows(row("2031-3", `"40"`), row("2031-4", `null`), row("2031-5", `"42"`))))
	f.Add([]byte(rows(row("2031-3", `""`), row("2031-5", `"42.10000000"`))))
	f.Setenv("EVDS_KEY", "key")
	s, err := evds.New(json.RawMessage(settings))
	need.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		asked, got := &collect.Request{Path: path}, &collect.Answer{Status: 200, At: trt(2031, 6, 3, 12, 0), Body: body}
		result, err := s.Parse(nil, asked, got)
		if err != nil {
			return
		}
		values := map[string]any{}
		for _, r := range result.Records {
			values[r.Fields["month"].(string)] = r.Fields["value"]
		}
		if len(values) != len(result.Records) || len(values) == 0 || len(values) > 3 {
			t.Errorf("%v", maps.Collect(maps.All(values)))
		}
		again, err := s.Parse(result.Keep, asked, got)
		if err != nil || len(again.Records) > 0 || string(again.Keep) != string(result.Keep) {
			t.Errorf("again: %v %+v", err, again)
		}
	})
}
