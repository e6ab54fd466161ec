package ipo_test

import (
	"strings"
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// G-84: an IPO whose share has traded since demand was collected is
// completed, also while its source states no first trade date.
func TestIPOsThatTrade(t *testing.T) {
	const ofBars, ofPrice, earlier = "The source states no first trade date; this is the day",
		"The source states no first trade date; bist:AAA has a price", "The first trade date is that of the source"
	for _, c := range []struct {
		name       string
		record     *ipo.Record
		bars       string
		price      string // when the last price was observed
		state      ipo.State
		firstTrade string
		note       string
	}{
		{"bars since", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-10 2026-03-11", "", ipo.Completed,
			"2026-03-10", ofBars},
		{"bars from before, of another company", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")),
			"2019-01-02 2026-03-04 2026-03-09", "", ipo.Completed, "2026-03-09", ofBars},
		{"the day after", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-05", "", ipo.Completed, "2026-03-05", ofBars},
		{"the last day of demand", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-04", "2026-03-04T20:59:59Z",
			ipo.Active, "", ""},
		{"a bar of a day to come", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-19", "", ipo.Active, "", ""},
		{"today's bar", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-18", "", ipo.Completed, "2026-03-18", ofBars},
		{"a price and no bar", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-18T08:00:00Z", ipo.Completed,
			"", ofPrice},
		{"a price of the day after", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-04T21:00:00Z", ipo.Completed,
			"", ofPrice},
		{"a price from before", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "")), "", "2026-03-02T08:00:00Z", ipo.Active, "", ""},
		{"no end of demand", of("AAA", recordOf("a", "2026-03-02", "", "")), "2026-03-02 2026-03-10", "", ipo.Completed,
			"2026-03-10", ofBars},
		{"no days at all", of("AAA", recordOf("a", "", "", "")), "2026-03-10", "", ipo.Upcoming, "", ""},
		{"demand to come", of("AAA", recordOf("a", "2026-03-20", "2026-03-21", "")), "2026-03-10", "2026-03-18T08:00:00Z",
			ipo.Upcoming, "", ""},
		{"demand of today", of("AAA", recordOf("a", "2026-03-17", "2026-03-18", "")), "2026-03-10", "2026-03-18T08:00:00Z",
			ipo.Active, "", ""},
		{"a stated day stands", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "2026-03-12")), "2026-03-10", "", ipo.Completed,
			"2026-03-12", ""},
		{"a stated day to come", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "2026-03-25")), "2026-03-10", "", ipo.Completed,
			"2026-03-25", earlier},
		{"a stated day to come, and no bar", of("AAA", recordOf("a", "2026-03-02", "2026-03-04", "2026-03-25")), "", "", ipo.Active,
			"2026-03-25", ""},
		{"another share", of("BBB", recordOf("a", "2026-03-02", "2026-03-04", "")), "2026-03-10", "", ipo.Active, "", ""},
		{"no symbol", recordOf("a", "2026-03-02", "2026-03-04", ""), "2026-03-10", "", ipo.Active, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := listed(&tape{days: map[market.ID][]string{"bist:AAA": strings.Fields(c.bars)}}, "AAA", c.record)
			if c.price != "" {
				x.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: "bist:AAA", AsOf: value.MustInstant(c.price),
					Last: value.MustDecimal("10")}})
			}
			list, err := x.Ipos(calls.Anyone(), ipo.Filter{})
			if err != nil || list.Count != 1 {
				t.Fatal(list, err)
			}
			got := list.Ipos[0]
			if got.State != c.state || got.FirstTradeDate.String() != c.firstTrade || (got.Note == nil) != (c.note == "") ||
				(got.Note != nil && !strings.HasPrefix(*got.Note, c.note)) {
				t.Errorf("%s, first trade %s, %+v; want %s, %s, %s", got.State, got.FirstTradeDate, got.Note, c.state, c.firstTrade, c.note)
			}
			if linked := got.InstrumentID != nil && *got.InstrumentID == "bist:AAA"; linked != (c.state == ipo.Completed) {
				t.Errorf("%s, and leads to %v", got.State, got.InstrumentID)
			}
			one, err := x.Ipo(calls.Anyone(), "a")
			if a, b := text(t, got), text(t, one.Ipo); err != nil || a != b {
				t.Errorf("the list says %s, the detail %s, %v", a, b, err)
			}
			if strings.Contains(text(t, got), `"note"`) != (c.note != "") {
				t.Errorf("%s", text(t, got))
			}
			// bounds go by the day that is shown
			for bound, want := range map[string]bool{"2026-03-01": c.firstTrade != "", "2026-03-30": false} {
				if some, err := x.Ipos(calls.Anyone(), ipo.Filter{From: day(bound)}); err != nil || (some.Count == 1) != want {
					t.Errorf("from %s: %+v, %v", bound, some, err)
				}
			}
		})
	}
}

// IPOs are ordered by the days that are shown, from the source or derived.
func TestOrderOfIPOsThatTrade(t *testing.T) {
	x := listed(&tape{days: map[market.ID][]string{"bist:AAA": {"2026-03-10"}, "bist:BBB": {"2026-03-16"}}}, "AAA BBB",
		of("AAA", recordOf("by-bar", "2026-03-02", "2026-03-04", "")), recordOf("stated", "", "", "2026-03-12"),
		of("BBB", recordOf("late", "2026-03-02", "2026-03-04", "")),
		recordOf("undated", "", "", ""))
	if list, err := x.Ipos(calls.Anyone(), ipo.Filter{}); err != nil || ids(list) != "undated late stated by-bar" {
		t.Errorf("%s, %v", ids(list), err)
	}
}
