package macro_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// shown are the event and the time of items.
func shown(items []*macro.CalendarItem) []string {
	list := []string{}
	for _, i := range items {
		list = append(list, fmt.Sprint(i.EventID, " ", i.Time))
	}
	return list
}

// V-81, V-82, V-85, CAL-24: bounds and what completes them.
func TestCalendarWindow(t *testing.T) {
	for _, c := range []struct {
		name, now, from, to string
		first, last         string
		kind                problem.Kind
	}{
		{name: "V-81", first: "2026-03-18", last: "2026-03-25"},
		{name: "V-82", now: "2026-03-18T21:30:00Z", first: "2026-03-19", last: "2026-03-26"},
		{name: "the last moment of a day", now: "2026-03-18T20:59:59.999Z", first: "2026-03-18", last: "2026-03-25"},
		{name: "the first moment of a day", now: "2026-03-18T21:00:00Z", first: "2026-03-19", last: "2026-03-26"},
		{name: "in summer, too", now: "2026-07-18T21:00:00Z", first: "2026-07-19", last: "2026-07-26"},
		{name: "from alone", from: "2026-03-01", first: "2026-03-01", last: "2026-03-08"},
		{name: "to alone", to: "2026-03-18", first: "2026-03-18", last: "2026-03-18"},
		{name: "to alone, before today", to: "2026-03-17", kind: problem.InvertedWindow},
		{name: "to alone, 31 days", to: "2026-04-17", first: "2026-03-18", last: "2026-04-17"},
		{name: "to alone, 32 days", to: "2026-04-18", kind: problem.WindowTooLong},
		{name: "V-85 31 days", from: "2026-03-01", to: "2026-03-31", first: "2026-03-01", last: "2026-03-31"},
		{name: "V-85 32 days", from: "2026-03-01", to: "2026-04-01", kind: problem.WindowTooLong},
		{name: "V-85 inverted", from: "2026-03-10", to: "2026-03-09", kind: problem.InvertedWindow},
		{name: "31 days over a leap day", from: "2024-02-15", to: "2024-03-16", first: "2024-02-15", last: "2024-03-16"},
		{name: "the last day there is", from: "9999-12-31", first: "9999-12-31", last: "9999-12-31"},
		{name: "near the last day there is", from: "9999-12-30", first: "9999-12-30", last: "9999-12-31"},
		{name: "the first", from: "0001-01-02", first: "0001-01-02", last: "0001-01-09"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEconomy()
			if c.now != "" {
				e.now = value.MustInstant(c.now)
			}
			ctx := calls.Caller(access.CalendarRead)
			call := access.CallOf(ctx)
			got, err := e.Calendar(ctx, macro.EventFilter{}, day(c.from), day(c.to))
			if c.kind != "" {
				p := calls.WantProblem(t, err, c.kind)
				if limit := p.Members.Limit; (limit != nil) != (c.kind == problem.WindowTooLong) || (limit != nil && *limit != 31) {
					t.Errorf("limit %v", limit)
				}
				if call.Units() != 0 || len(e.asked) != 0 {
					t.Errorf("a refusal cost %d units and %d reads", call.Units(), len(e.asked))
				}
				return
			}
			need.NoError(t, err)
			if got.FromDate.String() != c.first || got.ToDate.String() != c.last || got.Items == nil || got.Count != 0 ||
				call.Units() != 1 {
				t.Errorf("%s to %s, %v, count %d, %d units", got.FromDate, got.ToDate, got.Items, got.Count, call.Units())
			}
		})
	}
}

// V-83, V-84: a Turkey-time day ends at 21:00 UTC in every season.
func TestCalendarDays(t *testing.T) {
	for _, d := range []string{"2026-03-20", "2026-07-01", "2026-01-01", "2026-03-29", "2026-10-25"} {
		eve := value.MustDate(d).AddDays(-1).String()
		e := newEconomy().at(10, d+"T21:00:00Z", d+"T20:59:59.999Z", d+"T20:59:59Z", eve+"T21:00:00Z", eve+"T20:59:59.999Z", eve+
			"T20:59:00Z")
		got, err := e.Calendar(reader(), macro.EventFilter{}, day(d), day(d))
		need.NoError(t, err)
		want := []string{"10 " + eve + "T21:00:00Z", "10 " + d + "T20:59:59Z", "10 " + d + "T20:59:59.999Z"}
		if !slices.Equal(shown(got.Items), want) || got.Count != 3 {
			t.Errorf("%s: %v, count %d, want %v", d, shown(got.Items), got.Count, want)
		}
	}
}

