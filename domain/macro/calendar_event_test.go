package macro_test

import (
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/internal/problem"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// EV-01 to EV-06.
func TestCalendarEvents(t *testing.T) {
	e := newEconomy()
	for _, c := range []struct {
		name   string
		filter macro.EventFilter
		want   []int
	}{
		{"all", macro.EventFilter{}, []int{10, 11, 12, 13}},
		{"a country", macro.EventFilter{Countries: []string{"tr"}}, []int{10, 12}},
		{"a minimum", macro.EventFilter{Importance: new(2)}, []int{10, 12, 13}},
		{"together", macro.EventFilter{Countries: []string{"TR"}, Importance: new(3)}, []int{10}},
		{"nothing", macro.EventFilter{Countries: []string{"ZZ"}}, []int{}},
	} {
		ctx := calls.Caller(access.CalendarRead)
		call := access.CallOf(ctx)
		list, err := e.CalendarEvents(ctx, c.filter)
		if err != nil {
			t.Fatal(c.name, err)
		}
		ids := []int{}
		for _, event := range list.Items {
			ids = append(ids, event.EventID)
		}
		if !slices.Equal(ids, c.want) || list.Count != len(c.want) || list.Items == nil || call.Units() != 1 {
			t.Errorf("%s: %v, count %d, %d units", c.name, ids, list.Count, call.Units())
		}
	}
	ctx := calls.Caller(access.CalendarRead)
	call := access.CallOf(ctx)
	one, err := e.CalendarEvent(ctx, 13)
	if err != nil || one.Country.Code != "DE" || call.Units() != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	for _, id := range []int{0, -1, 999999} {
		_, err := e.CalendarEvent(reader(), id)
		calls.WantProblem(t, err, problem.NotFound)
	}
}

func TestCalendarEventValidate(t *testing.T) {
	for code, wrong := range map[string]bool{"TR": false, "EU": false, "tr": true, "T": true, "TUR": true, "": true, "T1": true,
		"İT": true} {
		e := event(1, code, 1)
		e.Currency = "TRY"
		if err := e.Validate(); (err != nil) != wrong || (valuetest.InvalidMember(t, err) == "country.code") != wrong {
			t.Errorf("%q: %v", code, err)
		}
	}
}

// An event is shown once it is defined, and as it is defined now.
func TestLateDefinitions(t *testing.T) {
	e := newEconomy().at(99, "2026-03-18T10:00:00Z")
	count := func() int {
		got, err := e.Calendar(reader(), macro.EventFilter{}, nil, nil)
		need.NoError(t, err)
		return got.Count
	}
	if n := count(); n != 0 {
		t.Errorf("%d items before", n)
	}
	e.Live.PutEvents([]*macro.CalendarEvent{event(99, "TR", 1)})
	if n := count(); n != 1 {
		t.Errorf("%d items after", n)
	}
}
