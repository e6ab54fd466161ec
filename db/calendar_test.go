package db_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// numbers are JSON numbers in every spelling, or null.
var numbers = rapid.OneOf(
	rapid.Just(macro.Number("")),
	rapid.Custom(func(t *rapid.T) macro.Number {
		return macro.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
	}),
)

func occurrence(event int, at string, actual macro.Number) *macro.CalendarRecord {
	return &macro.CalendarRecord{EventID: event, Time: value.MustInstant(at), Actual: actual}
}

func calendar(t rapid.TB, s *db.Store, first, last string, ids []int) []*macro.CalendarRecord {
	t.Helper()
	return must[[]*macro.CalendarRecord](t)(s.CalendarRecords(background, value.MustInstant(first), value.MustInstant(last), ids))
}

// CAL-20, G-56: figures come back digit for digit.
func TestCalendarItemsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		for i, text := range []macro.Number{"2.50", "1e3", "1E+3", "-0.0", "-0", "12345678901234567890.123456789", "1e999",
			"0.30000000000000004", "0"} {
			r := occurrence(-1-i, "2026-03-18T07:00:00Z", text)
			want(t, put(t, s, r), db.Stored)
			same(t, "item", calendar(t, s, "2026-03-18T07:00:00Z", "2026-03-18T07:00:00Z", []int{r.EventID}), []*macro.CalendarRecord{r})
		}
		rapid.Check(t, func(t *rapid.T) {
			round++
			r := &macro.CalendarRecord{
				EventID: round, Time: instants.Draw(t, "time"), Actual: numbers.Draw(t, "actual"), Forecast: numbers.Draw(t, "forecast"),
				Previous: numbers.Draw(t, "previous"),
				Unit:     rapid.OneOf(rapid.Just(""), texts).Draw(t, "unit"),
			}
			want(t, put(t, s, r), db.Stored)
			same(t, "items", calendar(t, s, r.Time.String(), r.Time.String(), []int{round}), []*macro.CalendarRecord{r})
			want(t, put(t, s, r), db.Unchanged)
		})
	})
}

// CAL-17, CAL-19: a release and its revisions replace; what differs in a digit
// differs. Other times and other events are records of their own.
func TestCalendarItemsReplace(t *testing.T) {
	const at, later = "2026-03-18T07:00:00Z", "2026-03-18T07:00:00.001Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		before := heads(t, s)[db.FeedCalendar]
		want(t, put(t, s, occurrence(10, at, ""), occurrence(10, later, "1"), occurrence(11, at, "1"), occurrence(10, at, "")), db.Stored,
			db.Stored, db.Stored, db.Unchanged)
		want(t, put(t, s, occurrence(10, at, "2.5"), occurrence(10, at, "2.50"), occurrence(10, at, "2.50")), db.Stored, db.Stored,
			db.Unchanged)
		want(t, put(t, s, occurrence(10, at, "2.50"), occurrence(11, at, "")), db.Unchanged, db.Stored) // a figure may be taken back
		want(t, put(t, s, occurrence(10, at, "2.50"), occurrence(10, later, "1")), db.Unchanged, db.Unchanged)
		want(t, put(t, s, occurrence(10, later, "1"), occurrence(10, at, "2.50")), db.Unchanged, db.Unchanged) // in any order
		same(t, "items", calendar(t, s, at, later, nil),
			[]*macro.CalendarRecord{occurrence(10, at, "2.50"), occurrence(11, at, ""), occurrence(10, later, "1")})
		same(t, "head", heads(t, s)[db.FeedCalendar], before+5)
	})
}

func TestCalendarEventsReplace(t *testing.T) {
	event := func(id, importance int) *macro.CalendarEvent {
		return &macro.CalendarEvent{EventID: id, Name: "TÜFE <Yıllık>", Country: macro.Country{Name: "Türkiye", Code: "TR"},
			Currency: "TRY", Importance: importance, IsSpeaking: id%2 == 0}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, event(2147483647, 3), event(10, 1), event(10, 1), event(10, 2)), db.Stored, db.Stored, db.Unchanged, db.Stored)
		want(t, put(t, s, event(10, 2), event(10, 3)), db.Unchanged, db.Stored)
		found := must[[]*macro.CalendarEvent](t)(s.CalendarEvents(background))
		slices.SortFunc(found, func(a, b *macro.CalendarEvent) int { return cmp.Compare(a.EventID, b.EventID) })
		same(t, "events", found, []*macro.CalendarEvent{event(10, 3), event(2147483647, 3)})
	})
}

// Any window of any events is what a slow look finds, in order, with one
// statement.
func TestAnyCalendarWindow(t *testing.T) {
	moments := []string{"2026-03-17T20:59:59.999Z", "2026-03-17T21:00:00Z", "2026-03-18T07:00:00Z", "2026-03-18T20:59:59.999Z",
		"2026-03-18T21:00:00Z"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all := open(t, url), map[string]*macro.CalendarRecord{}
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(0, 3).Draw(t, "new") {
				r := occurrence(rapid.IntRange(1, 4).Draw(t, "event"), rapid.SampledFrom(moments).Draw(t, "time"),
					numbers.Draw(t, "actual"))
				all[string(rune('0'+r.EventID))+r.Time.String()] = r
				put(t, s, r)
			}
			first, last := rapid.SampledFrom(moments).Draw(t, "first"), rapid.SampledFrom(moments).Draw(t, "last")
			var ids []int
			if rapid.Bool().Draw(t, "some") {
				ids = rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 0, 5, rapid.ID).Draw(t, "ids")
			}
			expected := []*macro.CalendarRecord{}
			for _, r := range all {
				if !r.Time.Before(value.MustInstant(first)) && !r.Time.After(value.MustInstant(last)) &&
					(ids == nil || slices.Contains(ids, r.EventID)) {
					expected = append(expected, r)
				}
			}
			slices.SortFunc(expected, func(a, b *macro.CalendarRecord) int {
				return cmp.Or(a.Time.Time().Compare(b.Time.Time()), cmp.Compare(a.EventID, b.EventID))
			})
			statements := 0
			got, err := s.Watched(func(string) { statements++ }).CalendarRecords(background, value.MustInstant(first),
				value.MustInstant(last), ids)
			if err != nil || statements > 1 || len(got) != len(expected) {
				t.Fatalf("%s, %v, %d statements, want %s", encoded(got), err, statements, encoded(expected))
			}
			if len(got) > 0 {
				same(t, "items", got, expected)
			}
		})
	})
}
