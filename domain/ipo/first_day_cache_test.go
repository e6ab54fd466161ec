package ipo_test

import (
	"errors"
	"sync"
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/test/fixture/calls"
)

// First days are read once for all offerings, and again when the bars of one of
// their shares change, or the offerings do.
func TestFirstDaysAreKept(t *testing.T) {
	kept := &tape{days: map[market.ID][]string{}}
	x := listed(kept, "AAA BBB CCC", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")),
		of("BBB", recordOf("b", "2026-03-02", "2026-03-05", "")), of("CCC", recordOf("c", "", "", "2026-03-06")))
	states := func(want string) {
		t.Helper()
		list, err := x.Ipos(calls.Anyone(), ipo.Filter{State: new(ipo.Completed)})
		if err != nil || ids(list) != want {
			t.Errorf("completed: %s, %v; want %s", ids(list), err, want)
		}
	}
	reads := func(want int) {
		t.Helper()
		if len(kept.reads) != want {
			t.Errorf("%d reads, want %d: %v", len(kept.reads), want, kept.reads)
		}
	}
	states("c")
	states("c")
	reads(1)
	if len(kept.reads[0]) != 2 {
		t.Errorf("read %v", kept.reads[0])
	}
	kept.days["bist:AAA"] = []string{"2026-03-10"}
	x.Live.DailyBarsChanged([]string{"bist:CCC", "bist:OTHER", "XU100", "crypto:1"})
	states("c")
	reads(1)
	x.Live.DailyBarsChanged([]string{"bist:AAA"})
	states("a c")
	states("a c")
	reads(2)
	if len(kept.reads[1]) != 1 || kept.reads[1][0].Share != "bist:AAA" {
		t.Errorf("read %v", kept.reads[1])
	}
	kept.days["bist:AAA"] = nil // withdrawn
	x.Live.DailyBarsChanged([]string{"bist:AAA"})
	states("c")
	reads(3)
	x.Live.PutRecords([]*ipo.Record{of("BBB", recordOf("b", "2026-02-02", "2026-02-05", ""))})
	states("c")
	reads(4)
	// What changes while it is read is not kept.
	kept.while = func() { x.Live.DailyBarsChanged([]string{"bist:BBB"}) }
	x.Live.DailyBarsChanged([]string{"bist:BBB"})
	states("c")
	kept.while, kept.days["bist:BBB"] = nil, []string{"2026-02-10"}
	states("c b")
	reads(6)
	kept.fails = errors.New("no disk")
	x.Live.DailyBarsChanged([]string{"bist:BBB"})
	if _, err := x.Ipos(calls.Anyone(), ipo.Filter{}); !errors.Is(err, kept.fails) {
		t.Errorf("a store that fails: %v", err)
	}
	if _, err := x.Ipo(calls.Anyone(), "b"); !errors.Is(err, kept.fails) {
		t.Errorf("a store that fails: %v", err)
	}
	kept.fails = nil
	states("c b")
}

// Many ask while bars change; none of them sees anything but what is stored.
func TestFirstDaysUnderChange(t *testing.T) {
	kept := &tape{days: map[market.ID][]string{"bist:AAA": {"2026-03-10"}}}
	x := listed(kept, "AAA", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				x.Live.DailyBarsChanged([]string{"bist:AAA"})
				if one, err := x.Ipo(calls.Anyone(), "a"); err != nil || one.State != ipo.Completed ||
					one.FirstTradeDate.String() != "2026-03-10" {
					t.Errorf("%+v, %v", one, err)
				}
			}
		})
	}
	all.Wait()
}
