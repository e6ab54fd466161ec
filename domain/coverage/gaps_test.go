package coverage

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

func day(text string) int { return dayNumber(value.MustDate(text)) }

// barsOf returns the days of an instrument of a market that has a bar of each of days.
func barsOf(calendar market.TradingCalendar, listed bool, days ...string) *daily {
	d := &daily{calendar: calendar, listed: listed, first: day(days[0]), last: day(days[len(days)-1])}
	for i, text := range days[1:] {
		if before := day(days[i]); day(text)-before > 1 {
			d.jumps = append(d.jumps, Jump{Before: before, After: day(text)})
		}
	}
	return d
}

// from lists the days from one to another that are not left out.
func from(first, last string, without ...string) (days []string) {
	for d := value.MustDate(first); !value.MustDate(last).Before(d); d = d.AddDays(1) {
		if !d.IsWeekend() && !strings.Contains(strings.Join(without, " "), d.String()) {
			days = append(days, d.String())
		}
	}
	return days
}

func said(g *gaps) string {
	words := []string{}
	for _, gap := range g.list() {
		words = append(words, fmt.Sprintf("%s..%s %d %s", gap.From, gap.To, gap.Count, gap.Reason))
	}
	return strings.Join(words, "; ")
}

func TestGapsOfBars(t *testing.T) {
	live := market.NewLive()
	live.SetCatalog(nil, []*market.TradingDay{
		// a holiday
		{Market: market.BIST, Date: value.MustDate("2026-03-19")},
		// half a day
		{Market: market.BIST, Date: value.MustDate("2026-03-20"), Open: new(market.ClockTime("10:00")),
			Close: new(market.ClockTime("12:30"))},
		// a Saturday with a session
		{Market: market.BIST, Date: value.MustDate("2026-03-28"), Open: new(market.ClockTime("10:00")),
			Close: new(market.ClockTime("13:00"))},
	})
	snapshot := live.Snapshot()
	bist, crypto, us := snapshot.TradingCalendar(market.BIST, nil), snapshot.TradingCalendar(market.Crypto, nil),
		snapshot.TradingCalendar(market.US, nil)
	whole := append(from("2026-03-09", "2026-03-27", "2026-03-19"), "2026-03-28")
	for name, c := range map[string]struct {
		calendar market.TradingCalendar
		days     []string
		unlisted bool
		others   []string // days of another instrument
		until    string
		want     string
	}{
		"whole":           {bist, whole, false, nil, "2026-03-29", ""},
		"until a weekend": {bist, from("2026-03-09", "2026-03-13"), false, nil, "2026-03-15", ""},
		"a holiday":       {bist, []string{"2026-03-18", "2026-03-20"}, false, whole, "2026-03-20", ""},
		"half a day":      {bist, []string{"2026-03-18", "2026-03-23"}, false, whole, "2026-03-23", "2026-03-20..2026-03-20 1 not_stored"},
		"a Saturday":      {bist, []string{"2026-03-27", "2026-03-30"}, false, whole, "2026-03-30", "2026-03-28..2026-03-28 1 not_stored"},
		"one day": {bist, from("2026-03-09", "2026-03-18", "2026-03-11"), false, whole, "2026-03-18",
			"2026-03-11..2026-03-11 1 not_stored"},
		"over a weekend": {bist, from("2026-03-09", "2026-03-18", "2026-03-13", "2026-03-16"), false, whole, "2026-03-18",
			"2026-03-13..2026-03-16 2 not_stored"},
		"listed later":    {bist, from("2026-03-16", "2026-03-18"), false, whole, "2026-03-18", ""},
		"at the end":      {bist, from("2026-03-09", "2026-03-13"), false, whole, "2026-03-18", "2026-03-16..2026-03-18 3 ended"},
		"not in the list": {bist, from("2026-03-09", "2026-03-13"), true, whole, "2026-03-18", ""},
		"no stock": {bist, from("2026-03-09", "2026-03-18", "2026-03-11"), false, from("2026-03-09", "2026-03-18", "2026-03-11"),
			"2026-03-18", "2026-03-11..2026-03-11 1 market_silent"},
		"no stock at once": {bist, from("2026-03-09", "2026-03-18", "2026-03-11", "2026-03-12"), false,
			from("2026-03-09", "2026-03-18", "2026-03-11"), "2026-03-18",
			"2026-03-12..2026-03-12 1 not_stored; 2026-03-11..2026-03-11 1 market_silent"},
		"coins on Sunday": {crypto, []string{"2026-03-13", "2026-03-14", "2026-03-16"}, false, []string{"2026-03-14", "2026-03-15"},
			"2026-03-16", "2026-03-15..2026-03-15 1 not_stored"},
		"unknown holidays": {us, []string{"2026-03-09", "2026-03-11", "2026-03-12", "2026-03-13"}, false, from("2026-03-09", "2026-03-13"),
			"2026-03-13", "2026-03-10..2026-03-10 1 holidays_unknown"},
	} {
		all := []*daily{barsOf(c.calendar, !c.unlisted, c.days...)}
		if c.others != nil {
			all = append(all, barsOf(c.calendar, true, c.others...))
		}
		if got := said(all[0].gapsOf(presenceOf(all), day(c.until))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	all := []*daily{barsOf(bist, true, from("2026-03-09", "2026-03-18", "2026-03-11")...),
		barsOf(bist, true, from("2026-03-10", "2026-03-24", "2026-03-11", "2026-03-19")...)}
	if got, want := said(silentDays(bist, presenceOf(all), day("2026-03-27"))),
		"2026-03-25..2026-03-27 3 market_silent; 2026-03-11..2026-03-11 1 market_silent"; got != want {
		t.Errorf("of the market: %q, want %q", got, want)
	}
	if got := said(silentDays(bist, presenceOf(nil), day("2026-03-27"))); got != "" {
		t.Errorf("of a market without bars: %q", got)
	}
}

// What is kept of very many gaps is bounded, and their number is right.
func TestManyGaps(t *testing.T) {
	n := new(numbers)
	for i := range 1000 {
		n.put(Numbers{Count: 1, First: 10 * (i + 1), Last: 10 * (i + 1),
			Holes: map[bool][][2]int{true: nil, false: {{10*i + 1, 10*i + 9}}}[i == 0]})
	}
	if list := n.list(); n.runs != 999 || n.missing != 9*999 || len(list) != mostGaps || len(n.newest) > 2*mostGaps ||
		list[0].To != "9999" || n.first != 10 || n.last != 10000 {
		t.Errorf("%d runs, %d missing, %d kept, %+v", n.runs, n.missing, len(list), list[0])
	}
	n.cancel([]int{5, 9983, 9991, 9999})
	if got := said(&gaps{newest: n.newest[len(n.newest)-5:]}); got != "9999..9999 1 cancelled; 9992..9998 7 not_stored; 9991..9991 1 "+
		"cancelled; 9984..9989 6 not_stored; 9983..9983 1 cancelled" || n.missing != 9*999 || n.runs != 999+4 {
		t.Errorf("%q, %d missing, %d runs", got, n.missing, n.runs)
	}
}

func TestGapsOfMonths(t *testing.T) {
	point := func(month, level string) *macro.Point {
		p := &macro.Point{Month: value.MustMonth(month)}
		if level != "" {
			p.Value = value.MustDecimal(level)
		}
		return p
	}
	for name, c := range map[string]struct {
		points []*macro.Point
		want   string
	}{
		"none":  {nil, ""},
		"whole": {[]*macro.Point{point("2025-12", "1"), point("2026-01", "1"), point("2026-02", "1")}, ""},
		"newer": {[]*macro.Point{point("2026-02", "1"), point("2026-03", "1")}, ""},
		"between": {[]*macro.Point{point("2025-10", "1"), point("2025-12", ""), point("2026-02", "1")},
			"2026-01..2026-01 1 not_stored; 2025-12..2025-12 1 no_value; 2025-11..2025-11 1 not_stored"},
		"at the end": {[]*macro.Point{point("2025-11", "1")}, "2025-12..2026-02 3 ended"},
	} {
		if got := said(monthsOf(c.points, value.MustMonth("2026-02"))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