// CAL-08 to CAL-13: filters, and the order.
func TestCalendarFilters(t *testing.T) {
	const early, late = "2026-03-17T21:30:00Z", "2026-03-19T07:00:00Z"
	e := newEconomy().at(13, late).at(12, late).at(11, late, early).at(10, late, early).at(99, late) // 99 is defined by nothing
	for _, c := range []struct {
		name   string
		filter macro.EventFilter
		want   string
	}{
		{"all", macro.EventFilter{}, "10e 11e 10l 11l 12l 13l"},
		{"a country", macro.EventFilter{Countries: []string{"tr"}}, "10e 10l 12l"},
		{"two countries", macro.EventFilter{Countries: []string{"tr", "De"}}, "10e 10l 12l 13l"},
		{"one twice", macro.EventFilter{Countries: []string{"US", "us"}}, "11e 11l"},
		{"a name", macro.EventFilter{Countries: []string{"Turkey"}}, ""},
		{"a country of nothing", macro.EventFilter{Countries: []string{"ZZ"}}, ""},
		{"one of them of nothing", macro.EventFilter{Countries: []string{"ZZ", "DE"}}, "13l"},
		{"letters that only look like ASCII", macro.EventFilter{Countries: []string{"uſ"}}, ""},
		{"no country", macro.EventFilter{Countries: []string{}}, "10e 11e 10l 11l 12l 13l"},
		{"importance 1", macro.EventFilter{Importance: new(1)}, "10e 11e 10l 11l 12l 13l"},
		{"importance 2", macro.EventFilter{Importance: new(2)}, "10e 10l 12l 13l"},
		{"importance 3", macro.EventFilter{Importance: new(3)}, "10e 10l"},
		{"an event", macro.EventFilter{EventID: new(11)}, "11e 11l"},
		{"an unknown event", macro.EventFilter{EventID: new(999999)}, ""},
		{"an event without a definition", macro.EventFilter{EventID: new(99)}, ""},
		{"together", macro.EventFilter{Countries: []string{"TR"}, Importance: new(3), EventID: new(12)}, ""},
	} {
		got, err := e.Calendar(reader(), c.filter, nil, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		words := []string{}
		for _, i := range got.Items {
			words = append(words, fmt.Sprint(i.EventID, map[string]string{early: "e", late: "l"}[i.Time.String()]))
		}
		if strings.Join(words, " ") != c.want || got.Count != len(got.Items) || got.Items == nil {
			t.Errorf("%s: %v, count %d, want %s", c.name, words, got.Count, c.want)
		}
	}
	for _, importance := range []int{-1, 0, 4} {
		_, err := e.Calendar(reader(), macro.EventFilter{Importance: &importance}, day("2026-03-02"), day("2026-03-01"))
		calls.WantProblem(t, err, problem.InvalidParameter) // before the inverted window
		_, err = e.CalendarEvents(reader(), macro.EventFilter{Importance: &importance})
		calls.WantProblem(t, err, problem.InvalidParameter)
	}
}

// CAL-15 to CAL-18, G-56: the whole item; a speech has no figures even if its
// source states some, and an empty unit is null.
func TestCalendarItem(t *testing.T) {
	e := newEconomy()
	e.records = []*macro.CalendarRecord{
		{EventID: 10, Time: value.MustInstant("2026-03-18T07:00:00Z"), Actual: "2.50", Forecast: "3.10", Previous: "-0.0", Unit: "%"},
		{EventID: 11, Time: value.MustInstant("2026-03-18T08:00:00.500Z"), Previous: "12345678901234567890.123456789"},
		{EventID: 12, Time: value.MustInstant("2026-03-18T09:00:00Z"), Actual: "1", Forecast: "2", Previous: "3", Unit: "%"},
	}
	got, err := e.Calendar(reader(), macro.EventFilter{}, nil, nil)
	need.NoError(t, err)
	text, err := json.Marshal(got)
	const want = `{"from_date":"2026-03-18","to_date":"2026-03-25","items":[` +
		`{"event_id":10,"name":"Olay","country":{"name":"Ülke","code":"TR"},"currency":"TRY","importance":3,"is_speaking":false,"actual":2.50,"forecast":3.10,"previous":-0.0,"unit":"%","time":"2026-03-18T07:00:00Z"},` +
		`{"event_id":11,"name":"Olay","country":{"name":"Ülke","code":"US"},"currency":"TRY","importance":1,"is_speaking":false,"actual":null,"forecast":null,"previous":12345678901234567890.123456789,"unit":null,"time":"2026-03-18T08:00:00.500Z"},` +
		`{"event_id":12,"name":"Olay","country":{"name":"Ülke","code":"TR"},"currency":"TRY","importance":2,"is_speaking":true,"actual":null,"forecast":null,"previous":null,"unit":null,"time":"2026-03-18T09:00:00Z"}],"count":3}`
	if err != nil || string(text) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
	if e.EventOf(got.Items[1]).EventID != 11 {
		t.Error("the item's event is another one")
	}
}

// Occurrences of many events are one read; each event has its own window's
// first ones and costs one unit.
func TestItemsOf(t *testing.T) {
	e := newEconomy().at(10, "2026-03-18T07:00:00Z", "2026-03-17T21:00:00Z", "2026-03-25T20:59:59Z", "2026-03-25T21:00:00Z").at(12,
		"2026-03-19T07:00:00Z").at(13, "2026-03-19T07:00:00Z")
	ten, eleven, twelve := event(10, "TR", 3), event(11, "US", 1), event(12, "TR", 2)
	parents := []*macro.CalendarEvent{twelve, ten, eleven}
	ctx := calls.Caller(access.CalendarRead)
	call := access.CallOf(ctx)
	lists, errs := e.ItemsOf(ctx, parents, macro.ItemsArgs{})
	var got [][]string
	for i := range parents {
		if errs[i] != nil || lists[i] == nil {
			t.Fatalf("%d: %v, %v", i, lists[i], errs[i])
		}
		got = append(got, shown(lists[i]))
	}
	want := [][]string{{"12 2026-03-19T07:00:00Z"}, {"10 2026-03-17T21:00:00Z", "10 2026-03-18T07:00:00Z", "10 2026-03-25T20:59:59Z"}, {}}
	if !reflect.DeepEqual(got, want) || call.Units() != 3 || !reflect.DeepEqual(e.asked, [][]int{{12, 10, 11}}) {
		t.Errorf("got %v, %d units, reads %v", got, call.Units(), e.asked)
	}
	lists, errs = e.ItemsOf(reader(), parents, macro.ItemsArgs{From: day("2026-03-18"), To: day("2026-03-18"), First: new(1)})
	if errs[1] != nil || !slices.Equal(shown(lists[1]), []string{"10 2026-03-17T21:00:00Z"}) || len(lists[0]) != 0 {
		t.Errorf("first: %v, %v", lists, errs)
	}
	for _, c := range []struct {
		scopes []access.Scope
		args   macro.ItemsArgs
		kind   problem.Kind
	}{
		{nil, macro.ItemsArgs{First: new(0)}, problem.MissingScope},
		{[]access.Scope{access.CalendarRead}, macro.ItemsArgs{First: new(0)}, problem.InvalidParameter},
		{[]access.Scope{access.CalendarRead}, macro.ItemsArgs{First: new(101)}, problem.InvalidParameter},
		{[]access.Scope{access.CalendarRead}, macro.ItemsArgs{To: day("2026-03-17")}, problem.InvertedWindow},
		{[]access.Scope{access.CalendarRead}, macro.ItemsArgs{To: day("2026-05-17")}, problem.WindowTooLong},
	} {
		ctx := calls.Caller(c.scopes...)
		call := access.CallOf(ctx)
		lists, errs := e.ItemsOf(ctx, parents, c.args)
		for i := range parents {
			if calls.WantProblem(t, errs[i], c.kind); lists[i] != nil {
				t.Errorf("%s with a list", c.kind)
			}
		}
		if call.Units() != 0 {
			t.Errorf("%s costs %d", c.kind, call.Units())
		}
	}
}

// CAL-22, EV-07, INF-11: calendar:read and nothing else.
func TestScopeOfTheEconomy(t *testing.T) {
	e := newEconomy()
	for name, ask := range map[string]func(context.Context) error{
		"calendar":  func(ctx context.Context) error { _, err := e.Calendar(ctx, macro.EventFilter{}, nil, nil); return err },
		"events":    func(ctx context.Context) error { _, err := e.CalendarEvents(ctx, macro.EventFilter{}); return err },
		"event":     func(ctx context.Context) error { _, err := e.CalendarEvent(ctx, 10); return err },
		"inflation": func(ctx context.Context) error { _, err := e.ProducerPriceIndex(ctx, nil, nil, nil); return err },
	} {
		if err := ask(reader()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		ctx := calls.Caller(slices.DeleteFunc(slices.Clone(access.Scopes), func(s access.Scope) bool {
			return s == access.CalendarRead
		})...)
		call := access.CallOf(ctx)
		p := calls.WantProblem(t, ask(ctx), problem.MissingScope)
		if !slices.Equal(p.Members.MissingScopes, []string{"calendar:read"}) || call.Units() != 0 {
			t.Errorf("%s: %v, %d units", name, p.Members.MissingScopes, call.Units())
		}
		calls.WantProblem(t, ask(context.Background()), problem.Unauthenticated)
	}
}

// The answer is that of a slow look at every record.
func TestAnyCalendar(t *testing.T) {
	definitions := map[int]*macro.CalendarEvent{10: event(10, "TR", 3), 11: event(11, "US", 1), 12: event(12, "TR", 2),
		13: event(13, "DE", 2)}
	rapid.Check(t, func(t *rapid.T) {
		e := newEconomy()
		for range rapid.IntRange(0, 20).Draw(t, "records") {
			at := now.Add(time.Duration(rapid.IntRange(-72, 240).Draw(t, "hours")) * time.Hour)
			e.at(rapid.IntRange(10, 14).Draw(t, "event"), at.String())
		}
		filter := macro.EventFilter{
			Countries:  rapid.SliceOfN(rapid.SampledFrom([]string{"TR", "us", "De", "ZZ"}), 0, 2).Draw(t, "countries"),
			Importance: rapid.Ptr(rapid.IntRange(1, 3), true).Draw(t, "importance"),
			EventID:    rapid.Ptr(rapid.IntRange(10, 14), true).Draw(t, "event_id"),
		}
		from := value.MustDate("2026-03-16").AddDays(rapid.IntRange(0, 10).Draw(t, "from"))
		to := from.AddDays(rapid.IntRange(0, 30).Draw(t, "days"))
		got, err := e.Calendar(reader(), filter, &from, &to)
		need.NoError(t, err)
		n := 0
		for _, r := range e.records {
			d, on := definitions[r.EventID], value.TurkeyDay(r.Time)
			if d == nil || on.Before(from) || to.Before(on) || (filter.EventID != nil && *filter.EventID != r.EventID) ||
				(filter.Importance != nil && d.Importance < *filter.Importance) ||
				(len(filter.Countries) > 0 && !slices.Contains(strings.Split(strings.ToUpper(strings.Join(filter.Countries, ",")), ","),
					d.Country.Code)) {
				continue
			}
			n++
			if !slices.Contains(shown(got.Items), fmt.Sprint(r.EventID, " ", r.Time)) {
				t.Fatalf("%d %s is missing", r.EventID, r.Time)
			}
		}
		if got.Count != n || len(got.Items) != n {
			t.Fatalf("%d items, want %d", got.Count, n)
		}
	})
}

// The problem names the bounds that are defaults.
func TestCalendarSaysItsDefaults(t *testing.T) {
	ctx := calls.Caller(access.CalendarRead)
	for _, c := range []struct{ from, to, want string }{
		{"", "2026-03-17", "from, 2026-03-18, must not be after to, 2026-03-17. from defaults to today."},
		{"2026-03-10", "2026-03-09", "from, 2026-03-10, must not be after to, 2026-03-09."},
		{"", "2026-04-18", "A calendar range has at most 31 days, both ends included; 2026-03-18 to 2026-04-18 is longer. " +
			"from defaults to today."},
	} {
		_, err := newEconomy().Calendar(ctx, macro.EventFilter{}, day(c.from), day(c.to))
		if err == nil || problem.From(err).Detail != c.want {
			t.Errorf("%s..%s: %v, want %s", c.from, c.to, err, c.want)
		}
	}
}
