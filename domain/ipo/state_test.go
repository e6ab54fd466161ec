package ipo_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/ipo"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// V-131, IPO-01: the state is that of the Turkey-time day.
func TestState(t *testing.T) {
	for _, c := range []struct {
		name                   string
		start, end, firstTrade string
		now                    string
		want                   ipo.State
	}{
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T20:59:59Z", ipo.Upcoming},
		{"V-131 to the millisecond", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T20:59:59.999Z", ipo.Upcoming},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T21:00:00Z", ipo.Active},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-24T20:59:59Z", ipo.Active},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-24T21:00:00Z", ipo.Completed},
		{"between the end and the first trade", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-21T12:00:00Z", ipo.Active},
		{"nothing is known", "", "", "", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"no first trade", "2026-03-17", "2026-03-19", "", "2030-01-01T12:00:00Z", ipo.Active},
		{"the first trade alone, to come", "", "", "2026-03-25", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"the first trade alone", "", "", "2026-03-25", "2026-03-25T12:00:00Z", ipo.Completed},
		{"trades before its demand", "2026-03-20", "2026-03-21", "2026-03-17", "2026-03-18T12:00:00Z", ipo.Completed},
		{"the end alone, to come", "", "2026-03-19", "", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"the end alone, reached", "", "2026-03-18", "", "2026-03-18T12:00:00Z", ipo.Active},
	} {
		x := newFixture(recordOf("a", c.start, c.end, c.firstTrade))
		x.now = value.MustInstant(c.now)
		list, err := x.Ipos(calls.Anyone(), ipo.Filter{})
		if err != nil || len(list.Ipos) != 1 || list.Ipos[0].State != c.want {
			t.Errorf("%s at %s: %+v, %v; want %s", c.name, c.now, list, err, c.want)
		}
		if one, err := x.Ipo(calls.Anyone(), "a"); err != nil || one.State != c.want {
			t.Errorf("%s at %s: the detail is %s, %v", c.name, c.now, one.State, err)
		}
		for _, state := range []ipo.State{ipo.Upcoming, ipo.Active, ipo.Completed, ipo.All} {
			list, err := x.Ipos(calls.Anyone(), ipo.Filter{State: &state})
			if fits := state == c.want || state == ipo.All; err != nil || len(list.Ipos) == 1 != fits || list.Total != len(list.Ipos) ||
				list.Ipos == nil {
				t.Errorf("%s at %s, state=%s: %+v, %v", c.name, c.now, state, list, err)
			}
		}
	}
	for _, text := range []string{"", "Active", "traded", "active "} {
		if _, err := value.Word[ipo.State](text); err == nil {
			t.Errorf("%q is a state", text)
		}
	}
}

// Every IPO has exactly one state, and states only move on with time.
func TestAnyState(t *testing.T) {
	order := []ipo.State{ipo.Upcoming, ipo.Active, ipo.Completed}
	rapid.Check(t, func(t *rapid.T) {
		date := func(label string) string {
			if !rapid.Bool().Draw(t, label+" stated") {
				return ""
			}
			return value.MustDate("2026-03-10").AddDays(rapid.IntRange(0, 20).Draw(t, label)).String()
		}
		x, reached := newFixture(recordOf("a", date("start"), date("end"), date("first trade"))), 0
		x.now = value.MustInstant("2026-03-08T12:00:00Z")
		for range 28 {
			n, at := 0, 0
			for i, state := range order {
				if list, err := x.Ipos(calls.Anyone(), ipo.Filter{State: &state}); err != nil {
					t.Fatal(err)
				} else if list.Total == 1 {
					n, at = n+1, i
				}
			}
			if n != 1 || at < reached {
				t.Fatalf("%d states at %s, %s after %s", n, x.now, order[at], order[reached])
			}
			reached, x.now = at, x.now.Add(24*time.Hour)
		}
	})
}
