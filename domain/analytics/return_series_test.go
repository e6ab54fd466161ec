package analytics_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
)

// line spells points as "date value", comma-separated.
func line(points []analytics.SectorReturnPoint) string {
	var parts []string
	for _, p := range points {
		parts = append(parts, p.Date.String()+" "+p.Value.String())
	}
	return strings.Join(parts, ", ")
}

func TestReturns(t *testing.T) {
	for _, c := range []struct {
		name    string
		members [][]analytics.Day
		want    string
	}{
		{"V-130", [][]analytics.Day{
			{dailyBar("2026-03-13", "100"), dailyBar("2026-03-16", "102"), dailyBar("2026-03-17", "102.00")},
			{dailyBar("2026-03-13", "50.00"), dailyBar("2026-03-16", "49.5"), dailyBar("2026-03-17", "50.985")},
		}, "2026-03-13 100, 2026-03-16 100.5, 2026-03-17 102.0075"},
		{"no member", nil, ""},
		{"members without a close", [][]analytics.Day{{dailyBar("2026-03-13", "", "5", "4")}, nil}, ""},
		{"one day", [][]analytics.Day{{dailyBar("2026-03-13", "7.5")}}, "2026-03-13 100"},
		{"the change is from the close before, however long ago", [][]analytics.Day{
			{dailyBar("2026-03-10", "10"), dailyBar("2026-03-11"), dailyBar("2026-03-13", "12")},
			{dailyBar("2026-03-10", "10"), dailyBar("2026-03-11", "11"), dailyBar("2026-03-13", "11")},
		}, "2026-03-10 100, 2026-03-11 110, 2026-03-13 121"},
		{"a member joins", [][]analytics.Day{
			{dailyBar("2026-03-10", "10"), dailyBar("2026-03-11", "11"), dailyBar("2026-03-12", "11")},
			{dailyBar("2026-03-11", "500"), dailyBar("2026-03-12", "600")},
		}, "2026-03-10 100, 2026-03-11 110, 2026-03-12 121"},
		{"nobody counts", [][]analytics.Day{
			{dailyBar("2026-03-10", "10"), dailyBar("2026-03-12", "11")},
			{dailyBar("2026-03-11", "500")},
		}, "2026-03-10 100, 2026-03-11 100, 2026-03-12 110"},
		{"a base of zero or less does not count", [][]analytics.Day{
			{dailyBar("2026-03-10", "0.00"), dailyBar("2026-03-11", "5"), dailyBar("2026-03-12", "6")},
			{dailyBar("2026-03-10", "-4"), dailyBar("2026-03-11", "2"), dailyBar("2026-03-12", "2")},
			{dailyBar("2026-03-10", "100"), dailyBar("2026-03-11", "101"), dailyBar("2026-03-12", "101")},
		}, "2026-03-10 100, 2026-03-11 101, 2026-03-12 107.7333"},
		{"a fall to zero", [][]analytics.Day{{dailyBar("2026-03-10", "10"), dailyBar("2026-03-11", "0"), dailyBar("2026-03-12", "3")}},
			"2026-03-10 100, 2026-03-11 0, 2026-03-12 0"},
		{"a half reached through thirds", // 100 × 3.0000015 / 3 = 100.00005
			[][]analytics.Day{{dailyBar("2026-03-10", "3"), dailyBar("2026-03-11", "7"), dailyBar("2026-03-12", "3.0000015")}},
			"2026-03-10 100, 2026-03-11 233.3333, 2026-03-12 100.0001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := line(returnsOf(c.members)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if points, err := json.Marshal(returnsOf(nil)); err != nil || string(points) != "[]" {
		t.Errorf("no points are written %s, %v", points, err)
	}
	if point, err := json.Marshal(analytics.SectorReturnPoint{Date: value.MustDate("2026-03-13"), Value: figure("100")}); err != nil ||
		string(point) != `{"date":"2026-03-13","value":"100"}` {
		t.Errorf("a point is written %s, %v", point, err)
	}
}

// What grows beyond the digits of a Decimal is null.
func TestTooLongReturns(t *testing.T) {
	members := [][]analytics.Day{{dailyBar("2026-03-10", "0."+strings.Repeat("0", 60)+"1"),
		dailyBar("2026-03-17", "1"+strings.Repeat("0", 60))}}
	if got := line(returnsOf(members)); got != "2026-03-10 100, 2026-03-17 " {
		t.Errorf("the series is %s", got)
	}
	if got := windowText(analytics.SectorWindows(members, nil)[0]); got != "1w - - - - - - - out_of_range" {
		t.Errorf("the window is %s", got)
	}
}

// plainReturns is the series by the wording of the rule, in fractions, with a
// look at every bar for every day.
func plainReturns(members [][]analytics.Day) []analytics.SectorReturnPoint {
	first, last := value.MustDate("9999-12-31"), value.Date{}
	for _, days := range members {
		for _, d := range days {
			if d.Date.Before(first) {
				first = d.Date
			}
			if last.Before(d.Date) {
				last = d.Date
			}
		}
	}
	var points []analytics.SectorReturnPoint
	level := big.NewRat(100, 1)
	for date := first; !last.IsNull() && !last.Before(date); date = date.AddDays(1) {
		sum, counted, closes := new(big.Rat), int64(0), false
		for _, days := range members {
			var before, now value.Decimal
			for _, d := range days {
				if !d.Close.IsNull() && d.Date.Before(date) {
					before = d.Close
				}
				if d.Date == date {
					now = d.Close
				}
			}
			closes = closes || !now.IsNull()
			if !now.IsNull() && before.Sign() > 0 {
				change := new(big.Rat).Quo(exactly(now), exactly(before))
				sum.Add(sum, change.Sub(change, big.NewRat(1, 1)))
				counted++
			}
		}
		if counted > 0 {
			mean := sum.Quo(sum, big.NewRat(counted, 1))
			level = new(big.Rat).Mul(level, mean.Add(mean, big.NewRat(1, 1)))
		}
		if closes {
			points = append(points, analytics.SectorReturnPoint{Date: date, Value: value.MustDecimal(fourPlaces(level))})
		}
	}
	return points
}

// drawMembers draws the bars of a few members that begin at about one time.
func drawMembers(t *rapid.T, most int) [][]analytics.Day {
	var members [][]analytics.Day
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		first := value.MustDate("2024-01-01").AddDays(rapid.IntRange(0, 9).Draw(t, "first"))
		members = append(members, drawDays(t, most, first))
	}
	return members
}

func TestReturnsFollowTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawMembers(t, 12)
		if got, want := line(returnsOf(members)), line(plainReturns(members)); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

// Each window is that of a series of its own days.
func TestSectorWindowsFollowTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawMembers(t, 16)
		whole := plainReturns(members)
		for i, name := range []string{"1w", "2w", "1m", "3m", "6m", "1y"} {
			want := name + " - - - - - - - insufficient_history"
			var start value.Date
			for _, p := range whole {
				if !daysBack(name, whole[len(whole)-1].Date).Before(p.Date) {
					start = p.Date
				}
			}
			if !start.IsNull() {
				want = plainWindow(name, asDays(plainReturns(since(start, members))))
			}
			if got := windowText(analytics.SectorWindows(members, nil)[i]); got != want {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
		}
	})
}

// since are the bars of the members from a day on.
func since(start value.Date, members [][]analytics.Day) [][]analytics.Day {
	var cut [][]analytics.Day
	for _, days := range members {
		cut = append(cut, slices.DeleteFunc(slices.Clone(days), func(d analytics.Day) bool { return d.Date.Before(start) }))
	}
	return cut
}

// asDays are the points as closes.
func asDays(points []analytics.SectorReturnPoint) []analytics.Day {
	var days []analytics.Day
	for _, p := range points {
		days = append(days, analytics.Day{Date: p.Date, Close: p.Value})
	}
	return days
}

// Two members, one of which did not trade where the shorter windows start: its
// change from before counts in the longer ones only.
func TestSectorWindows(t *testing.T) {
	windows := analytics.SectorWindows([][]analytics.Day{
		{dailyBar("2026-02-27", "10"), dailyBar("2026-03-10", "11"), dailyBar("2026-03-17", "12.1")},
		{dailyBar("2026-02-27", "10"), dailyBar("2026-03-12", "16"), dailyBar("2026-03-17", "16")},
	}, nil)

	checkWindows(t, windows, []string{
		"1w 2026-03-10 100 105 105 100 5 5 -",
		"2w 2026-02-27 100 184.8 184.8 110 84.8 84.8 -",
		"1m - - - - - - - insufficient_history", "3m - - - - - - - insufficient_history", "6m - - - - - - - insufficient_history",
		"1y - - - - - - - insufficient_history",
	})
	for _, members := range [][][]analytics.Day{nil, {nil}, {{dailyBar("2026-03-17", "", "5")}}} {
		for _, w := range analytics.SectorWindows(members, nil) {
			if w.NullReason == nil || *w.NullReason != "insufficient_history" {
				t.Errorf("no days: %s", windowText(w))
			}
		}
	}
}

func TestReturnsOfOneMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closes := rapid.SliceOfN(rapid.IntRange(1, 1_000_000), 1, 300).Draw(t, "closes")
		var days []analytics.Day
		for i, c := range closes {
			days = append(days, analytics.Day{Date: value.MustDate("2024-01-01").AddDays(i), Close: value.MustDecimal(fmt.Sprint(c))})
		}
		for i, p := range returnsOf([][]analytics.Day{days}) {
			if want := fourPlaces(big.NewRat(100*int64(closes[i]), int64(closes[0]))); p.Value.String() != want {
				t.Fatalf("day %d: %s, want %s", i, p.Value, want)
			}
		}
	})
}

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawMembers(t, 40)
		shuffled := rapid.Permutation(members).Draw(t, "shuffled")
		if a, b := line(returnsOf(members)), line(returnsOf(shuffled)); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
		for i, w := range analytics.SectorWindows(members, nil) {
			if a, b := windowText(w), windowText(analytics.SectorWindows(shuffled, nil)[i]); a != b {
				t.Fatalf("%s\n%s", a, b)
			}
		}
	})
}

// 50 sectors of 13 members of 400 days.
func BenchmarkSectorWindows(b *testing.B) {
	var sectors [][][]analytics.Day
	for s := range 50 {
		var members [][]analytics.Day
		for m := range 13 {
			members = append(members, benchmarkDays(400, 13*s+m))
		}
		sectors = append(sectors, members)
	}
	for b.Loop() {
		for _, members := range sectors {
			analytics.SectorWindows(members, nil)
		}
	}
}

// returnsOf returns the series of members without boundaries.
func returnsOf(members [][]analytics.Day) []analytics.SectorReturnPoint {
	points, _ := analytics.Returns(members, nil)
	return points
}
