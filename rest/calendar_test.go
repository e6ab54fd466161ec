package rest_test

import (
	"encoding/json"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// CAL-14 to CAL-20: the whole answer, on either store; figures are JSON numbers
// digit for digit, in GraphQL too.
func TestCalendarText(t *testing.T) {
	const want = `{"from_date":"2026-03-18","to_date":"2026-03-19","items":[` +
		`{"event_id":10,"name":"TÜFE <Yıllık>","country":{"name":"Türkiye","code":"TR"},"currency":"TRY","importance":3,"is_speaking":false,"actual":2.50,"forecast":3.10,"previous":1e3,"unit":"%","time":"2026-03-17T21:30:00Z"},` +
		`{"event_id":10,"name":"TÜFE <Yıllık>","country":{"name":"Türkiye","code":"TR"},"currency":"TRY","importance":3,"is_speaking":false,"actual":-0.0,"forecast":null,"previous":12345678901234567890.123456789,"unit":null,"time":"2026-03-19T07:00:00Z"},` +
		`{"event_id":11,"name":"Tarım Dışı İstihdam","country":{"name":"Amerika Birleşik Devletleri","code":"US"},"currency":"USD","importance":1,"is_speaking":false,"actual":null,"forecast":null,"previous":-7.12,"unit":"B","time":"2026-03-19T07:00:00Z"},` +
		`{"event_id":12,"name":"TCMB Başkanı Konuşması","country":{"name":"Türkiye","code":"TR"},"currency":"TRY","importance":2,"is_speaking":true,"actual":null,"forecast":null,"previous":null,"unit":null,"time":"2026-03-19T12:00:00.500Z"}],"count":4}` + "\n"
	const figures = `{"data":{"calendar":{"items":[{"actual":2.50,"forecast":3.10,"previous":1e3},{"actual":-0.0,"forecast":null,"previous":12345678901234567890.123456789},` +
		`{"actual":null,"forecast":null,"previous":-7.12},{"actual":null,"forecast":null,"previous":null}]}}`
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		if res := a.Get("/v1/calendar?from=2026-03-18&to=2026-03-19", fixture.All); res.Text != want ||
			res.Header.Get("X-Usage-Units") != "1" {
			t.Errorf("got  %s\nwant %s", res.Text, want)
		}
		if res := a.Query(`{ calendar(from: "2026-03-18", to: "2026-03-19") { items { actual forecast previous } } }`,
			fixture.All); !strings.HasPrefix(res.Text, figures) {
			t.Errorf("got  %s\nwant %s", res.Text, figures)
		}
	})
}

