package ingest_test

import (
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/internal/value"
)

// occurrence returns a line about event 10 with these members besides.
func occurrence(time, members string) string {
	return `{"record":"calendar_item","event_id":10,"time":"` + time + `"` + members + `}`
}

// CAL-20, G-56: figures are stored digit for digit on either store, and what
// differs in a digit differs.
func TestFiguresOfTheCalendar(t *testing.T) {
	at, later := value.MustInstant("2026-03-18T07:00:00Z"), value.MustInstant("2026-03-19T07:00:00Z")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for i, figure := range []string{"0", "2.50", "2.5", "1000", "0.0000001", "12345678901234567890.123456789",
			"0.1000000000000000055511151231257827", strings.Repeat("9", 100), "-9007199254740993"} {
			line := occurrence(at.String(), `,"actual":`+figure+`,"forecast": `+figure+` ,"previous":`+figure+`,"unit":""`)
			run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Stored: 1})
			run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Unchanged: 1})
			found, err := s.CalendarRecords(t.Context(), at, later, []int{10})
			if err != nil || len(found) != 1 {
				t.Fatalf("%d: %v, %v", i, found, err)
			}
			if r := found[0]; string(r.Actual) != figure || string(r.Forecast) != figure || string(r.Previous) != figure || r.Unit != "" {
				t.Errorf("%s came back as %+v", figure, r)
			}
		}
		run(t, s, strings.NewReader(occurrence(at.String(), `,"actual":null`))).counts(t, ingest.Counts{Read: 1, Stored: 1})
		run(t, s, strings.NewReader(occurrence(at.String(), ""))).counts(t, ingest.Counts{Read: 1, Unchanged: 1}) // null is left out
	})
}

// What is no number of JSON's is refused, and so is a date of another age.
func TestCalendarThatCannotBe(t *testing.T) {
	event := func(code, currency string) string {
		return `{"record":"calendar_event","event_id":1,"name":"x","country":{"name":"x","code":"` + code + `"},"currency":"` + currency +
			`","importance":1,"is_speaking":false}`
	}
	refusals := []refusal{
		{"a figure as text", occurrence(t1, `,"actual":"2.50"`), "actual", `must be a JSON number; got "2.50"`},
		{"a figure that is true", occurrence(t1, `,"forecast":true`), "forecast", "must be a JSON number; got true"},
		{"figures in a list", occurrence(t1, `,"previous":[1]`), "previous", "must be a JSON number; got [1]"},
		{"a unit that is a number", occurrence(t1, `,"unit":1`), "unit", "a JSON string"},
		{"before all ages", occurrence("1799-12-31T23:59:59Z", ""), "time", "must be from 1800-01-01T00:00:00Z to 2199-12-31T23:59:59Z"},
		{"after all ages", occurrence("2200-01-01T00:00:00Z", ""), "time", "must be from 1800"},
		{"a country in small letters", event("tr", "TRY"), "country.code", "two capital letters such as TR"},
		{"a country of three letters", event("TUR", "TRY"), "country.code", "two capital letters such as TR"},
		{"a currency that is none", event("TR", "TL"), "currency", `such as TRY; got "TL"`},
	}
	for _, number := range []string{"01", "+1", "-", ".5", "1.", "1e", "1e+", "0x10", "1_000", "1,5", "NaN", "Infinity", "-Infinity",
		"--1", "1.5.1"} {
		refusals = append(refusals, refusal{"the figure " + number, occurrence(t1, `,"actual":`+number), "", "not one valid JSON object"})
	}
	for _, number := range []string{"1e1000000000", "1e3", "1E-7", "-0", "-0.0", "-0e5", strings.Repeat("9", 101)} {
		refusals = append(refusals, refusal{"the figure " + number, occurrence(t1, `,"forecast":`+number), "forecast",
			"without an exponent, not -0"})
	}
	refuse(t, refusals)
}

// Items before their event, events again, points that were skipped.
func TestCalendarAgain(t *testing.T) {
	const event = `{"record":"calendar_event","event_id":10,"name":"TÜFE","country":{"name":"Türkiye","code":"TR"},"currency":"TRY","importance":3,"is_speaking":false}`
	input := strings.Join([]string{
		occurrence(t1, `,"forecast":3.10`), occurrence(t1, `,"forecast":3.10,"actual":2.50`), occurrence(t2, ""),
		occurrence(t1, `,"actual":2.50,"forecast":3.10`), event, event,
		`{"record":"inflation_point","series_id":"YI_UFE","month":"2025-07"}`,
		`{"record":"inflation_point","series_id":"YI_UFE","month":"2025-07","value":null}`,
		`{"record":"inflation_point","series_id":"YI_UFE","month":"2025-08","value":"4400.10"}`,
	}, "\n")
	again := strings.Join(lines(input)[1:], "\n") // the revision, not what it replaced
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := run(t, s, strings.NewReader(input))
		r.counts(t, ingest.Counts{Read: 9, Stored: 6, Unchanged: 3})
		for kind, want := range map[string]ingest.Counts{
			"calendar_item": {Read: 4, Stored: 3, Unchanged: 1}, "calendar_event": {Read: 2, Stored: 1, Unchanged: 1},
			"inflation_point": {Read: 3, Stored: 2, Unchanged: 1},
		} {
			if got := *r.Kinds[kind]; got != want {
				t.Errorf("%s: %+v, want %+v", kind, got, want)
			}
		}
		run(t, s, strings.NewReader(again)).counts(t, ingest.Counts{Read: 8, Unchanged: 8})
	})
}
