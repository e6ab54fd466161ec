package ipo_test

import (
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

// IPO-06, IPO-08, G-84: while the source is down the copy says that it is
// stale; without a copy there is nothing to say; up again, all is as before.
func TestStaleIPOs(t *testing.T) {
	full, empty := newFixture(recordOf("a", "", "", "")), newFixture()
	stale := func() [2]bool {
		list, err := full.Ipos(calls.Anyone(), ipo.Filter{State: new(ipo.Completed)}) // of nothing, and stale all the same
		if err != nil || list.IsStale() != list.Stale {
			t.Fatal(list, err)
		}
		one, err := full.Ipo(calls.Anyone(), "a")
		if err != nil || one.IsStale() != one.Stale {
			t.Fatal(one, err)
		}
		return [2]bool{list.Stale, one.Stale}
	}
	if got := stale(); got != [2]bool{} {
		t.Errorf("before any word: %v", got)
	}
	for range 2 {
		full.source(false)
		empty.source(false)
		if got := stale(); got != [2]bool{true, true} {
			t.Errorf("down: %v", got)
		}
		calls.WantProblem(t, second(full.Ipo(calls.Anyone(), "nope")), problem.NotFound)
		calls.WantProblem(t, second(empty.Ipos(calls.Anyone(), ipo.Filter{})), problem.SourceUnavailable)
		calls.WantProblem(t, second(empty.Ipo(calls.Anyone(), "a")), problem.SourceUnavailable)
		calls.WantProblem(t, second(empty.Ipos(calls.Caller(), ipo.Filter{})), problem.MissingScope)
		calls.WantProblem(t, second(empty.Ipos(calls.Anyone(), ipo.Filter{From: day("2026-03-02"), To: day("2026-03-01")})),
			problem.InvertedWindow)
		full.source(true)
		empty.source(true)
		if got := stale(); got != [2]bool{} {
			t.Errorf("up again: %v", got)
		}
		if list, err := empty.Ipos(calls.Anyone(), ipo.Filter{}); err != nil || list.Count != 0 || list.Ipos == nil || !list.AsOf.IsNull() {
			t.Errorf("of nothing: %+v, %v", list, err)
		}
		calls.WantProblem(t, second(empty.Ipo(calls.Anyone(), "a")), problem.NotFound)
	}
	full.source(false)
	full.Live.PutSources(nil) // the store went back to before any word
	full.Live.PutSources([]*market.SourceStatus{{Source: "kap"}, {Source: "IPO"}})
	if got := stale(); got != [2]bool{} {
		t.Errorf("other sources are down: %v", got)
	}
}