// CAL-11, CAL-23, EV-03, EV-06, INF-04, INF-06, G-05: what is wrong with
// parameters.
func TestParametersOfTheEconomy(t *testing.T) {
	a := fixture.New(t)
	for path, kind := range map[string]string{
		"/v1/calendar?importance=0": "invalid-parameter", "/v1/calendar?importance=4": "invalid-parameter",
		"/v1/calendar?importance=x":   "invalid-parameter",
		"/v1/calendar?importance=1.5": "invalid-parameter", "/v1/calendar?importance=": "invalid-parameter",
		"/v1/calendar?importance=%2B1": "invalid-parameter", "/v1/calendar?importance=99999999999": "invalid-parameter",
		"/v1/calendar?event_id=x": "invalid-parameter", "/v1/calendar?event_id=": "invalid-parameter",
		"/v1/calendar?event_id=1e1":    "invalid-parameter",
		"/v1/calendar?from=18-03-2026": "invalid-parameter", "/v1/calendar?from=": "invalid-parameter",
		"/v1/calendar?to=2026-02-30": "invalid-parameter", "/v1/calendar?to=2026-03-18T00:00:00Z": "invalid-parameter",
		"/v1/calendar?from=2026-03-18&from=2026-03-19": "repeated-parameter",
		"/v1/calendar?importance=1&importance=1":       "repeated-parameter", "/v1/calendar?event_id=10&event_id=11": "repeated-parameter",
		"/v1/calendar?from=2026-03-10&to=2026-03-09&importance=x":   "invalid-parameter", // 422 before 400
		"/v1/calendar?from=2026-03-18&from=2026-03-19&importance=9": "invalid-parameter",
		"/v1/calendar?event_id=1&event_id=2&country=":               "invalid-parameter",
		"/v1/calendar/events?country=TR&country=US&importance=0":    "invalid-parameter",
		"/v1/calendar?from=2026-03-10&to=2026-03-09":                "inverted-window",
		"/v1/calendar?from=2026-03-01&to=2026-04-01":                "window-too-long",
		"/v1/calendar/events?country=TR&country=US":                 "repeated-parameter",
		"/v1/calendar/events?importance=x":                          "invalid-parameter",
		"/v1/calendar/events/x":                                     "invalid-parameter", "/v1/calendar/events/1.5": "invalid-parameter",
		"/v1/calendar/events/-1": "not-found", "/v1/calendar/events/+1": "invalid-parameter",
		"/v1/calendar/events/99": "not-found", "/v1/calendar/events/99999999999": "not-found",
		"/v1/calendar/events/9223372036854775808": "not-found",
		"/v1/inflation/yi-ufe?limit=x":            "invalid-parameter", "/v1/inflation/yi-ufe?limit=": "invalid-parameter",
		"/v1/inflation/yi-ufe?limit=601&to=2026-01": "invalid-parameter",
		"/v1/inflation/yi-ufe?from=2026-13":         "invalid-parameter", "/v1/inflation/yi-ufe?from=2026-1": "invalid-parameter",
		"/v1/inflation/yi-ufe?from=2026": "invalid-parameter", "/v1/inflation/yi-ufe?to=2026-01-01": "invalid-parameter",
		"/v1/inflation/yi-ufe?to=": "invalid-parameter", "/v1/inflation/yi-ufe?from=2026-03&to=2026-02": "inverted-window",
		"/v1/inflation/yi-ufe?from=2026-01&from=2026-01": "repeated-parameter",
		"/v1/inflation/tufe":                             "not-found", "/v1/indices/XFOO/constituents": "not-found",
		"/v1/calendar?foo=1": "", "/v1/calendar?country=TR&country=US&country=TR": "", "/v1/calendar?country=": "invalid-parameter",
		"/v1/calendar?country=TR&country=": "invalid-parameter", "/v1/calendar/events?country=": "",
		"/v1/calendar/events?country=TR,US": "invalid-parameter", "/v1/calendar?country=TR,,US": "invalid-parameter",
		"/v1/calendar/events?foo=1":    "",
		"/v1/calendar?event_id=999999": "", "/v1/calendar?event_id=99999999999": "", "/v1/calendar?event_id=-9223372036854775809": "",
		"/v1/calendar?country=T%C3%BCrkiye": "", "/v1/inflation/yi-ufe?foo=1": "", "/v1/indices?foo=1": "",
		"/v1/indices/XU100/constituents?foo=1": "",
	} {
		res := a.Get(path, fixture.All)
		switch kind {
		case "":
			if res.StatusCode != 200 {
				t.Errorf("%s: %d %s", path, res.StatusCode, res.Text)
			}
		case "invalid-parameter":
			t.Run(path, func(t *testing.T) { res.WantProblem(t, 422, kind) })
		case "not-found":
			t.Run(path, func(t *testing.T) { res.WantProblem(t, 404, kind) })
		default:
			t.Run(path, func(t *testing.T) { res.WantProblem(t, 400, kind) })
		}
		if kind != "" && res.Header.Get("X-Usage-Units") == "1" {
			t.Errorf("%s costs", path)
		}
	}
}

// CAL-17, CAL-19: a revision shows, at the same place, without its history.
func TestRevisionOfTheCalendar(t *testing.T) {
	a := fixture.New(t)
	put := func(actual macro.Number) {
		batch, out := new(db.Batch), new(db.Outcome)
		db.Put(batch, &macro.CalendarRecord{EventID: 11, Time: value.MustInstant("2026-03-19T07:00:00Z"), Actual: actual, Previous: "-7.12",
			Unit: "B"}, out)
		if err := a.Store.Store(t.Context(), batch); err != nil || out.Result != db.Stored {
			t.Fatal(err, out)
		}
	}
	for _, actual := range []macro.Number{"1.5", "1.50", ""} {
		put(actual)
		want := string(actual)
		if want == "" {
			want = "null"
		}
		res := a.Get("/v1/calendar?event_id=11", fixture.All)
		if !strings.Contains(res.Text, `"actual":`+want+`,"forecast":null,"previous":-7.12,"unit":"B","time":"2026-03-19T07:00:00Z"`) ||
			res.JSON["count"] != json.Number("1") {
			t.Errorf("%q: %s", actual, res.Text)
		}
	}
}
